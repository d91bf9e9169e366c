// @ts-check
// What each operation of a plan computes, one short rule for each. An array is flat, in C order; its axes have names.
//
// A rule gets the step that is to be computed (its axes and shape) and the inputs with their numbers.

/** @import { PlanLine, Step } from "./trace.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./origins.js")} */
const { MOVES, movedInputs } = await import(`./origins.js${own}`);
/** @type {typeof import("./places.js")} */
const { placesIn, sizeOf } = await import(`./places.js${own}`);

/** @typedef {(step: PlanLine, inputs: Step[]) => Float64Array} Rule */

/** @param {Step} step */
export const numbersOf = (step) => /** @type {Float64Array} */ (step.value);
/** @param {Step} step */
export const numberOf = (step) => /** @type {number} */ (step.value);

/** @param {PlanLine} step */
const empty = (step) => new Float64Array(sizeOf(step.shape));

// The input of that name, or undefined where an option left it out.
/** @param {Step[]} inputs @param {string} name */
const named = (inputs, name) => inputs.find((input) => input.name === name);

// The axes of the operands that the result does not have, in order, and their sizes.
/** @param {PlanLine} step @param {PlanLine[]} operands */
export function summedAxes(step, operands) {
  const sizes = new Map();
  for (const { axes, shape } of operands)
    axes.forEach((axis, place) => step.axes.includes(axis) || sizes.set(axis, Math.max(shape[place], sizes.get(axis) ?? 0)));
  return { axes: /** @type {string[]} */ ([...sizes.keys()]), sizes: /** @type {number[]} */ ([...sizes.values()]) };
}

// The products of two arrays over their named axes, added up over every axis the result does not have; plus a bias.
/** @type {Rule} */
function contract(step, [a, b, bias]) {
  const summed = summedAxes(step, [a, b]);
  const [fromA, fromB] = [a, b].map((one) => placesIn(one, step.axes, step.shape));
  const [alongA, alongB] = [a, b].map((one) => placesIn(one, summed.axes, summed.sizes));
  const [left, right, found] = [numbersOf(a), numbersOf(b), empty(step)];
  for (let place = 0; place < found.length; place += 1) {
    let total = 0;
    for (let term = 0; term < alongA.length; term += 1) total += left[fromA[place] + alongA[term]] * right[fromB[place] + alongB[term]];
    found[place] = total;
  }
  return bias ? combine(step, [{ ...step, value: found }, bias], (one, other) => one + other) : found;
}

// A function of the elements of arrays that stand at the same place.
/** @param {PlanLine} step @param {Step[]} arrays @param {(one: number, other: number) => number} compute */
function combine(step, [one, other], compute) {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const places = placesIn(other, step.axes, step.shape);
  return left.map((value, place) => compute(value, right[places[place]]));
}

/** @type {Rule} */
const scale = (_, [scores, by]) => numbersOf(scores).map((score) => score * numberOf(by));

/** @type {Rule} */
function softcap(_, [scores, given]) {
  const cap = numberOf(given);
  return numbersOf(scores).map((score) => cap * Math.tanh(score / cap));
}

// Scores plus the float mask, and masked_fill where the boolean mask hides the key.
/** @type {Rule} */
function mask(step, [scores, ...masks]) {
  const [added, visible, fill] = ["attn_mask", "visible", "masked_fill"].map((name) => named(masks, name));
  const sums = added ? combine(step, [scores, added], (score, more) => score + more) : numbersOf(scores).slice();
  if (!visible || !fill) return sums;
  return combine(step, [{ ...scores, value: sums }, visible], (score, seen) => (seen ? score : numberOf(fill)));
}

// Along the last axis; a row that is -Infinity throughout has nothing to look at, and its shares are 0.
/** @type {Rule} */
function softmax(step, [scores]) {
  const shares = numbersOf(scores).slice();
  forEachRow(step, shares, (row) => {
    let highest = -Infinity;
    for (let key = 0; key < row.length; key += 1) highest = Math.max(highest, row[key]);
    if (highest === -Infinity) highest = 0;
    let total = 0;
    for (let key = 0; key < row.length; key += 1) total += row[key] = Math.exp(row[key] - highest); // at most e^0 = 1
    for (let key = 0; key < row.length; key += 1) row[key] /= total === 0 ? 1 : total;
  });
  return shares;
}

/** @type {Rule} */
function dropout(step, [weights, keep, given]) {
  const p = numberOf(given);
  return combine(step, [weights, keep], (weight, kept) => (weight * kept) / (1 - p));
}

/** @type {Rule} */
const add = (step, inputs) => combine(step, inputs, (one, other) => one + other);

// Each row shifted to mean 0 and scaled to variance 1, then times gamma plus beta.
/** @type {Rule} */
function layerNorm(step, [rows, ...given]) {
  const [gamma, beta] = ["gamma", "beta"].map((name) => named(given, name)).map((one) => one && numbersOf(one));
  const eps = numberOf(given[given.length - 1]);
  const found = numbersOf(rows).slice();
  forEachRow(step, found, (row) => {
    const mean = sum(row) / row.length;
    for (let place = 0; place < row.length; place += 1) row[place] -= mean;
    const root = Math.sqrt(sum(row.map((value) => value * value)) / row.length + eps);
    for (let place = 0; place < row.length; place += 1) row[place] = (row[place] / root) * (gamma?.[place] ?? 1) + (beta?.[place] ?? 0);
  });
  return found;
}

// Each channel with its own 3x3 kernel, zeros around the edge.
/** @type {Rule} */
function depthwise(step, [image, weight, bias]) {
  const [, channels, height, width] = step.shape;
  const [pixels, kernels, found] = [numbersOf(image), numbersOf(weight), empty(step)];
  for (let place = 0; place < found.length; place += 1) {
    const [column, row] = [place % width, Math.floor(place / width) % height];
    const channel = Math.floor(place / width / height) % channels;
    for (const { down, right, row: i, column: j } of neighbours(row, column, height, width))
      found[place] += kernels[(channel * 3 + down) * 3 + right] * pixels[place + (i - row) * width + (j - column)];
  }
  return bias ? combine(step, [{ ...step, value: found }, bias], (one, other) => one + other) : found;
}

// The places in the kernel and in the image that meet where the kernel lies on a pixel; outside the image is 0.
/** @param {number} row @param {number} column @param {number} height @param {number} width */
export function neighbours(row, column, height, width) {
  const places = [0, 1, 2].flatMap((down) => [0, 1, 2].map((right) => ({ down, right, row: row + down - 1, column: column + right - 1 })));
  return places.filter((place) => place.row >= 0 && place.row < height && place.column >= 0 && place.column < width);
}

// The numbers of a step that moves them, each from its origin.
/** @type {Rule} */
function move(step, inputs) {
  const sources = movedInputs(inputs);
  const origin = MOVES[step.op](step, sources);
  const numbers = sources.length === 1 ? numbersOf(sources[0]) : Float64Array.from(sources.flatMap((source) => [...numbersOf(source)]));
  const found = empty(step);
  for (let place = 0; place < found.length; place += 1) found[place] = numbers[origin(place)];
  return found;
}

// Rows are along the last axis; each is a view, so that what is written into it is written into `numbers`.
/** @param {PlanLine} step @param {Float64Array} numbers @param {(row: Float64Array) => void} change */
function forEachRow({ shape }, numbers, change) {
  const width = shape[shape.length - 1];
  for (let start = 0; start < numbers.length; start += width) change(numbers.subarray(start, start + width));
}

/** @param {Float64Array} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @type {Record<string, Rule>} */
export const COMPUTE = {
  contract,
  scale,
  softcap,
  mask,
  softmax,
  dropout,
  add,
  layer_norm: layerNorm,
  depthwise,
  ...Object.fromEntries(Object.keys(MOVES).map((op) => [op, move])),
};
