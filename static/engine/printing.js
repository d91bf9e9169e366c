// @ts-check
// How the numbers of a line are rounded, and whether what comes out of them is what is printed: the first part of
// attention_core/expressions.py.

/** @import { Decimal } from "./decimal.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { LINE, briefNumeral, exponentOf, numeral, withoutZeros } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./decimal.js")} */
const decimal = await import(`./decimal.js${own}`);

const NEAR = decimal.decimalIn("1e-12"); // a number is printed in full if no more than this share of it is missing

// How numbers are rounded: to so many decimals, or to so many significant digits.
export class Printing {
  /** @type {Map<number, { text: string, value: Decimal }>} */ known = new Map(); // what was written already

  /** @param {number} decimals @param {{ more?: number, significant?: number }} [digits] */
  constructor(decimals = 0, { more = 0, significant = 0 } = {}) {
    this.decimals = decimals + more;
    this.significant = significant;
    this.form = { ...LINE, digits: LINE.digits + more };
  }

  // Zeros at the end are dropped where nothing else would follow.
  /** @param {number} value */
  text(value) {
    return this.written(value).text;
  }

  // A number as it is printed, and what that says.
  /** @param {number} value */
  written(value) {
    let found = this.known.get(value);
    if (!found) {
      const text = this.significant ? briefNumeral(value, this.significant) : this.rounded(value);
      found = { text, value: decimal.decimalIn(text) };
      this.known.set(value, found);
    }
    return found;
  }

  /** @param {number} value */
  rounded(value) {
    const text = numeral(value, this.decimals, this.form);
    return text.includes(".") && !text.includes("e") && isInFull(text, value) ? withoutZeros(text) : text;
  }

  // Whether what was computed gives the digits in which the value is printed.
  /** @param {Decimal} computed @param {number} value */
  agrees(computed, value) {
    if (!decimal.isFinite(computed) || !Number.isFinite(value)) return decimal.equals(computed, decimal.exactly(value));
    const unit = this.lastPlace(Math.abs(value));
    return decimal.equals(decimal.quantized(computed, unit), decimal.quantized(this.written(value).value, unit));
  }

  // The power of ten of the last digit that is printed.
  /** @param {number} size */
  lastPlace(size) {
    if (size === 0) return -(this.significant || this.decimals);
    const plain = size < LINE.plainBelow && Number(size.toFixed(this.decimals)) > 0;
    if (plain && !this.significant) return -this.decimals;
    const digits = this.significant || this.form.digits;
    const place = exponentOf(size, digits) - digits + 1;
    return size < LINE.plainBelow ? Math.min(place, 0) : place;
  }
}

// Whether hardly anything is missing of a value in what is printed of it.
/** @param {string} text @param {number} value */
function isInFull(text, value) {
  const exact = decimal.exactly(value);
  const missing = decimal.absolute(decimal.subtract(decimal.decimalIn(text), exact));
  return decimal.compare(missing, decimal.multiply(NEAR, decimal.absolute(exact))) <= 0;
}
