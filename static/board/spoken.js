// What a cell says: its number as it is written, its label, and what an edit did, for those who listen.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, MINUS, write } = await import(`../message/numbers.js${own}`);

export function titleOf(bench, matrix) {
  if (!matrix.front) return matrix.name;
  const parts = matrix.front.map(([axis, place]) =>
    axis === "part" ? "QKV"[place] : `${bench.outline.axes[axis]} ${place}`,
  );
  return `${matrix.name}, ${parts.join(", ")}`;
}

export function textOf(matrix, value, places) {
  if (matrix.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, CELL);
}

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

function inWords(bench, matrix, text) {
  const { words } = bench.outline;
  if (matrix.scale === "flag") return { "\u2713": words.yes, "\u2715": words.no }[text] ?? text;
  return text === `${MINUS}\u221E` ? words.infinity : text;
}

const shortName = (bench, drawn, row, column) => ({
  matrix: titleOf(bench, drawn.matrix),
  row: drawn.matrix.rows[row],
  column: drawn.matrix.columns[column],
  value: inWords(bench, drawn.matrix, drawn.cells[row][column].textContent),
});

// What an edit did, for those who listen: the number itself, how many others follow, and the first of the last matrix.
export function tell(bench, changes) {
  const { words } = bench.outline;
  const isAnswer = bench.typed?.number <= bench.acts.done; // else an answer to what was done before it
  const own = isAnswer ? bench.typed : null;
  if (isAnswer) bench.typed = null;
  if (bench.data.sentence) return; // it was refused, which is said already
  const drawn = own && bench.matrices.get(own.key);
  const [row, column] = drawn ? own.place.map((place, axis) => place - drawn.at[axis]) : [];
  const cell = drawn?.cells[row]?.[column];
  const isGuess = own?.wanted === "guess";
  if (isGuess && cell) bench.hear(`${cell.ariaLabel}.`);
  if (isGuess || bench.playing || bench.lesson?.playing) return;
  const others = changes.filter((change) => change.cell !== cell);
  if (!own && !others.length) return;
  if (cell) bench.hear(fillIn(words.told_number, shortName(bench, drawn, row, column)));
  if (!others.length) return bench.hear(words.told_nothing);
  const last = others.find(({ drawn: { key } }) => key === others.at(-1).drawn.key);
  bench.hear(fillIn(words.told_changes, { count: others.length, ...shortName(bench, last.drawn, last.row, last.column) }));
}
