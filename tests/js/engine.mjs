// The browser's engine in Node: each line of standard input is a request, each line of standard output its answer.
// tests/engine.py asks. Arrays are bytes of float64, so that every number arrives as it is, also -Infinity and NaN.

import { createInterface } from "node:readline";

import { explainCell, latexOf, textOf } from "../../static/engine/explain.js";
import { exactSum } from "../../static/engine/sums.js";
import { COMPUTE } from "../../static/engine/operations.js";
import { MOVES, oneStepBack } from "../../static/engine/origins.js";
import { EXPLAIN } from "../../static/engine/explain.js";
import { Trace, canCarryOut, carryOut, countProducts } from "../../static/engine/trace.js";

const unpacked = (text) => {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return new Float64Array(bytes.buffer);
};
const packed = (numbers) => Buffer.from(Float64Array.from(numbers).buffer).toString("base64");
const packedValue = (value) => packed(typeof value === "number" ? [value] : value);

const valuesOf = (lines, given) =>
  Object.fromEntries(lines.filter(({ name }) => name in given).map(({ name, op }) => {
    const numbers = unpacked(given[name]);
    return [name, op === "number" ? numbers[0] : numbers];
  }));

const told = (explanation) => ({
  text: textOf(explanation),
  latex: latexOf(explanation),
  numerals: [explanation.pieces, explanation.latexPieces].map((pieces) => pieces.map((piece) => typeof piece !== "string")),
  total: packed([explanation.total]),
  terms: packed(explanation.terms.map((term) => term.value)),
  operands: explanation.terms.map((term) => term.operands.map(({ step, index }) => [step, index])),
  values: packed(explanation.operands.map((operand) => operand.value)),
});

const requests = {
  operations: () => ({ computed: Object.keys(COMPUTE), explained: Object.keys({ ...EXPLAIN, ...MOVES }) }),
  decline: ({ lines }) => ({ can: canCarryOut(lines), products: countProducts(lines) }),
  sum: ({ numbers }) => packed([exactSum([...unpacked(numbers)])]),
  carryOut: ({ lines, given }) => {
    const trace = carryOut(lines, valuesOf(lines, given));
    return { failed: trace.failed, values: Object.fromEntries(lines.map(({ name }) => [name, packedValue(trace.values[name])])) };
  },
  explain: ({ lines, given, cells }) => {
    const trace = new Trace(lines, valuesOf(lines, given));
    return cells.map(([name, index, decimals]) => told(explainCell(trace, name, index, decimals)));
  },
  origins: ({ lines, given, cells }) => {
    const trace = new Trace(lines, valuesOf(lines, given));
    return cells.map(([name, index]) => oneStepBack(trace, name, index));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...details } = JSON.parse(line);
  let answer;
  try {
    answer = { answer: requests[ask](details) };
  } catch (error) {
    answer = { error: String(error.stack) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
