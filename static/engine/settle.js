// @ts-check
// How many digits a line of arithmetic needs, so that it is true of what it prints: the part of
// attention_core/explain.py that tries them.

/** @import { Expression } from "./expressions.js" */
/** @import { Printing } from "./printing.js" */

/**
 * How a line is printed: the expressions before the total, each with its digits; those of the total.
 * @typedef {{ members: Array<[Expression, Printing]>, total: Printing }} Settled
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./expressions.js")} */
const { Fixed, LONGEST, Power, Quotient, Sum, Written } = await import(`./expressions.js${own}`);
/** @type {typeof import("./printing.js")} */
const printing = await import(`./printing.js${own}`);
/** @type {typeof import("./sums.js")} */
const { exactSum } = await import(`./sums.js${own}`);

const MOST_MORE = 8; // digits that a line may have beyond those asked for
const FINEST = 18; // decimals of an exponent

// An expression with the fewest digits that give the total as it is printed.
/** @param {Expression} member @param {number} total @returns {(decimals: number) => Settled} */
export const settle = (member, total) => (decimals) => {
  const plain = new printing.Printing(decimals);
  if (member instanceof Sum && member.isLong) return { members: [[member, plain]], total: plain }; // nobody can compute it again
  const plainly = remembered((more) => new printing.Printing(decimals, { more }));
  for (let more = 0; more < MOST_MORE; more += 1) {
    const how = plainly(more);
    for (let digits = more; digits < more + MOST_MORE; digits += 1) {
      const finer = plainly(digits);
      if (how.agrees(member.computed(finer), total)) return { members: [[member, finer]], total: how };
    }
  }
  return { members: [[member, plain]], total: plain };
};

// What was made for a number already is taken again, with all that it knows.
/** @template Made @param {(number: number) => Made} make */
function remembered(make) {
  /** @type {Made[]} */
  const made = [];
  return (/** @type {number} */ number) => (made[number] ??= make(number));
}

// A share three ways: e^1 / (e^0 + e^1) = 2.72 / (1 + 2.72) = 2.72 / 3.72.
//
// The values have significant digits, which are what a quotient needs; their sum may have fewer than they.
/** @param {number[]} exponents @param {number[]} terms @param {number} place @param {number} total @returns {(decimals: number) => Settled} */
export const settleShares = (exponents, terms, place, total) => (decimals) => {
  const numbers = terms.map((value) => new Written(value));
  const values = new Quotient(numbers[place], new Sum(numbers));
  const sum = exactSum(terms);
  const fewest = Math.max(3, decimals + 2);
  const plainly = remembered((more) => new printing.Printing(decimals, { more }));
  const significant = remembered((digits) => new printing.Printing(0, { significant: digits }));
  const powers = powersOf(exponents, place);
  for (let more = 0; more < MOST_MORE; more += 1) {
    const how = plainly(more);
    for (let least = fewest + more; least < fewest + more + MOST_MORE; least += 1) {
      const ofSum = significant(least);
      for (let digits = least; digits < least + MOST_MORE; digits += 1) {
        const finer = significant(digits);
        const divided = addUp(values, sum, finer, ofSum);
        if (!divided || !isSo(divided, how, how, total) || !isSo(values, finer, how, total)) continue;
        const own = settlePowers(powers, numbers, total, plainly, finer, how);
        if (own) return { members: [[powers.line, own], [values, finer], [divided, how]], total: how };
      }
    }
  }
  return { members: [[values, plainly(0)]], total: plainly(0) };
};

// Whether so many terms are added up below that nobody can do it again.
/** @param {InstanceType<typeof Quotient>} line */
const isLongBelow = ({ below }) => below instanceof Sum && below.isLong;

// Whether a quotient with these digits gives the total; of a long one nobody can tell.
/** @param {InstanceType<typeof Quotient>} line @param {Printing} digits @param {Printing} how @param {number} total */
const isSo = (line, digits, how, total) => isLongBelow(line) || how.agrees(line.computed(digits), total);

// The quotient of two numbers, if what stands below it is the sum of the terms as they are printed.
/** @param {InstanceType<typeof Quotient>} values @param {number} sum @param {Printing} finer @param {Printing} ofSum */
function addUp(values, sum, finer, ofSum) {
  if (!isLongBelow(values) && !ofSum.agrees(values.below.computed(finer), sum)) return null;
  return new Quotient(new Fixed(values.above, finer), new Fixed(new Written(sum), ofSum));
}

// The share in powers of e, those that are written out, and each power as it was computed, by its digits.
/** @param {number[]} exponents @param {number} place */
function powersOf(exponents, place) {
  const powers = exponents.map((exponent) => new Power(new Written(exponent)));
  const line = new Quotient(powers[place], new Sum(powers));
  const shown = isLongBelow(line) ? [...powers.keys()].slice(0, LONGEST - 2).concat(place, powers.length - 1) : [...powers.keys()];
  return { line, powers, shown };
}

// The fewest decimals of the powers of e that give each value as it is printed.
/** @param {ReturnType<typeof powersOf>} share @param {Array<InstanceType<typeof Written>>} numbers @param {number} total
 * @param {(more: number) => Printing} plainly @param {Printing} finer @param {Printing} how */
function settlePowers({ line, powers, shown }, numbers, total, plainly, finer, how) {
  for (let more = 0; more < FINEST; more += 1) {
    const own = plainly(more);
    if (shown.every((key) => finer.agrees(powers[key].computed(own), numbers[key].value))) return isSo(line, own, how, total) ? own : null;
  }
  return null;
}
