// What the browser's engine is asked by tests/test_engine.py, in Node (engine.mjs) and once in a browser.
// Arrays are bytes of float64, so that every number arrives as it is, also -Infinity and NaN.

import { EXPLAIN, explainCell, latexOf, textOf } from "../../static/engine/explain.js";
import { COMPUTE } from "../../static/engine/operations.js";
import { MOVES } from "../../static/engine/origins.js";
import { exactSum } from "../../static/engine/sums.js";
import { Trace, canCarryOut, carryOut } from "../../static/engine/trace.js";

function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

function packed(value) {
  const bytes = new Uint8Array(Float64Array.from(typeof value === "number" ? [value] : value).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

const valuesOf = (lines, given) =>
  Object.fromEntries(lines.filter(({ name }) => name in given).map(({ name, op }) => {
    const numbers = unpacked(given[name]);
    return [name, op === "number" ? numbers[0] : numbers];
  }));

const packedSteps = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, packed(value)]));

const told = (explanation) => ({
  text: textOf(explanation),
  latex: latexOf(explanation),
  numerals: [explanation.pieces, explanation.latexPieces].map((pieces) => pieces.map((piece) => typeof piece !== "string")),
  total: packed(explanation.total),
  terms: packed(explanation.terms.map((term) => term.value)),
  operands: explanation.terms.map((term) => term.operands.map(({ step, index }) => [step, index])),
  values: packed(explanation.operands.map((operand) => operand.value)),
});

const REQUESTS = {
  operations: () => ({ computed: Object.keys(COMPUTE), explained: Object.keys({ ...EXPLAIN, ...MOVES }) }),
  canCarryOut: ({ lines }) => canCarryOut(lines),
  sums: ({ lists }) => packed(lists.map((numbers) => exactSum([...unpacked(numbers)]))),
  // Everything, from what was given.
  carryOut: ({ lines, given }) => {
    const trace = carryOut(lines, valuesOf(lines, given));
    return { failed: trace.failed, values: packedSteps(trace.values) };
  },
  // Each step from the numbers that it was told its inputs have.
  eachStep: ({ lines, values }) => {
    const trace = new Trace(lines, valuesOf(lines, values));
    const computed = lines.filter(({ op }) => Object.hasOwn(COMPUTE, op));
    const steps = computed.map((line) => [line.name, COMPUTE[line.op](line, line.inputs.map((name) => trace.step(name)))]);
    return packedSteps(Object.fromEntries(steps));
  },
  explain: ({ lines, values, cells }) => {
    const trace = new Trace(lines, valuesOf(lines, values));
    return cells.map(([name, index, decimals]) => told(explainCell(trace, name, index, decimals)));
  },
};

// The answer to a request, or the error that it ended in.
export function answered({ ask, ...details }) {
  try {
    return { answer: REQUESTS[ask](details) };
  } catch (error) {
    return { error: String(error.stack) };
  }
}
