// @ts-check
// Where each number of a step that only moves numbers came from; attention_core/origins.py is the same in Python.
//
// A rule knows the step and its sources and gives a function: from the place of an element of the step, counted flat,
// to its place in the sources, which are numbered one after the other. Operations are computed by the same rules.

/** @import { PlanLine, Step, Trace } from "./trace.js" */

/** @typedef {{ axes: string[], shape: number[] }} Source */
/** @typedef {(flat: number) => number} Origin */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./places.js")} */
const { flatOf, indexOf, sizeOf, stridesOf } = await import(`./places.js${own}`);

// (..., tokens, heads*width) -> (..., heads, tokens, width)
/** @param {PlanLine} step @returns {Origin} */
function splitHeads({ shape }) {
  const [heads, tokens, width] = shape.slice(-3);
  return (flat) => {
    const [rows, feature] = [Math.floor(flat / width), flat % width];
    const [before, token] = [Math.floor(rows / tokens), rows % tokens];
    const [lead, head] = [Math.floor(before / heads), before % heads];
    return ((lead * tokens + token) * heads + head) * width + feature;
  };
}

// (..., heads, tokens, width) -> (..., tokens, heads*width): splitHeads undone.
/** @param {PlanLine} _ @param {Source[]} sources @returns {Origin} */
function mergeHeads(_, [{ shape }]) {
  const [heads, tokens, width] = shape.slice(-3);
  return (flat) => {
    const [before, feature] = [Math.floor(flat / width), flat % width];
    const [rows, head] = [Math.floor(before / heads), before % heads];
    const [lead, token] = [Math.floor(rows / tokens), rows % tokens];
    return ((lead * heads + head) * tokens + token) * width + feature;
  };
}

// Each head several times in a row, [h0, h0, h1, h1, ...].
/** @param {PlanLine} step @param {Source[]} sources @returns {Origin} */
function repeatHeads(step, [source]) {
  const times = step.shape[step.shape.length - 3] / source.shape[source.shape.length - 3];
  const block = sizeOf(source.shape.slice(-2));
  return (flat) => Math.floor(flat / block / times) * block + (flat % block);
}

// One after the other along the tokens.
/** @param {PlanLine} step @param {Source[]} sources @returns {Origin} */
function concatenate(step, [past, now]) {
  const [size, first, second] = [step, past, now].map(({ shape }) => sizeOf(shape.slice(-2)));
  const start = sizeOf(past.shape);
  return (flat) => {
    const [lead, rest] = [Math.floor(flat / size), flat % size];
    return rest < first ? lead * first + rest : start + lead * second + rest - first;
  };
}

// Other axes over the same numbers, as they lie.
/** @returns {Origin} */
const reshape = () => (flat) => flat;

// The axes in another order.
/** @param {PlanLine} step @param {Source[]} sources @returns {Origin} */
function transpose({ axes, shape }, [source]) {
  const before = stridesOf(source.shape);
  const strides = axes.map((axis) => before[source.axes.indexOf(axis)]);
  return (flat) => {
    let origin = 0;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      origin += (flat % shape[axis]) * strides[axis];
      flat = Math.floor(flat / shape[axis]);
    }
    return origin;
  };
}

// Q, K or V out of the first axis.
/** @param {number} part @returns {(step: PlanLine) => Origin} */
const pick = (part) => (step) => {
  const start = part * sizeOf(step.shape);
  return (flat) => start + flat;
};

// Q, K or V out of the channels of a head, which lie [q k v]; Q and K have as many of them, V the rest.
/** @param {number} part @returns {(step: PlanLine, sources: Source[]) => Origin} */
const cut = (part) => (step, [source]) => {
  const [, , channels, tokens] = step.shape;
  const first = [0, channels, source.shape[2] - channels][part];
  const [size, whole] = [channels * tokens, source.shape[2] * tokens];
  return (flat) => Math.floor(flat / size) * whole + first * tokens + (flat % size);
};

/** @type {Record<string, (step: PlanLine, sources: Source[]) => Origin>} */
export const MOVES = {
  split: splitHeads,
  merge: mergeHeads,
  repeat: repeatHeads,
  concat: concatenate,
  reshape,
  permute: transpose,
  ...Object.fromEntries([0, 1, 2].flatMap((part) => [[`pick_${part}`, pick(part)], [`cut_${part}`, cut(part)]])),
};

// Whether the step only moves numbers, so that each has an origin.
/** @param {PlanLine} step */
export const isMoved = (step) => Object.hasOwn(MOVES, step.op);

// Where an element of a step that only moves numbers stood in the step before it.
/** @param {Trace} trace @param {string} step @param {number[]} index @returns {{ step: string, index: number[] }} */
export function oneStepBack(trace, step, index) {
  const found = trace.step(step);
  const sources = movedInputs(found.inputs.map((name) => trace.step(name)));
  let origin = MOVES[found.op](found, sources)(flatOf(found.shape, index));
  for (const source of sources) {
    const size = sizeOf(source.shape);
    if (origin < size) return { step: source.name, index: indexOf(source.shape, origin) };
    origin -= size;
  }
  throw new Error(`${step} has no element at ${index}`);
}

// The inputs of a step whose numbers it moves: all but its settings.
/** @param {Step[]} inputs */
export const movedInputs = (inputs) => inputs.filter((input) => input.op !== "number");
