// @ts-check
// What figures need of the matrices of the board.

/** @import { Given } from "./fill.js" */
/** @import { Rows } from "../message/numbers.js" */
/** @import { Bench, Guess, Guesses } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);

// With all heads shown, the matrix of the chosen head, or of the one that is asked for; of Q, K and V in one step, that part.
/** @param {Bench} bench @param {string} id @param {{ head?: number, part?: number }} [asked] */
export function keyOf(bench, id, { head, part } = {}) {
  const found = bench.outline.matrices.filter((matrix) => matrix.id === id);
  const { view } = bench.data;
  /** @type {Record<string, number | undefined>} */
  const wanted = { head: head ?? view.head, kv_head: head ?? Math.floor((view.head * found.length) / view.heads), part };
  const own = found.find((matrix) => matrix.front?.every(([axis, place]) => wanted[axis] === undefined || wanted[axis] === place));
  return (own ?? found[0])?.key;
}

// What a figure needs of a matrix of the board: `Numbers` of ui/figures/parts.py.
/** @param {Bench} bench @param {{step: string, head?: number, part?: number, change?: boolean}} wanted */
export function matrixOf(bench, { step, head, part, change }) {
  const { outline, data } = bench;
  const key = keyOf(bench, step, { head, part });
  const place = outline.matrices.findIndex((matrix) => matrix.key === key);
  const matrix = outline.matrices[place];
  const large = data.large?.[key] ?? null;
  /** @type {Given} */
  const found = {
    name: matrix.by_head ? `${matrix.name}, ${outline.axes.head} ${data.view.head}` : matrix.name,
    scale: matrix.scale,
    top: data.tops[matrix.kind],
    rows: large?.rows ?? matrix.rows ?? [],
    columns: large?.columns ?? matrix.columns ?? [],
    values: data.values[place],
    hidden: data.hidden?.[key] ?? [],
    lit: data.lit?.[key] ?? [],
    strip: matrix.strip ?? null,
    unknown: unknownOf(bench.guesses(matrix), data.values[place]),
    large,
  };
  if (!change) return found;
  /** @type {Rows} */
  const values = data.compare?.differences[key];
  const top = Math.max(...values.flat().map((value) => Math.abs(value ?? 0))) || 1;
  const name = fillIn(outline.words.compare_name, { name: found.name });
  return { ...found, name, values, top, scale: "signed", hidden: [], lit: [], unknown: null, large: null };
}

// Which cells are still to be predicted; null where none is.
/** @param {Guesses} guesses @param {Rows} values */
function unknownOf(guesses, values) {
  if (guesses === null) return null;
  /** @param {Guess | undefined} guess */
  const isFound = (guess) => Boolean(guess?.open || guess?.right);
  return values.map((line, row) => line.map((_, column) => guesses === "later" || !isFound(guesses.get(`${row},${column}`))));
}

// The rows of weights that are shown as bars, unless they are to be predicted.
/** @param {Bench} bench */
export function sharesOf(bench) {
  const known = Object.entries(bench.data.shares ?? {}).filter(([step]) => !matrixOf(bench, { step }).unknown);
  /** @param {string} step */
  const titleOf = (step) => fillIn(bench.outline.words.bars, { name: matrixOf(bench, { step }).name, row: "{row}" });
  return Object.fromEntries(known.map(([step, shares]) => [step, { ...shares, title: titleOf(step) }]));
}
