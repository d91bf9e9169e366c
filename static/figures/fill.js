// @ts-check
// Puts numbers into a figure that Python made (ui/figures), and fits it to a width. ui/figures/fill.py does the same, and
// tests/test_fill.py holds the two together; ui/figures/references.py says what a reference is.

/** @import { Block } from "../course/blocks.js" */
/** @import { Large, Row } from "../message/message.js" */
/** @import { Rows } from "../message/numbers.js" */

/** @typedef {Record<string, any>} Figure `data` and `layout` as Plotly takes them; what a reference is, ui/figures/references.py says */
/**
 * @typedef {{ step: string, head?: number, part?: number, title?: string, sign?: string, turned?: boolean, change?: boolean,
 *   cells?: number[][][] }} DrawnPart
 */
/** @typedef {Row & { title: string }} Shares */
/** @typedef {{ matrices?: Given[], shares?: Record<string, Shares>, block?: Block }} FigureNumbers */
/** @typedef {Record<number, number>} Near the width of a cell in pixels, by the number of a large matrix that is seen from near */
/** @typedef {{ colour: (name: string) => string, cell: number, decimals: number, scales?: any, near?: Near }} FigureView */
/** @typedef {FigureView | Pick<FigureView, "colour">} AnyView of a figure without matrices, the colours are enough */

/**
 * What a figure needs of a matrix: `Numbers` of ui/figures/parts.py.
 * @typedef {object} Given
 * @property {string} name
 * @property {string} scale
 * @property {number} top
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {Rows} values
 * @property {Array<[number, number]>} hidden
 * @property {Array<[number, number, string]>} lit
 * @property {any[] | null} strip
 * @property {boolean[][] | null} unknown
 * @property {(Large & { turned?: boolean }) | null} large
 */
/** @typedef {Given & { sign: string }} DrawnMatrix */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { CELL, placesOf, write } = await import(`../message/numbers.js${own}`);

const LARGEST_CELL = 44; // pixels
const SMALLEST_CELL = 24; // of its height
const ENOUGH = 26; // pixels of a cell's width; with less, a narrower arrangement is taken
const MARGIN = { l: 40, r: 8, t: 54, b: 8 };
const [LETTERS, SMALL_LETTERS, SMALLEST_LETTERS] = [12, 8, 7];
const [TITLE, SMALLEST_TITLE] = [13, 9];
const WIDE_LETTER = 0.6; // of its size, a digit; a letter of a title is 0.57
const LONGEST_LABEL = 8;
const WRITTEN = ["text", "size"]; // parts that are larger from near
/** @type {Record<string, string>} */
const INKS = { q: "blue", k: "orange", v: "green" };
export const UNKNOWN = "?"; // to be predicted

/** @param {any} part */
const isPlain = (part) => part !== null && typeof part === "object" && !Array.isArray(part);
/** @param {any} part */
const isReference = (part) => isPlain(part) && ("$matrix" in part || "$shares" in part || "$block" in part);

// The figure in the widest arrangement for which there is room, and the width of its cells in pixels.
/** @param {Figure} figure @param {number} width @returns {[Figure, number]} */
export function fit(figure, width) {
  let { layout } = figure;
  const { cells, narrow = [] } = layout.meta ?? {};
  if (!cells) return [figure, 0];
  let [wide, high] = cells;
  for (const { cells: size, ...places } of narrow) {
    if (width / wide >= ENOUGH) break;
    [wide, high] = size;
    layout = merged(layout, places);
  }
  const cell = Math.min(LARGEST_CELL, width / wide);
  const below = figure.data.some((/** @type {any} */ trace) => trace.type === "bar" && trace.orientation === "v") ? 38 : 0;
  const margin = { ...MARGIN, r: MARGIN.r + Math.max(0, width - cell * wide), b: Math.max(MARGIN.b, below) };
  const height = Math.round(high * Math.max(SMALLEST_CELL, cell) + margin.t + margin.b);
  return [{ ...figure, layout: { ...layout, margin, height } }, cell];
}

// `one` with what `other` says differently, part by part.
/** @param {any} one @param {any} other @returns {any} */
function merged(one, other) {
  if (isPlain(one) && isPlain(other)) {
    const changed = Object.entries(other).map(([name, part]) => [name, merged(one[name], part)]);
    return { ...one, ...Object.fromEntries(changed) };
  }
  if (Array.isArray(one) && Array.isArray(other) && other.some(isPlain)) return one.map((part, place) => merged(part, other[place]));
  return other;
}

// The figure with every reference replaced. `view` has the width of a cell, decimals, scales, and `colour`, which knows
// the theme's colours by name; `near` the width of a cell of large matrices that are seen from near.
/** @param {Figure} figure @param {FigureNumbers} numbers @param {AnyView} given */
export function fill(figure, numbers, given) {
  /** @type {FigureView} */
  const view = { cell: 0, decimals: 2, ...given };
  /** @type {DrawnPart[]} */
  const drawn = figure.layout.meta?.matrices ?? [];
  const matrices = drawn.map((one, number) => asDrawn(one, (numbers.matrices ?? [])[number]));
  /** @param {any} reference */
  const lookUp = (reference) => {
    if (reference.$block) return reference.$block.reduce((/** @type {any} */ found, /** @type {string} */ step) => found[step], numbers.block);
    if (reference.$shares) return ofShares(reference, numbers.shares?.[reference.$shares], view);
    const number = reference.$matrix;
    const cell = WRITTEN.includes(reference.as) ? view.near?.[number] ?? view.cell : view.cell;
    return PARTS[reference.as](matrices[number], reference, { ...view, cell });
  };
  /** @type {(part: any) => any} */
  const coloured = (part) => {
    if (typeof part === "string") return part.replace(/var\((--st-[a-z-]+)\)/g, (whole, name) => view.colour(name) || whole);
    if (Array.isArray(part)) return part.map(coloured);
    return isPlain(part) ? Object.fromEntries(Object.entries(part).map(([name, one]) => [name, coloured(one)])) : part;
  };
  /** @type {(part: any) => any} */
  const filled = (part) => {
    if (isReference(part)) return coloured(lookUp(part));
    if (Array.isArray(part)) return part.flatMap((one) => (one?.as === "marks" ? filled(one) : [filled(one)]));
    if (isPlain(part)) return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, name === "meta" ? one : filled(one)]));
    return coloured(part);
  };
  return { data: filled(figure.data), layout: filled(figure.layout) };
}

// A matrix as it stands in the figure: turned, or a block of it.
/** @param {DrawnPart} drawn @param {Given} given @returns {DrawnMatrix} */
export function asDrawn(drawn, given) {
  const found = { ...given, name: drawn.title || given.name, sign: drawn.sign ?? "" };
  if (drawn.cells) return { ...found, ...blockOf(drawn.cells, given) };
  return drawn.turned ? { ...found, ...turned(found) } : found;
}

/** @template T @param {T[][]} rows */
const turn = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));

/** @param {DrawnMatrix} given @returns {Partial<DrawnMatrix>} */
function turned(given) {
  return {
    name: given.name.replace(/(?=,|$)/, "\u1D40"),
    rows: given.columns,
    columns: given.rows,
    values: turn(given.values),
    unknown: given.unknown && turn(given.unknown),
    hidden: given.hidden.map(([row, column]) => [column, row]),
    lit: given.lit.map(([row, column, mark]) => [column, row, mark]),
    strip: null,
    large: given.large && { ...given.large, at: [...given.large.at].reverse(), shape: [...given.large.shape].reverse(), turned: true },
  };
}

/** @param {number[][][]} cells @param {Given} given @returns {Partial<Given>} */
function blockOf(cells, given) {
  /** @template T @param {T[][]} rows */
  const picked = (rows) => cells.map((line) => line.map(([row, column]) => rows[row][column]));
  const marks = new Map(given.lit.map(([row, column, mark]) => [`${row},${column}`, mark]));
  /** @type {Given["lit"]} */
  const lit = cells.flatMap((line, row) => line.map((cell, column) => [row, column, marks.get(String(cell)) ?? ""]));
  return {
    values: picked(given.values),
    unknown: given.unknown && picked(given.unknown),
    rows: cells.map(([[row]]) => given.rows[row]),
    columns: cells[0].map((_, place) => String(place)),
    hidden: [],
    lit: lit.filter(([, , mark]) => mark),
    strip: null,
  };
}

// Its numbers as they are written, without those that are still to be predicted.
/** @param {Given} matrix @param {number} places */
export function textsOf(matrix, places) {
  /** @param {number | null} value */
  const textOf = (value) => (matrix.scale === "flag" ? (value ? "\u2713" : "\u2715") : write(value, places, CELL));
  return matrix.values.map((line, row) => line.map((value, column) => (matrix.unknown?.[row][column] ? UNKNOWN : textOf(value))));
}

// The numbers with as many places as there is room for, and their size; nothing where there is none.
/** @param {Given} matrix @param {FigureView} view @returns {[string[], number]} */
function letters(matrix, { cell, decimals }) {
  const most = placesOf(matrix.values, decimals);
  const least = Math.min(1, most);
  for (let places = most; places >= least; places -= 1) {
    const texts = textsOf(matrix, places).flat();
    const longest = Math.max(...texts.map((text) => text.length));
    const size = Math.min(LETTERS, Math.trunc((cell - 2) / (WIDE_LETTER * longest)));
    if (size >= (places > least ? SMALL_LETTERS : SMALLEST_LETTERS)) return [texts, size];
  }
  return [matrix.values.flat().map(() => ""), SMALLEST_LETTERS];
}

// In letters; one of Chinese or Korean is as wide as two.
/** @param {string} text */
const widthOf = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1), 0);
/** @param {string[]} lines */
const longestOf = (lines) => Math.max(...lines.map(widthOf));

// A title on one line, on two, or in smaller letters: nothing of it is cut.
/** @param {DrawnMatrix} matrix @param {number} room */
function titleOf(matrix, room) {
  const text = matrix.sign + matrix.name;
  const fits = room / (0.57 * TITLE);
  let lines = [text];
  if (widthOf(text) > fits && text.includes(" ")) {
    const cuts = [...text.matchAll(/ /g)].map(({ index = 0 }) => [text.slice(0, index), text.slice(index + 1)]);
    lines = cuts.reduce((best, cut) => (longestOf(cut) < longestOf(best) ? cut : best));
  }
  const longest = longestOf(lines);
  const size = longest <= fits ? TITLE : Math.max(SMALLEST_TITLE, Math.trunc((TITLE * fits) / longest));
  return [`<b>${lines.join("<br>")}</b>`, size];
}

// Names come from learners: plain text, so that Plotly obeys no tag in them.
/** @param {string} name @param {string} [ink] */
export function labelOf(name, ink) {
  const letters = [...name];
  const cut = letters.length > LONGEST_LABEL ? `${letters.slice(0, LONGEST_LABEL - 1).join("")}\u2026` : name;
  const text = cut.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return ink ? `<span style="color:var(--st-${INKS[ink]}-text-color)">${text}</span>` : text;
}

/** @param {Given} matrix */
function dotsOf({ large, top }) {
  if (!large) return [];
  const { dots, size: [rows, columns], turned: isTurned } = large;
  const bytes = Uint8Array.from(atob(dots), (letter) => letter.charCodeAt(0));
  const shares = Array.from(bytes, (byte) => ((byte - 128) / 127) * top);
  const z = Array.from({ length: rows }, (_, row) => shares.slice(row * columns, (row + 1) * columns));
  return isTurned ? turn(z) : z;
}

// Where each number stands, across (1) or down (0).
/** @param {Given} matrix @param {number} along */
function placesAlong(matrix, along) {
  const start = matrix.large?.at[along] ?? 0;
  return matrix.values.flatMap((line, row) => line.map((_, column) => start + [row, column][along]));
}

// Masked cells are hatched; the chosen cell and its sources are framed, as on the board.
/** @param {Given} matrix @param {string} axis */
function marksOf(matrix, axis) {
  const on = { xref: `x${axis}`, yref: `y${axis}` };
  const thin = { ...on, type: "line", opacity: 0.35, line: { color: "var(--st-text-color)", width: 1 } };
  /** @param {number} row @param {number} column @param {number} low @param {number} high */
  const hatch = (row, column, low, high) => {
    const [x0, x1, y0, y1] = [column - 0.45 + high, column + 0.45 + low, row + 0.45 + low, row - 0.45 + high];
    return { ...thin, x0, x1, y0, y1 };
  };
  const hatched = matrix.hidden.flatMap(([row, column]) => [hatch(row, column, -0.25, 0), hatch(row, column, 0, 0.25)]);
  const framed = matrix.lit.map(([row, column, mark]) => {
    const line = mark === "chosen" ? { width: 3, dash: "solid" } : { width: 1.5, dash: "dot" };
    const edges = { x0: column - 0.48, x1: column + 0.48, y0: row - 0.48, y1: row + 0.48 };
    return { ...on, ...edges, type: "rect", line: { color: "var(--st-violet-color)", ...line } };
  });
  return [...hatched, ...framed];
}

// The row of weights as bars; nothing while it is to be predicted.
/** @param {any} reference @param {Shares | undefined} given @param {FigureView} view */
function ofShares(reference, given, view) {
  const values = given?.shares ?? [];
  if (reference.as === "values") return values;
  if (reference.as === "text") return values.map((value) => write(value, Math.max(2, view.decimals), CELL));
  if (reference.as === "title") return given ? given.title.replace("{row}", () => labelOf(given.name)) : "";
  const end = 1.15 * (Math.max(reference.least, ...values.map((value) => value ?? 0)) || 1);
  return reference.reversed ? [end, 0] : [0, end];
}

/** @param {Given} matrix */
const known = ({ values, unknown }) => values.map((line, row) => line.map((value, column) => (unknown?.[row][column] ? null : value)));

/** @type {Record<string, (matrix: DrawnMatrix, reference: any, view: FigureView) => any>} */
const PARTS = {
  values: known,
  text: (matrix, _, view) => letters(matrix, view)[0],
  size: (matrix, _, view) => letters(matrix, view)[1],
  across: (matrix) => placesAlong(matrix, 1),
  down: (matrix) => placesAlong(matrix, 0),
  top: ({ top }) => top,
  bottom: ({ top, scale }) => (scale === "signed" ? -top : 0),
  colorscale: ({ scale }, reference, view) => view.scales[reference.scale ?? scale],
  rows: ({ rows }) => rows.map((name) => labelOf(name)),
  columns: ({ columns, strip }) => columns.map((name, place) => labelOf(name, strip?.[place][0])),
  row_ticks: ({ rows }) => rows.map((_, place) => place),
  column_ticks: ({ columns }) => columns.map((_, place) => place),
  name: ({ name }) => name,
  title: (matrix, { room }, { cell }) => titleOf(matrix, room * cell)[0],
  title_size: (matrix, { room }, { cell }) => titleOf(matrix, room * cell)[1],
  dots: dotsOf,
  first_row: ({ large }) => large?.at[0],
  first_column: ({ large }) => large?.at[1],
  marks: (matrix, { axis }) => marksOf(matrix, axis),
};
