// @ts-check
// What a cell says: its number as it is written, its label, and what an edit did, for those who listen.

/** @import { Change, Drawn, Labelled } from "./cells.js" */
/** @import { MatrixOutline } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, MINUS, write } = await import(`../message/numbers.js${own}`);

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
  const notes = [...marks, matrix.editable ? change : ""].filter(Boolean);
  return notes.length ? `${label} (${notes.join(", ")})` : label;
}

/** @param {Bench} bench @param {MatrixOutline} matrix @param {string} text */
function inWords(bench, matrix, text) {
  const { words } = bench.outline;
  if (matrix.scale === "flag") return text === "\u2713" ? words.yes : text === "\u2715" ? words.no : text;
  return text === `${MINUS}\u221E` ? words.infinity : text;
}

/** @param {Bench} bench @param {Drawn} drawn @param {number} row @param {number} column */
const shortName = (bench, drawn, row, column) => ({
  matrix: titleOf(bench, drawn.matrix),
  row: drawn.matrix.rows[row],
  column: drawn.matrix.columns[column],
  value: inWords(bench, drawn.matrix, drawn.cells[row][column].textContent),
});

// What an edit did, for those who listen: the number itself, how many others follow, and the first of the last matrix.
/** @param {Bench} bench @param {Change[]} changes */
export function tell(bench, changes) {
  const { words } = bench.outline;
  const own = bench.typed && bench.typed.number <= bench.acts.done ? bench.typed : null; // else of what was done before it
  if (own) bench.typed = null;
  if (bench.data.sentence) return; // it was refused, which is said already
  const drawn = own ? bench.matrices.get(own.key) : undefined;
  const [row, column] = drawn && own ? own.place.map((place, axis) => place - drawn.at[axis]) : [];
  const cell = drawn?.cells[row]?.[column];
  const isGuess = own?.wanted === "guess";
  if (isGuess && cell) bench.hear(`${cell.ariaLabel}.`);
  if (isGuess || bench.playing || bench.lesson?.playing) return;
  const others = changes.filter((change) => change.cell !== cell);
  if (!own && !others.length) return;
  if (drawn && cell) bench.hear(fillIn(words.told_number, shortName(bench, drawn, row, column)));
  if (!others.length) return bench.hear(words.told_nothing);
  const [last] = others.filter(({ drawn: { key } }) => key === others[others.length - 1].drawn.key);
  bench.hear(fillIn(words.told_changes, { count: others.length, ...shortName(bench, last.drawn, last.row, last.column) }));
}
