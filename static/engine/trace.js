// @ts-check
// The browser's own engine: a plan of attention_core carried out here, so that what a learner drags is computed while
// it moves. A Trace has what that of attention_core/trace.py has: every step, in order, with its numbers.
//
// Everything is computed in double precision, whatever the type of the arrays in Python.

/** @typedef {{ name: string, axes: string[], op: string, inputs: string[], shape: number[] }} PlanLine a step before it has numbers */
/** @typedef {Float64Array | number} Value flat in C order, booleans as 0 and 1; a plain number where the op is "number" */
/** @typedef {PlanLine & { value: Value }} Step */
/** @typedef {Record<string, ArrayLike<number> | number>} Given by name: inputs, parameters and settings */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./operations.js")} */
const { COMPUTE, numbersOf, summedAxes } = await import(`./operations.js${own}`);
/** @type {typeof import("./places.js")} */
const { flatOf, sizeOf } = await import(`./places.js${own}`);

// Multiplications of the largest computation that is done here: a few milliseconds.
export const MOST_PRODUCTS = 300000;
const GIVEN = ["input", "parameter", "number"]; // every other operation computes
const TAPS = 9; // of a 3x3 kernel

// Every intermediate of one computation.
export class Trace {
  /** @param {PlanLine[]} lines @param {Record<string, Value>} values */
  constructor(lines, values) {
    this.lines = lines;
    this.values = values;
    this.byName = new Map(lines.map((line) => [line.name, line]));
  }

  // The step of that name with its numbers.
  /** @param {string} name @returns {Step} */
  step(name) {
    const line = this.byName.get(name);
    if (!line) throw new Error(`no step is called ${name}: ${[...this.byName.keys()].join(", ")}`);
    return { ...line, value: this.values[name] };
  }

  // One number of a step.
  /** @param {string} name @param {number[]} index @returns {number} */
  at(name, index) {
    const { shape, value } = this.step(name);
    return typeof value === "number" ? value : value[flatOf(shape, index)];
  }

  // Whether a number is too large, or none: Python then says what is wrong, in a sentence.
  get failed() {
    return this.lines.some((line) => !GIVEN.includes(line.op) && !isSound(this, line));
  }
}

// Scores that are hidden may be -Infinity; every other number is finite. A variance needs squares that are, too.
/** @param {Trace} trace @param {PlanLine} line */
function isSound(trace, line) {
  const numbers = numbersOf(trace.step(line.name));
  if (line.op === "mask") return numbers.every((number) => number < Infinity);
  if (line.op !== "layer_norm") return numbers.every(Number.isFinite);
  const rows = numbersOf(trace.step(line.inputs[0]));
  return numbers.every(Number.isFinite) && Number.isFinite(rows.reduce((total, number) => total + number * number, 0));
}

// Whether a plan can be carried out here: each operation has its rule, and there is not too much to do.
/** @param {PlanLine[]} lines */
export function canCarryOut(lines) {
  const known = lines.every(({ op }) => GIVEN.includes(op) || Object.hasOwn(COMPUTE, op));
  return known && countProducts(lines) <= MOST_PRODUCTS;
}

// Multiplications of all steps, or their numbers, where nothing is multiplied.
/** @param {PlanLine[]} lines */
export function countProducts(lines) {
  const byName = new Map(lines.map((line) => [line.name, line]));
  /** @param {PlanLine} line */
  const terms = (line) => {
    if (line.op === "depthwise") return TAPS;
    if (line.op !== "contract") return 1;
    const operands = line.inputs.slice(0, 2).flatMap((name) => byName.get(name) ?? []);
    return sizeOf(summedAxes(line, operands).sizes);
  };
  return lines.reduce((total, line) => total + (GIVEN.includes(line.op) ? 0 : sizeOf(line.shape) * terms(line)), 0);
}

// The plan with its numbers: what is given is taken, every other step computed from those before it.
/** @param {PlanLine[]} lines @param {Given} given @returns {Trace} */
export function carryOut(lines, given) {
  const trace = new Trace(lines, {});
  for (const line of lines) {
    const inputs = line.inputs.map((name) => trace.step(name));
    trace.values[line.name] = GIVEN.includes(line.op) ? taken(line, given[line.name]) : COMPUTE[line.op](line, inputs);
  }
  return trace;
}

/** @param {PlanLine} line @param {ArrayLike<number> | number | undefined} value @returns {Value} */
function taken({ name, op, shape }, value) {
  if (op === "number" && typeof value === "number") return value;
  const numbers = Float64Array.from(/** @type {ArrayLike<number>} */ (value ?? []));
  if (op === "number" || value === undefined || numbers.length !== sizeOf(shape))
    throw new Error(`${name} needs ${op === "number" ? "a number" : `${sizeOf(shape)} numbers`}`);
  return numbers;
}
