// @ts-check
// What a cell says: its number as it is written, its label, and what an edit did, for those who listen.

/** @import { Change, Labelled } from "./cells.js" */
/** @import { MatrixOutline, Message, Outline } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, MINUS, placesOf, write } = await import(`../message/numbers.js${own}`);

/** @param {Bench} bench @param {MatrixOutline} matrix */
export function titleOf(bench, matrix) {
  if (!matrix.front) return matrix.name;
  const parts = matrix.front.map(([axis, place]) =>
    axis === "part" ? "QKV"[place] : `${bench.outline.axes[axis]} ${place}`,
  );
  return `${matrix.name}, ${parts.join(", ")}`;
}

/** @param {MatrixOutline} matrix @param {number | null} value @param {number} places */
export function textOf(matrix, value, places) {
  if (matrix.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, CELL);
}

/**
 * @param {Bench} bench
 * @param {Labelled} matrix
 * @param {number} row
 * @param {number} column
 * @param {string} text
 * @param {boolean} hidden
 * @param {Array<string | undefined>} marks
 */
export function spoken(bench, matrix, row, column, text, hidden, marks) {
  const { words, axes } = bench.outline;
  const number = inWords(bench, matrix, text);
  const facts = {
    matrix: titleOf(bench, matrix),
    row_axis: axes[matrix.axes[0]],
    row: matrix.rows[row],
    column_axis: axes[matrix.axes[1]],
    column: matrix.columns[column],
    value: hidden ? words.hidden.replace("{value}", number) : number,
  };
  const label = fillIn(words.cell, facts);
  const change = matrix.scale === "flag" ? words.switch : words.edit;
  const notes = [...marks, matrix.editable ? change : matrix.fixed ? words.fixed : ""].filter(Boolean);
  return notes.length ? `${label} (${notes.join(", ")})` : label;
}

/** @param {Bench} bench @param {MatrixOutline} matrix @param {string} text */
function inWords(bench, matrix, text) {
  const { words } = bench.outline;
  if (matrix.scale === "flag") return text === "\u2713" ? words.yes : text === "\u2715" ? words.no : text;
  return text === `${MINUS}\u221E` ? words.infinity : text;
}

// The cells whose numbers differ between two messages of the same view, in matrices that both have.
/** @param {Message} before @param {Outline} earlier @param {Message} after @param {Outline} outline @returns {Change[]} */
export function changesBetween(before, earlier, after, outline) {
  /** @type {Change[]} */
  const found = [];
  outline.matrices.forEach(({ key }, place) => {
    if (String(before.large?.[key]?.at) !== String(after.large?.[key]?.at)) return; // another part of it
    const old = before.values[earlier === outline ? place : earlier.matrices.findIndex((matrix) => matrix.key === key)];
    if (old?.length !== after.values[place].length || old[0].length !== after.values[place][0].length) return;
    after.values[place].forEach((numbers, row) =>
      numbers.forEach((value, column) => {
        if (old[row][column] !== value) found.push({ key, row, column });
      }),
    );
  });
  return found;
}

/** @param {Bench} bench @param {Change} change */
function shortName(bench, { key, row, column }) {
  const place = bench.outline.matrices.findIndex((matrix) => matrix.key === key);
  const matrix = bench.outline.matrices[place];
  const values = bench.data.values[place];
  const large = bench.data.large?.[key];
  return {
    matrix: titleOf(bench, matrix),
    row: (large?.rows ?? matrix.rows)?.[row],
    column: (large?.columns ?? matrix.columns)?.[column],
    value: inWords(bench, matrix, textOf(matrix, values[row][column], placesOf(values, bench.data.view.decimals))),
  };
}

// What an edit did, for those who listen: the number itself, how many others follow, and the first of the last matrix.
/** @param {Bench} bench @param {Change[]} changes */
export function tell(bench, changes) {
  const { words } = bench.outline;
  const own = bench.typed && bench.typed.number <= bench.acts.done ? bench.typed : null; // else of what was done before it
  if (own) bench.typed = null;
  if (bench.data.sentence) return; // it was refused, which is said already
  const at = own ? bench.data.large?.[own.key]?.at ?? [0, 0] : [0, 0];
  const [row, column] = own ? own.place.map((place, axis) => place - at[axis]) : [];
  const isShown = own && bench.outline.matrices.some(({ key }) => key === own.key);
  if (own?.wanted === "guess") {
    const cell = bench.matrices.get(own.key)?.cells[row]?.[column];
    if (cell) return bench.hear(`${cell.ariaLabel}.`);
  }
  if (bench.playing || bench.lesson?.playing) return;
  const others = changes.filter((change) => !own || change.key !== own.key || change.row !== row || change.column !== column);
  if (!own && !others.length) return;
  if (own && isShown) bench.hear(fillIn(words.told_number, shortName(bench, { key: own.key, row, column })));
  if (!others.length) return bench.hear(words.told_nothing);
  const { key } = others[others.length - 1];
  const [last] = others.filter((change) => change.key === key);
  bench.hear(fillIn(words.told_changes, { count: others.length, ...shortName(bench, last) }));
}
