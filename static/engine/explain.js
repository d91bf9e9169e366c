// @ts-check
// The arithmetic behind one number: operands, terms, total, as values, as text and as LaTeX.
// attention_core/explain.py is the same in Python, with the same names in the same order.
//
// A line is true when it is computed again from what is printed: it begins with as many decimals as are asked for, and
// takes more where they are needed.

/** @import { Expression, Pieces } from "./expressions.js" */
/** @import { Settled } from "./settle.js" */
/** @import { Step, Trace } from "./trace.js" */

/** @typedef {{ step: string, index: number[], value: number }} Operand a number and where it stands */
/** @typedef {{ value: number, operands: Operand[] }} Term a number and what it was made of */

/**
 * Terms, total, the line in symbols, and how it is settled for a number of decimals. `latex` is the right side of a
 * line without numbers: a name.
 * @typedef {{ terms: Term[], total: number, symbols?: string, settle?: (decimals: number) => Settled, latex?: string }} Arithmetic
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./expressions.js")} */
const expressions = await import(`./expressions.js${own}`);
const { Difference, LONGEST, Product, Quotient, Root, Sum, Tanh, Written, plainLatex } = expressions;
/** @type {typeof import("./operations.js")} */
const { neighbours, summedAxes } = await import(`./operations.js${own}`);
/** @type {typeof import("./origins.js")} */
const { isMoved, oneStepBack } = await import(`./origins.js${own}`);
/** @type {typeof import("./places.js")} */
const { indexOf, sizeOf } = await import(`./places.js${own}`);
/** @type {typeof import("./printing.js")} */
const { Printing } = await import(`./printing.js${own}`);
/** @type {typeof import("./settle.js")} */
const { settle, settleShares } = await import(`./settle.js${own}`);
/** @type {typeof import("./sums.js")} */
const { exactSum } = await import(`./sums.js${own}`);

const PLAIN_EXPONENT = 20; // scores up to here are written e^score, larger ones e^(score - highest)

// Why `step[index]` is `total`: `terms` hold the products or exponentials. `pieces` and `latexPieces` are the line in
// parts, numbers among them apart; they are made when they are asked for.
export class Explanation {
  /** @type {Settled | undefined} */ #settled;

  /** @param {string} step @param {number[]} index @param {number} decimals @param {Arithmetic} arithmetic */
  constructor(step, index, decimals, arithmetic) {
    this.step = step;
    this.index = index;
    this.decimals = decimals;
    this.arithmetic = arithmetic;
    this.terms = arithmetic.terms;
    this.total = arithmetic.total;
  }

  get operands() {
    return this.terms.flatMap((term) => term.operands);
  }

  get settled() {
    this.#settled ??= this.arithmetic.settle?.(this.decimals) ?? { members: [], total: new Printing(this.decimals) };
    return this.#settled;
  }

  get pieces() {
    const { members, total } = this.settled;
    const numbers = members.map(([member, digits]) => member.pieces(digits));
    const name = cellName(this.step, this.index);
    return inALine([[name], [this.arithmetic.symbols ?? ""], ...numbers, [{ numeral: total.text(this.total) }]]);
  }

  get latexPieces() {
    const { members, total } = this.settled;
    const numbers = members.map(([member, digits]) => member.latex(digits));
    const name = latexName(this.step, this.index);
    return inALine([[name], [this.arithmetic.latex ?? ""], ...numbers, [{ numeral: total.text(this.total) }]]);
  }
}

/** @param {Explanation} explanation */
export const textOf = (explanation) => expressions.textOf(explanation.pieces);
/** @param {Explanation} explanation */
export const latexOf = (explanation) => plainLatex(explanation.latexPieces);

// The terms behind one number; the line has so many decimals, or as many as make it true.
/** @param {Trace} trace @param {string} name @param {number[]} index @param {number} [decimals] */
export function explainCell(trace, name, index, decimals = 4) {
  const step = trace.step(name);
  if (index.length !== step.shape.length || !index.every((place, axis) => place >= 0 && place < step.shape[axis]))
    throw new Error(`${index} is not an index of ${name}, which has shape ${step.shape}`);
  const explain = isMoved(step) ? explainMoved : EXPLAIN[step.op] ?? explainGiven;
  return new Explanation(name, index, decimals, explain(trace, step, index));
}

// A number of a step as it is called: scores[0, 1].
/** @param {string} step @param {number[]} index */
export const cellName = (step, index) => (index.length ? `${step}[${index.join(", ")}]` : step);

/** @param {string} name @param {number[]} index */
const latexName = (name, index) => `\\mathrm{${name.replaceAll("_", "\\_")}}${index.length ? `_{${index.join(",")}}` : ""}`;

// The parts with = between them; what is empty or was there before is left out.
/** @param {Pieces[]} parts */
function inALine(parts) {
  /** @type {Map<string, Pieces>} */
  const different = new Map();
  for (const part of parts) {
    const text = expressions.textOf(part);
    if (text && !different.has(text)) different.set(text, part);
  }
  return [...different.values()].flatMap((part, place) => (place ? [" = ", ...part] : part));
}

// Symbols with plus signs between, the middle left out when there are many.
/** @param {string[]} parts */
const added = (parts) => (parts.length > LONGEST ? [...parts.slice(0, LONGEST - 2), "\u2026", ...parts.slice(-1)] : parts).join(" + ");

/** @param {Trace} trace @param {string} step @param {number[]} index @returns {Operand} */
const cell = (trace, step, index) => ({ step, index, value: trace.at(step, index) });

/** @param {Operand[]} operands @returns {Term} */
const productOf = (...operands) => ({ value: operands.reduce((product, { value }) => product * value, 1), operands });

/** @param {Operand} operand */
const written = ({ step, index }) => cellName(step, index);
/** @param {Operand} operand */
const numberOf = ({ value }) => new Written(value);

/** @param {Term[]} terms @returns {Arithmetic} */
function sumOfProducts(terms) {
  const symbols = terms.map(({ operands }) => operands.map(written).join("\u00B7"));
  const [first] = terms;
  if (terms.length === 1 && first.operands.length === 1) {
    const [{ step, index }] = first.operands;
    return { terms, total: first.value, symbols: symbols[0], latex: latexName(step, index) };
  }
  const parts = terms.map(({ operands }) => (operands.length === 1 ? numberOf(operands[0]) : new Product(operands.map(numberOf))));
  const total = exactSum(valuesOf(terms));
  return { terms, total, symbols: added(symbols), settle: settle(parts.length > 1 ? new Sum(parts) : parts[0], total) };
}

/** @typedef {(trace: Trace, step: Step, at: number[]) => Arithmetic} Explain */

/** @type {Explain} */
const explainGiven = (trace, step, at) => ({ terms: [], total: trace.at(step.name, at) });

/** @type {Explain} */
function explainMoved(trace, step, at) {
  const origin = oneStepBack(trace, step.name, at);
  return sumOfProducts([productOf(cell(trace, origin.step, origin.index))]);
}

/** @type {Explain} */
function explainContraction(trace, step, at) {
  const [a, b, ...bias] = step.inputs.map((name) => trace.step(name));
  const summed = summedAxes(step, [a, b]);
  const axes = [...step.axes, ...summed.axes];
  /** @type {Term[]} */
  const terms = [];
  for (let place = 0; place < sizeOf(summed.sizes); place += 1) {
    const here = [...at, ...indexOf(summed.sizes, place)];
    terms.push(productOf(...[a, b].map((one) => cell(trace, one.name, one.axes.map((axis) => here[axes.indexOf(axis)])))));
  }
  for (const given of bias) terms.push(productOf(cell(trace, given.name, given.axes.map((axis) => at[step.axes.indexOf(axis)]))));
  return sumOfProducts(terms);
}

/** @type {Explain} */
const explainScale = (trace, step, at) => sumOfProducts([productOf(cell(trace, step.inputs[0], at), cell(trace, step.inputs[1], []))]);

/** @type {Explain} */
function explainSoftcap(trace, step, at) {
  const [score, cap] = [cell(trace, step.inputs[0], at), cell(trace, step.inputs[1], [])];
  const total = cap.value * Math.tanh(score.value / cap.value);
  const line = new Product([numberOf(cap), new Tanh(new Quotient(numberOf(score), numberOf(cap)))]);
  const symbols = `softcap\u00B7tanh(${written(score)} / softcap)`;
  return { terms: [{ value: total, operands: [score, cap] }], total, symbols, settle: settle(line, total) };
}

/** @type {Explain} */
function explainMask(trace, step, at) {
  /** @param {string} name */
  const broadcast = (name) => {
    const { shape } = trace.step(name);
    const last = at.slice(at.length - shape.length);
    return cell(trace, name, shape.map((size, axis) => (size === 1 ? 0 : last[axis])));
  };
  if (step.inputs.includes("visible")) {
    const [seen, fill] = [broadcast("visible"), cell(trace, "masked_fill", [])];
    const symbols = `masked_fill (${written(seen)} = False)`;
    if (!seen.value) return { terms: [{ value: fill.value, operands: [fill, seen] }], total: fill.value, symbols };
  }
  const operands = [cell(trace, step.inputs[0], at)];
  if (step.inputs.includes("attn_mask")) operands.push(broadcast("attn_mask"));
  return sumOfProducts(operands.map((one) => productOf(one)));
}

/** @type {Explain} */
function explainSoftmax(trace, step, at) {
  const [lead, place] = [at.slice(0, -1), at[at.length - 1]];
  const row = Array.from({ length: step.shape[lead.length] }, (_, key) => cell(trace, step.inputs[0], [...lead, key]));
  const highest = Math.max(...valuesOf(row));
  if (highest === -Infinity) {
    const ends = [...new Set([written(row[0]), written(row[row.length - 1])])].join(", \u2026, "); // nothing to look at
    return { terms: row.map((operand) => ({ value: 0, operands: [operand] })), total: 0, symbols: `0 (${ends} = \u2212\u221E)` };
  }
  const lowest = Math.min(...valuesOf(row).filter((value) => value > -Infinity));
  const shifted = Math.max(highest, -lowest) > PLAIN_EXPONENT;
  const exponents = row.map(({ value }) => (shifted ? value - highest : value));
  const terms = row.map((operand, key) => ({ value: Math.exp(exponents[key]), operands: [operand] }));
  const total = terms[place].value / exactSum(valuesOf(terms));
  const powers = row.map((operand) => (shifted ? `e^(${written(operand)} \u2212 max)` : `e^${written(operand)}`));
  return { terms, total, symbols: `${powers[place]} / (${added(powers)})`, settle: settleShares(exponents, valuesOf(terms), place, total) };
}

/** @type {Explain} */
function explainDropout(trace, step, at) {
  const [weight, kept, given] = [cell(trace, step.inputs[0], at), cell(trace, step.inputs[1], at), cell(trace, step.inputs[2], [])];
  if (!kept.value) return { terms: [{ value: 0, operands: [weight, kept] }], total: 0, symbols: `0 (${written(kept)} = False)` };
  const total = weight.value / (1 - given.value);
  const line = new Quotient(numberOf(weight), new Written(1 - given.value));
  const symbols = `${written(weight)} / (1 \u2212 dropout_p)`;
  return { terms: [{ value: total, operands: [weight, kept, given] }], total, symbols, settle: settle(line, total) };
}

/** @type {Explain} */
const explainAdd = (trace, step, at) => sumOfProducts(step.inputs.map((name) => productOf(cell(trace, name, at))));

/** @type {Explain} */
function explainLayerNorm(trace, step, at) {
  const [lead, place] = [at.slice(0, -1), at[at.length - 1]];
  const row = Array.from({ length: step.shape[lead.length] }, (_, feature) => cell(trace, step.inputs[0], [...lead, feature]));
  const mean = exactSum(valuesOf(row)) / row.length;
  const variance = exactSum(row.map(({ value }) => (value - mean) * (value - mean))) / row.length;
  const eps = cell(trace, "eps", []);
  const [gamma, beta] = ["gamma", "beta"].map((name) => (step.inputs.includes(name) ? cell(trace, name, [place]) : null));
  const here = row[place];
  const normal = (here.value - mean) / Math.sqrt(variance + eps.value);
  const terms = [{ value: gamma ? normal * gamma.value : normal, operands: [...row, eps, ...(gamma ? [gamma] : [])] }];
  if (beta) terms.push(productOf(beta));
  /** @type {Expression} */
  let line = new Quotient(new Difference(numberOf(here), new Written(mean)), new Root(new Sum([new Written(variance), numberOf(eps)])));
  if (gamma) line = new Product([line, numberOf(gamma)]);
  if (beta) line = new Sum([line, numberOf(beta)]);
  const total = exactSum(valuesOf(terms));
  return { terms, total, settle: settle(line, total) };
}

/** @type {Explain} */
function explainDepthwise(trace, step, at) {
  const [image, weight, ...bias] = step.inputs;
  const [batch, channel, row, column] = at;
  const [height, width] = step.shape.slice(-2);
  const terms = neighbours(row, column, height, width).map((place) =>
    productOf(cell(trace, image, [batch, channel, place.row, place.column]), cell(trace, weight, [channel, place.down, place.right])),
  );
  for (const name of bias) terms.push(productOf(cell(trace, name, [channel])));
  return sumOfProducts(terms);
}

/** @param {Array<{ value: number }>} numbers */
const valuesOf = (numbers) => numbers.map(({ value }) => value);

/** @type {Record<string, Explain>} */
export const EXPLAIN = {
  contract: explainContraction,
  scale: explainScale,
  softcap: explainSoftcap,
  mask: explainMask,
  softmax: explainSoftmax,
  dropout: explainDropout,
  add: explainAdd,
  layer_norm: explainLayerNorm,
  depthwise: explainDepthwise,
};
