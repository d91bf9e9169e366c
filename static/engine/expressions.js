// @ts-check
// Arithmetic to be printed: as text, as LaTeX, and as what comes out of the printed numbers.
// attention_core/expressions.py is the same in Python, with the same names in the same order.
//
// An expression is a tree. A Printing says how its numbers are rounded, so a tree can be tried with more and more
// digits until a line is true of what it prints.

/** @import { Decimal } from "./decimal.js" */
/** @import { Printing } from "./printing.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { MINUS } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./decimal.js")} */
const decimal = await import(`./decimal.js${own}`);

/** @typedef {{ numeral: string }} Numeral a number among the pieces of a line; a page writes it with the marks of its language */
/** @typedef {Array<string | Numeral>} Pieces of a line */
/** @typedef {{ pieces: (how: Printing) => Pieces, latex: (how: Printing) => Pieces, computed: (how: Printing) => Decimal }} Expression */

export const LONGEST = 12; // terms written out before the middle is left out

// A number, as it is printed.
export class Written {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return [{ numeral: how.text(this.value) }];
  }
  /** @param {Printing} how */
  latex(how) {
    return this.pieces(how);
  }
  /** @param {Printing} how */
  computed(how) {
    return how.written(this.value).value;
  }
}

// A number with digits of its own.
export class Fixed {
  /** @param {Expression} number @param {Printing} own */
  constructor(number, own) {
    this.number = number;
    this.own = own;
  }
  pieces() {
    return this.number.pieces(this.own);
  }
  latex() {
    return this.number.latex(this.own);
  }
  computed() {
    return this.number.computed(this.own);
  }
}

// e to a number.
export class Power {
  /** @param {Written} exponent */
  constructor(exponent) {
    this.exponent = exponent;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return ["e^", ...inBrackets(this.exponent, how)];
  }
  /** @param {Printing} how @returns {Pieces} */
  latex(how) {
    return ["e^{", ...this.exponent.latex(how), "}"];
  }
  /** @param {Printing} how */
  computed(how) {
    return decimal.exp(this.exponent.computed(how));
  }
}

export class Product {
  /** @param {Expression[]} factors */
  constructor(factors) {
    this.factors = factors;
  }
  /** @param {Printing} how */
  pieces(how) {
    return joined("\u00B7", this.factors.map((factor) => inBrackets(factor, how)));
  }
  /** @param {Printing} how */
  latex(how) {
    return joined(" \\cdot ", this.factors.map((factor) => inLatexBrackets(factor, how)));
  }
  /** @param {Printing} how */
  computed(how) {
    return this.factors.reduce((found, factor) => decimal.multiply(found, factor.computed(how)), decimal.exactly(1));
  }
}

export class Sum {
  /** @param {Expression[]} terms */
  constructor(terms) {
    this.terms = terms;
  }
  get isLong() {
    return this.terms.length > LONGEST;
  }
  /** @param {Printing} how */
  pieces(how) {
    return joined(" + ", shortened(this.shown.map((term) => inBrackets(term, how)), this.isLong, "\u2026"));
  }
  /** @param {Printing} how */
  latex(how) {
    return joined(" + ", shortened(this.shown.map((term) => inLatexBrackets(term, how)), this.isLong, "\\dots"));
  }
  get shown() {
    return this.isLong ? [...this.terms.slice(0, LONGEST - 2), ...this.terms.slice(-1)] : this.terms;
  }
  /** @param {Printing} how */
  computed(how) {
    return this.terms.reduce((found, term) => decimal.add(found, term.computed(how)), decimal.exactly(0));
  }
}

export class Difference {
  /** @param {Written} first @param {Written} second */
  constructor(first, second) {
    this.first = first;
    this.second = second;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return [...this.first.pieces(how), ` ${MINUS} `, ...inBrackets(this.second, how)];
  }
  /** @param {Printing} how @returns {Pieces} */
  latex(how) {
    return [...this.first.latex(how), " - ", ...inLatexBrackets(this.second, how)];
  }
  /** @param {Printing} how */
  computed(how) {
    return decimal.subtract(this.first.computed(how), this.second.computed(how));
  }
}

export class Quotient {
  /** @param {Expression} above @param {Expression} below */
  constructor(above, below) {
    this.above = above;
    this.below = below;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return [...inBrackets(this.above, how), " / ", ...inBrackets(this.below, how)];
  }
  /** @param {Printing} how @returns {Pieces} */
  latex(how) {
    return ["\\frac{", ...this.above.latex(how), "}{", ...this.below.latex(how), "}"];
  }
  /** @param {Printing} how */
  computed(how) {
    return decimal.divide(this.above.computed(how), this.below.computed(how));
  }
}

export class Root {
  /** @param {Sum} inner */
  constructor(inner) {
    this.inner = inner;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return ["\u221A(", ...this.inner.pieces(how), ")"];
  }
  /** @param {Printing} how @returns {Pieces} */
  latex(how) {
    return ["\\sqrt{", ...this.inner.latex(how), "}"];
  }
  /** @param {Printing} how */
  computed(how) {
    return decimal.sqrt(this.inner.computed(how));
  }
}

export class Tanh {
  /** @param {Quotient} inner */
  constructor(inner) {
    this.inner = inner;
  }
  /** @param {Printing} how @returns {Pieces} */
  pieces(how) {
    return ["tanh(", ...this.inner.pieces(how), ")"];
  }
  /** @param {Printing} how @returns {Pieces} */
  latex(how) {
    return ["\\tanh\\left(", ...this.inner.latex(how), "\\right)"];
  }
  /** @param {Printing} how */
  computed(how) {
    const [one, inner] = [decimal.exactly(1), this.inner.computed(how)];
    const size = decimal.absolute(inner);
    const twice = decimal.exp(decimal.multiply(decimal.exactly(-2), size));
    const found = decimal.divide(decimal.subtract(one, twice), decimal.add(one, twice));
    return size === inner ? found : decimal.negated(found);
  }
}

// A part of a larger expression: a sum, a difference or a number below 0 stands in brackets.
/** @param {Expression} part @param {Printing} how @returns {Pieces} */
function inBrackets(part, how) {
  const found = part.pieces(how);
  const bare = [Power, Product, Quotient, Root, Tanh].some((kind) => part instanceof kind) || textOf(found.slice(0, 1))[0] !== MINUS;
  return bare && !(part instanceof Sum) && !(part instanceof Difference) ? found : ["(", ...found, ")"];
}

/** @param {Expression} part @param {Printing} how @returns {Pieces} */
function inLatexBrackets(part, how) {
  const negative = part instanceof Written && how.text(part.value)[0] === MINUS;
  return negative ? ["\\left(", ...part.latex(how), "\\right)"] : part.latex(how);
}

// The pieces of all parts, with a sign between.
/** @param {string} sign @param {Pieces[]} parts @returns {Pieces} */
const joined = (sign, parts) => parts.flatMap((part, place) => (place ? [sign, ...part] : part));

/** @param {Pieces[]} parts @param {boolean} isLong @param {string} dots */
const shortened = (parts, isLong, dots) => (isLong ? [...parts.slice(0, -1), [dots], ...parts.slice(-1)] : parts);

// A line without the marks of a language.
/** @param {Pieces} pieces */
export const textOf = (pieces) => pieces.map((piece) => (typeof piece === "string" ? piece : piece.numeral)).join("");

// LaTeX without the marks of a language.
/** @param {Pieces} pieces */
export const plainLatex = (pieces) => pieces.map((piece) => (typeof piece === "string" ? piece : asLatex(piece.numeral))).join("");

// A written number as LaTeX: a comma in it takes no room, a power of ten is one.
/** @param {string} written */
export function asLatex(written) {
  const plain = written.replaceAll(",", "{,}").replaceAll(MINUS, "-").replaceAll("\u221E", "\\infty");
  const [mantissa, power] = plain.split("e");
  return power ? `${mantissa} \\cdot 10^{${power}}` : mantissa;
}
