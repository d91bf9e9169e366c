// @ts-check
// A matrix as a small picture: one square for each number, or of a large one a dot for each block.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Rows } from "../message/numbers.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);

const HIGH = 49; // pixels
const WIDE = 49;
const LARGEST = 7; // of a square
const DOTS = 3; // dots along a square, of which the middle one says that the number changed
const MOST = 24; // squares along a side
// Above 0, below 0, shares of attention, yes and no: as the styles have them, and brighter on a dark page.
/** @type {Record<string, number[][]>} */
const BRIGHT = {
  signed: [
    [126, 166, 224],
    [222, 140, 92],
  ],
  share: [
    [160, 120, 222],
    [160, 120, 222],
  ],
  flag: [
    [150, 150, 150],
    [150, 150, 150],
  ],
};
/** @type {Record<string, number[][]>} */
const INKS = {
  signed: [
    [74, 109, 166],
    [176, 90, 31],
  ],
  share: [
    [107, 63, 184],
    [107, 63, 184],
  ],
  flag: [
    [128, 128, 128],
    [128, 128, 128],
  ],
};

/** @param {LabBench} bench @param {{ canvas: HTMLCanvasElement, row: HTMLElement }} made @param {StepOutline} step */
export function drawThumbnail(bench, { canvas, row }, step) {
  const key = keyOf(bench, step.id);
  const place = bench.outline.matrices.findIndex((matrix) => matrix.key === key);
  const matrix = bench.outline.matrices[place];
  if (!matrix) return;
  const isCovered = bench.guesses(matrix) !== null;
  const large = bench.data.large?.[key];
  const rows = large ? fromDots(large.dots, large.size) : shares(bench.data.values[place], bench.data.tops[matrix.kind] || 1);
  const [high, wide] = [rows.length, rows[0].length];
  const side = Math.min(LARGEST, HIGH / high, WIDE / wide);
  canvas.style.width = `${Math.max(8, side * wide)}px`;
  canvas.style.height = `${Math.max(8, side * high)}px`;
  const isOfWords = !large && ["token", "query"].includes(matrix.axes[0]);
  row.hidden = !isOfWords;
  if (isOfWords) {
    const focus = Math.min(bench.data.view.focus, high - 1);
    row.style.top = `${side * focus}px`;
    row.style.height = `${side}px`;
  }
  const changed = new Set(bench.changed.filter((change) => change.key === key).map(({ row: down, column }) => `${down} ${column}`));
  const isDark = bench.lab.film.isDark;
  const wanted = isCovered ? "?" : JSON.stringify([rows, [...changed], isDark]);
  if (canvas.dataset.of === wanted) return;
  canvas.dataset.of = wanted;
  paint(
    canvas,
    isCovered ? rows.map((line) => line.map(() => 0)) : rows,
    (isDark ? BRIGHT : INKS)[matrix.scale] ?? INKS.signed,
    changed,
    isDark,
  );
}

// Each number as a share of the largest; what is hidden is nothing.
/** @param {Rows} values @param {number} top */
const shares = (values, top) =>
  values.map((line) => line.map((value) => (value === null || Math.abs(value) > 1e8 ? 0 : Math.max(-1, Math.min(1, value / top)))));

/** @param {string} dots @param {number[]} size */
function fromDots(dots, [rows, columns]) {
  const bytes = Uint8Array.from(atob(dots), (letter) => letter.charCodeAt(0));
  const all = Array.from({ length: rows }, (_, row) =>
    Array.from(bytes.slice(row * columns, (row + 1) * columns), (byte) => (byte - 128) / 127),
  );
  return strongest(all).map(strongestOf);
}

// At most so many rows, each the strongest of those that it stands for.
/** @param {number[][]} rows */
function strongest(rows) {
  const each = Math.ceil(rows.length / MOST);
  if (each === 1) return rows;
  const found = [];
  for (let start = 0; start < rows.length; start += each) {
    const group = rows.slice(start, start + each);
    found.push(
      group[0].map((_, column) => group.reduce((best, line) => (Math.abs(line[column]) > Math.abs(best) ? line[column] : best), 0)),
    );
  }
  return found;
}

/** @param {number[]} line */
function strongestOf(line) {
  const each = Math.ceil(line.length / MOST);
  const found = [];
  for (let start = 0; start < line.length; start += each)
    found.push(line.slice(start, start + each).reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0));
  return found;
}

/** @param {HTMLCanvasElement} canvas @param {number[][]} rows @param {number[][]} inks @param {Set<string>} changed @param {boolean} isDark */
function paint(canvas, rows, [above, below], changed, isDark) {
  canvas.width = rows[0].length * DOTS;
  canvas.height = rows.length * DOTS;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  rows.forEach((line, row) =>
    line.forEach((share, column) => {
      const [red, green, blue] = share < 0 ? below : above;
      context.fillStyle = `rgba(${red},${green},${blue},${(0.92 * Math.abs(share)).toFixed(3)})`;
      context.fillRect(column * DOTS, row * DOTS, DOTS, DOTS);
      if (!changed.has(`${row} ${column}`)) return;
      context.fillStyle = isDark ? "rgb(232,232,230)" : "rgb(18,23,34)";
      context.fillRect(column * DOTS + 1, row * DOTS + 1, 1, 1);
    }),
  );
}
