// @ts-check
// Which matrices of a computation the board shows, what is written in them and which cells are marked, with the names of
// ui/board/matrices.py and in its order: the browser does the same for small computations, in the frame of a key press.

/** @import { View } from "../message/message.js" */
/** @import { Explanation, Operand } from "../engine/explain.js" */
/** @import { Step, Trace } from "../engine/trace.js" */
/** @import { Rows } from "../message/numbers.js" */

/** @typedef {{ heads: number, head: number, batch: number, all: boolean }} Shown which slice of the arrays is seen */
/** @typedef {[number, number, string]} Mark row, column, and what it is */

/**
 * One matrix out of a step: the index in front of it; its last `flat` axes lie flat as columns.
 * @typedef {object} Matrix
 * @property {string} key
 * @property {Step} step
 * @property {Float64Array} numbers of the step
 * @property {number[]} front
 * @property {number} flat
 * @property {number} start of its numbers in those of the step
 * @property {number} rows
 * @property {number} columns
 */

const HIDDEN = -1e8; // scores below were pushed out of sight by a mask and do not count for the shades
const DIGITS = 7; // of a number that is sent
/** @type {Record<string, string>} */
const KINDS = { x: "input", memory: "input", memory_values: "input", attn_mask: "score", scores: "score", scaled: "score" };
Object.assign(KINDS, { softcapped: "score", masked: "score", weights: "share", dropped: "share", visible: "flag", keep: "flag" });
const FLAT = [["height", "width"], ["kernel_row", "kernel_column"], ["part", "head", "head_feature"], ["head", "part", "head_feature"]];

/** @param {number[]} shape */
const sizeOf = (shape) => shape.reduce((size, one) => size * one, 1);

// Which batch item and head the board shows.
/** @param {View} view @param {Trace} trace @returns {Shown} */
export function shownPlaces(view, trace) {
  const [batches, heads] = [1, 1, ...trace.step("weights").shape].slice(-4, -2);
  return { heads, head: Math.min(view.head, heads - 1), batch: Math.min(view.batch, batches - 1), all: view.all };
}

// Where along a leading axis: the head and batch item shown, the key/value head they share.
/** @param {Shown} shown @param {string} axis @param {number} size */
function placeAlong(shown, axis, size) {
  if (axis === "kv_head") return Math.floor((shown.head * size) / shown.heads);
  const place = axis === "head" ? shown.head : axis === "batch" ? shown.batch : 0;
  return Math.min(place, size - 1);
}

// How many of the last axes lie flat as columns.
/** @param {string[]} axes */
export function flatAxes(axes) {
  const found = FLAT.find((flat) => axes.length > flat.length && flat.every((axis, place) => axes[axes.length - flat.length + place] === axis));
  return found?.length ?? 1;
}

// The matrices of a step that are shown: one, or one for each head and each part of Q, K and V.
/** @param {Step} step @param {Shown} shown @returns {Matrix[]} */
export function matricesOf(step, shown) {
  const { axes, shape } = step;
  const numbers = typeof step.value === "number" ? Float64Array.of(step.value) : step.value;
  const flat = flatAxes(axes);
  const inFront = Math.max(0, shape.length - 1 - flat);
  /** @type {number[][]} */
  let fronts = [[]];
  for (let axis = 0; axis < inFront; axis += 1) {
    const every = axes[axis] === "part" || (shown.all && (axes[axis] === "head" || axes[axis] === "kv_head"));
    const places = every ? Array.from({ length: shape[axis] }, (_, place) => place) : [placeAlong(shown, axes[axis], shape[axis])];
    fronts = fronts.flatMap((front) => places.map((place) => [...front, place]));
  }
  const columns = sizeOf(shape.slice(-flat));
  const rows = shape.length > flat ? shape[shape.length - flat - 1] : 1;
  return fronts.map((front, number) => ({
    ...{ key: fronts.length === 1 ? step.name : `${step.name}.${number}`, step, numbers, front, flat, rows, columns },
    start: front.reduce((place, at, axis) => place * shape[axis] + at, 0) * rows * columns,
  }));
}

// The full index of a cell.
/** @param {Matrix} matrix @param {number} row @param {number} column */
export function indexOf({ step: { shape }, front, flat }, row, column) {
  if (shape.length === 1) return [column];
  /** @type {number[]} */
  const last = [];
  for (const size of shape.slice(-flat).reverse()) {
    last.unshift(column % size);
    column = Math.floor(column / size);
  }
  return [...front, row, ...last];
}

// The row and the column of a full index; null where it is in another slice.
/** @param {Pick<Matrix, "step" | "front" | "flat">} matrix @param {number[]} index @returns {[number, number] | null} */
export function cellAt({ step: { shape }, front, flat }, index) {
  if (!front.every((place, axis) => place === index[axis])) return null;
  if (shape.length === 1) return [0, index[0]];
  const column = index.slice(-flat).reduce((place, at, axis) => place * shape[shape.length - flat + axis] + at, 0);
  return [index[index.length - flat - 1], column];
}

/** @param {Matrix} matrix @param {(value: number, row: number, column: number) => void} visit */
function each({ numbers, start, rows, columns }, visit) {
  for (let place = 0; place < rows * columns; place += 1) visit(numbers[start + place], Math.floor(place / columns), place % columns);
}

/** @param {string} name */
export const kindOf = (name) => (/^[wb]_|^gamma$|^beta$/.test(name) ? "parameter" : KINDS[name] ?? "result");

// A number as it is sent: null is −∞.
/** @param {number} value */
export function numberOf(value) {
  if (value === -Infinity) return null;
  return (Number.isInteger(value) && Math.abs(value) < 1e7 ? value : Number(value.toPrecision(DIGITS))) + 0;
}

/** @param {Matrix} matrix @returns {Rows} */
export function written({ numbers, start, rows, columns }) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) => numberOf(numbers[start + row * columns + column])),
  );
}

// For every kind the largest size of a number, at which its shade is full; shares are shaded from 0 to 1.
/** @param {Matrix[]} drawn */
export function topsOf(drawn) {
  /** @type {Record<string, number>} */
  const tops = { flag: 1 };
  for (const matrix of drawn) {
    const kind = kindOf(matrix.step.name);
    if (kind === "flag") continue;
    if (kind === "share") {
      tops[kind] = 1;
      continue;
    }
    let top = tops[kind] ?? 0;
    each(matrix, (value) => {
      if (kind !== "score" || (Number.isFinite(value) && value > HIDDEN)) top = Math.max(top, Math.abs(value));
    });
    tops[kind] = top;
  }
  return Object.fromEntries(Object.entries(tops).map(([kind, top]) => [kind, numberOf(top) || 1]));
}

// Cells that the mask hides, in the steps that the mask has reached.
/** @param {Trace} trace @param {Matrix} matrix @returns {Array<[number, number]>} */
export function hiddenCells(trace, matrix) {
  /** @type {Array<[number, number]>} */
  const found = [];
  if (!["masked", "weights", "dropped"].includes(matrix.step.name) || !trace.byName.has("masked")) return found;
  const masks = ["visible", "attn_mask"].filter((name) => trace.byName.has(name)).map((name) => trace.step(name));
  each(matrix, (_, row, column) => {
    const index = indexOf(matrix, row, column);
    const hides = masks.some((mask) => {
      const value = /** @type {Float64Array} */ (mask.value)[broadcast(mask.shape, index)];
      return mask.name === "visible" ? !value : value === -Infinity;
    });
    if (hides) found.push([row, column]);
  });
  return found;
}

// Where the number for an index stands in an array that may have fewer axes, or 1 along some.
/** @param {number[]} shape @param {number[]} index */
const broadcast = (shape, index) =>
  shape.reduce((place, size, axis) => place * size + (size === 1 ? 0 : index[index.length - shape.length + axis]), 0);

// The chosen cell and the cells its number comes from, by the key of their matrix.
/** @param {Explanation[]} lines @param {Matrix[]} drawn @param {(operand: Operand) => Operand} onBoard */
export function litCells(lines, drawn, onBoard) {
  const sources = lines.flatMap((line) => line.operands).map(onBoard).filter(({ index }) => index.length);
  /** @type {Array<{ step: string, index: number[], mark: string }>} */
  const places = sources.map(({ step, index }) => ({ step, index, mark: "source" }));
  for (const { step, index } of lines.slice(0, 1)) places.push({ step, index, mark: "chosen" });
  /** @type {Record<string, Mark[]>} */
  const lit = {};
  for (const { step, index, mark } of places) {
    for (const matrix of drawn) {
      const cell = matrix.step.name === step ? cellAt(matrix, index) : null;
      if (cell) (lit[matrix.key] ??= []).push([...cell, mark]);
    }
  }
  return lit;
}

// Whether the word in focus has its row in the matrices of a step.
/** @param {{ axes: string[] }} step */
export function isOfWords({ axes }) {
  const rows = axes[axes.length - flatAxes(axes) - 1];
  return rows === "token" || rows === "query";
}

// The view in which a cell is seen and chosen, from its full index.
/** @param {Trace} trace @param {string} name @param {number[]} index @returns {Partial<View>} */
export function placeOf(trace, name, index) {
  const step = trace.step(name);
  const flat = flatAxes(step.axes);
  const inFront = Math.max(0, step.shape.length - 1 - flat);
  /** @type {Record<string, number>} */
  const front = Object.fromEntries(step.axes.slice(0, inFront).map((axis, place) => [axis, index[place]]));
  /** @type {Partial<View>} */
  const view = {};
  if ("batch" in front) view.batch = front.batch;
  if ("head" in front) view.head = front.head;
  if ("kv_head" in front) {
    const heads = /** @type {number} */ (trace.step("weights").shape.at(-3));
    view.head = Math.floor((front.kv_head * heads) / step.shape[step.axes.indexOf("kv_head")]);
  }
  const [row, column] = cellAt({ step, front: [], flat }, index) ?? [0, 0];
  if (isOfWords(step)) view.focus = row;
  view.cell = [name, row, column, ...("part" in front ? [front.part] : [])];
  return view;
}

// The matrix of the chosen cell in the head and batch item shown, if it is there and has that cell.
/** @param {View} view @param {Trace} trace @param {Iterable<string>} names @param {Shown} shown */
export function chosenMatrix(view, trace, names, shown) {
  const [name, row, column, part = 0] = /** @type {[string, number, number, number?]} */ (view.cell);
  if (name === undefined || ![...names].includes(name)) return null;
  const found = matricesOf(trace.step(name), { ...shown, all: false });
  const matrix = found[Math.min(part, found.length - 1)];
  return row < matrix.rows && column < matrix.columns ? matrix : null;
}
