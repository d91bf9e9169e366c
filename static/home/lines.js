// @ts-check
// The arithmetic of the word in focus, one column for each word it looks at. Each line is true when it is computed again
// from what is printed: numbers get digits until it is.

/** @import { Pieces } from "../engine/expressions.js" */
/** @import { Printing } from "../engine/printing.js" */
/** @import { Trace } from "../engine/trace.js" */

/** @typedef {[text: string, ink: string]} Piece its ink is q, k, v or w, "up" for an exponent, or nothing */
/** @typedef {Piece[]} Line */
/**
 * Lines of each column, what stands beside each line, and what the words of it need.
 * @typedef {{ columns: Line[][], beside: Line[], facts: Record<string, string> }} Work
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../engine/explain.js")} */
const { explainCell } = await import(`../engine/explain.js${own}`);
/** @type {typeof import("../engine/expressions.js")} */
const { Fixed, Power, Quotient, Root, Sum, Written } = await import(`../engine/expressions.js${own}`);
/** @type {typeof import("../engine/printing.js")} */
const printing = await import(`../engine/printing.js${own}`);
/** @type {typeof import("../engine/settle.js")} */
const { settle } = await import(`../engine/settle.js${own}`);
/** @type {typeof import("../engine/sums.js")} */
const { exactSum } = await import(`../engine/sums.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { inMarks } = await import(`../message/numbers.js${own}`);

const SHIFTED_ABOVE = 20; // as `explainSoftmax`: larger scores have the largest taken away first
const NOTHING = 1e-300; // a smaller power is written as 0: floating-point numbers end there
const MOST_DIGITS = 16;
const FINEST = 18; // decimals of an exponent

/** @param {Printing} how @param {number} value */
const text = (how, value) => inMarks(how.text(value));

// Pieces of a line with the inks of its numbers, one after the other.
/** @param {Pieces} pieces @param {string[]} inks @returns {Line} */
function inked(pieces, inks) {
  let number = 0;
  return pieces.map((piece) => {
    if (typeof piece === "string") return [piece, ""];
    number += 1;
    return [inMarks(piece.numeral), inks[(number - 1) % inks.length]];
  });
}

/** @param {Trace} trace @param {string} name @param {number} head @param {number} row */
function rowOf(trace, name, head, row) {
  const { shape } = trace.step(name);
  return Array.from({ length: shape[shape.length - 1] }, (_, place) => trace.at(name, [head, row, place]));
}

// query · key
/** @param {Trace} trace @param {number} head @param {number} focus @param {number} decimals @returns {Work} */
function ofScores(trace, head, focus, decimals) {
  const columns = rowOf(trace, "scores", head, focus).map((score, key) => {
    const { members: [[sum, digits]], total } = explainCell(trace, "scores", [head, focus, key], decimals).settled;
    return [inked(sum.pieces(digits), ["q", "k"]), equal(text(total, score))];
  });
  return { columns, beside: [], facts: {} };
}

/** @param {string} number @param {string} [ink] @returns {Line} */
const equal = (number, ink = "") => [["= ", ""], [number, ink]];

// score ÷ √d
/** @param {Trace} trace @param {number} head @param {number} focus @param {number} decimals @returns {Work} */
function ofScaled(trace, head, focus, decimals) {
  const scores = rowOf(trace, "scores", head, focus);
  const width = trace.step("q_heads").shape[2];
  const root = new Root(new Sum([new Written(width)]));
  const columns = rowOf(trace, "scaled", head, focus).map((scaled, key) => {
    const { members: [[, digits]], total } = settle(new Quotient(new Written(scores[key]), root), scaled)(decimals);
    return [/** @type {Line} */ ([[text(digits, scores[key]), ""], [` / \u221A${width}`, ""]]), equal(text(total, scaled))];
  });
  return { columns, beside: [], facts: { d: String(width) } };
}

// e to each score, and its share of their sum: which is one number for all columns.
/** @param {Trace} trace @param {number} head @param {number} focus @param {number} decimals @returns {Work} */
function ofWeights(trace, head, focus, decimals) {
  const scaled = rowOf(trace, "scaled", head, focus);
  const weights = rowOf(trace, "weights", head, focus);
  const largest = Math.max(...scaled);
  const isShifted = Math.max(largest, -Math.min(...scaled)) > SHIFTED_ABOVE;
  const exponents = scaled.map((score) => (isShifted ? score - largest : score));
  const terms = exponents.map(Math.exp);
  const { powers, values, ofSum, shares } = settleRow(exponents, terms, weights, decimals);
  const sum = text(ofSum, exactSum(terms));
  const columns = weights.map((weight, key) => {
    const isNothing = terms[key] < NOTHING;
    const value = isNothing ? "0" : text(values, terms[key]);
    const exponent = text(isNothing ? new printing.Printing(decimals) : powers, exponents[key]);
    /** @type {Line} */
    const power = [["e", ""], [exponent, "up"], [isNothing ? " \u2248 " : " = ", ""], [value, ""]];
    if (isNothing) return [power, /** @type {Line} */ ([[`0 / ${sum}`, ""]]), equal("0", "w")];
    return [power, /** @type {Line} */ ([[`${value} / ${sum}`, ""]]), equal(text(shares, weight), "w")];
  });
  return { columns, beside: [[[sum, "sum"]]], facts: isShifted ? { largest: text(powers, largest) } : {} };
}

// The fewest digits with which each power gives its value, the values give the sum, and each quotient its share.
/** @param {number[]} exponents @param {number[]} terms @param {number[]} weights @param {number} decimals */
export function settleRow(exponents, terms, weights, decimals) {
  const sum = exactSum(terms);
  const kept = [...terms.keys()].filter((key) => terms[key] >= NOTHING);
  [exponents, terms, weights] = [exponents, terms, weights].map((numbers) => kept.map((key) => numbers[key]));
  const numbers = terms.map((value) => new Written(value));
  const shares = new printing.Printing(decimals);
  const fewest = Math.max(3, decimals + 2);
  let values = new printing.Printing(0, { significant: fewest });
  let ofSum = values;
  for (let digits = fewest; digits < MOST_DIGITS; digits += 1) {
    values = new printing.Printing(0, { significant: digits });
    const added = new Sum(numbers).computed(values);
    const found = Array.from({ length: digits - fewest + 1 }, (_, more) => new printing.Printing(0, { significant: fewest + more })).find((how) => {
      const below = new Fixed(new Written(sum), how);
      return how.agrees(added, sum) && numbers.every((number, key) => shares.agrees(new Quotient(number, below).computed(values), weights[key]));
    });
    if (found) {
      ofSum = found;
      break;
    }
  }
  let powers = new printing.Printing(decimals);
  for (let more = 0; more < FINEST; more += 1) {
    powers = new printing.Printing(decimals, { more });
    if (exponents.every((exponent, key) => values.agrees(new Power(new Written(exponent)).computed(powers), terms[key]))) break;
  }
  return { powers, values, ofSum, shares };
}

// weight · value, added up: a line for each channel.
/** @param {Trace} trace @param {number} head @param {number} focus @param {number} decimals @returns {Work} */
function ofHeadOutputs(trace, head, focus, decimals) {
  const channels = rowOf(trace, "head_outputs", head, focus).map((output, channel) => {
    const explained = explainCell(trace, "head_outputs", [head, focus, channel], decimals);
    const { members: [[sum, digits]], total } = explained.settled;
    const terms = /** @type {InstanceType<typeof Sum>} */ (sum).terms;
    return { terms: terms.map((term) => inked(term.pieces(digits), ["w", "v"])), total: equal(text(total, output)) };
  });
  /** @param {number} key @returns {Line} */
  const sign = (key) => (key ? [["+ ", "sign"]] : []);
  const columns = channels[0].terms.map((_, key) => channels.map(({ terms }) => [...sign(key), ...terms[key]]));
  return { columns, beside: channels.map(({ total }) => total), facts: {} };
}

/** @type {Record<string, (trace: Trace, head: number, focus: number, decimals: number) => Work>} */
const WORK = { scores: ofScores, scaled: ofScaled, weights: ofWeights, head_outputs: ofHeadOutputs };

// The arithmetic of one step in one head.
/** @param {string} step @param {Trace} trace @param {number} head @param {number} focus @param {number} decimals */
export const workOf = (step, trace, head, focus, decimals) => WORK[step](trace, head, focus, decimals);
