// @ts-check
// How large the cells of the stage are: as large as fit, the same in every matrix, so that equal edges look equal.

/** @import { Drawn } from "../board/cells.js" */

const GAP = 2; // pixels between cells
const [LARGEST_WIDE, LARGEST_HIGH] = [72, 60];
const [SMALLEST_WIDE, SMALLEST_HIGH] = [30, 24];
const LETTER = 0.57; // of its size, a digit
const LETTERS = 8; // pixels of a letter of a name, about
const [NAMES_LEAST, NAMES_MOST] = [40, 110]; // pixels of the names of rows
const LEAD = 152; // pixels from the top of the stage to the names above the first row
const HEAD = 48; // a title and the names of columns
const BETWEEN = 44; // two matrices
const [APART, NEAR] = [22, 8]; // matrices of the input; near each other where there is no room
const FOOT = 18;
const TABLE = 6; // around the cells of a matrix
const UNDER = 1.8; // rows that a bias under its matrix takes, with its name
const LEARNED_NAMES = 34; // the numbers of the rows of what is learned
const PICTURE = 470; // pixels of the picture beside the matrices; more where there is room
const MARGIN = 40;
const NARROW = 1100;
const NARROW_WIDE = 26; // of a cell, at least, on a phone

/** @param {Drawn} drawn @returns {[number, number]} rows and columns as it stands */
const sizeOf = ({ cells, turned }) => (turned ? [cells[0].length, cells.length] : [cells.length, cells[0].length]);

// Names of custom properties with their values. `crowded`: nothing has room beside the matrices, or on a phone not even the
// operands beside the result; "panned": a product that is wider than the phone.
/**
 * @param {Drawn[]} shown
 * @param {string} kind
 * @param {number} width
 * @param {number} height of the stage
 * @param {number} by larger
 * @returns {Record<string, string>}
 */
export function fitCells(shown, kind, width, height, by) {
  const found = fitted(shown, kind, width, height, by, true);
  const isCrowded = found.room < 0 && kind !== "input";
  if (!isCrowded) return { ...found.sizes, crowded: "" };
  if (width >= NARROW) return { ...fitted(shown, kind, width, height, by, false).sizes, crowded: "crowded" };
  if (kind === "product") return { ...found.sizes, crowded: "panned" };
  const result = shown.filter(({ figure }) => figure.dataset.role === "result");
  return { ...fitted(result, kind, width, height, by, false).sizes, crowded: "only-result" };
}

/** @param {Drawn[]} shown @param {string} kind @param {number} width @param {number} height @param {number} by @param {boolean} withPicture */
function fitted(shown, kind, width, height, by, withPicture) {
  /** @param {string} role */
  const of = (role) => shown.filter(({ figure }) => figure.dataset.role === role);
  /** @param {Drawn[]} all @param {0 | 1} axis */
  const most = (all, axis) => Math.max(0, ...all.map((one) => sizeOf(one)[axis]));
  /** @param {Drawn[]} all */
  const across = (all) => all.reduce((sum, one) => sum + sizeOf(one)[1], 0);
  const lengths = shown.flatMap(({ sides }) => sides.map((side) => 12 + LETTERS * (side.textContent ?? "").length));
  const names = by * Math.min(NAMES_MOST, Math.max(NAMES_LEAST, ...lengths));
  const isNarrow = width < NARROW;
  const margin = isNarrow ? 10 : MARGIN;
  const beside = isNarrow || kind === "input" || !withPicture ? 0 : Math.max(PICTURE, Math.min(640, width * 0.37)) + 30;
  const lead = (isNarrow ? 4 : LEAD) * by;
  const head = HEAD * by;
  const room = Math.max(200, width - 2 * margin - beside);
  const [left, above, given, result] = [of("left"), [...of("above"), ...of("bias")], of("given"), of("result")];
  const [learned, under] = [of("learned"), of("under")];
  let columns = across(given) + across(left);
  let used = names + BETWEEN * (given.length + left.length);
  if (kind === "product") columns += Math.max(most(above, 1), most(result, 1));
  else columns += across(result);
  if (kind === "input" && isNarrow) {
    columns = Math.max(most(left, 1), most(learned, 1)); // below each other
    used = names;
  } else if (kind === "input") {
    columns += across(learned);
    used = names * left.length;
  }
  const rows = Math.max(most(left, 0), most(result, 0), most(given, 0), kind === "input" ? most(learned, 0) + (under.length && UNDER) : 0);
  const aboveRows = kind === "product" ? of("above").reduce((sum, one) => Math.max(sum, sizeOf(one)[0]), 0) + of("bias").length : 0;
  const signs = kind === "product" ? 0 : BETWEEN * result.length;
  used += TABLE * (shown.length - under.length) + (kind === "input" ? LEARNED_NAMES * learned.length : 0);
  const spaces = kind === "input" && !isNarrow ? left.length + learned.length : 0;
  const needsAll = room - used - signs - spaces * APART < columns * (SMALLEST_WIDE + GAP);
  const gap = needsAll ? NEAR : APART;
  used += spaces * gap;
  const wide = clamp((room - used - signs) / Math.max(1, columns) - GAP, isNarrow ? NARROW_WIDE : SMALLEST_WIDE, LARGEST_WIDE * by);
  const highest = (height > 700 ? LARGEST_HIGH : 50) * by;
  let high = (height - lead - head - FOOT) / Math.max(1, rows) - GAP;
  const needed = 26 * by + aboveRows * (Math.min(highest, high) + GAP);
  if (aboveRows && needed > lead) high = (height - 26 * by - head - FOOT - 12 * of("bias").length) / (rows + aboveRows) - GAP;
  const tall = clamp(high, isNarrow ? 22 : SMALLEST_HIGH, isNarrow ? 34 : highest);
  const longest = Math.max(3, ...shown.flatMap(({ cells }) => cells.flat().map((cell) => (cell.textContent ?? "").length)));
  const letters = clamp(Math.min(tall * 0.42, (wide - 5) / (LETTER * longest)), 10.5, 19 * by);
  const sizes = {
    "cell-wide": `${Math.floor(wide)}px`,
    "cell-high": `${Math.floor(tall)}px`,
    letters: `${letters.toFixed(1)}px`,
    names: `${names}px`,
    lead: `${lead}px`,
    beside: `${Math.floor(beside)}px`,
    gap: `${gap}px`,
  };
  return { sizes, room: room - used - signs - columns * ((isNarrow ? NARROW_WIDE : SMALLEST_WIDE) + GAP) };
}

/** @param {number} value @param {number} least @param {number} most */
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
