// @ts-check
// Decimal numbers with 60 digits, as attention_core/expressions.py computes with them: what is printed in a line of
// arithmetic is computed again exactly, or rounded as Python's decimal module rounds, halves up.
//
// A number is coefficient · 10^exponent. `named` is 0 for such a number; Infinity, -Infinity or NaN for what is none.

/** @typedef {{ coefficient: bigint, exponent: number, named: number }} Decimal */

const DIGITS = 60;
const LARGEST_EXPONENT = 1e6; // beyond it, a number is infinite or 0
const GUARD = 280n; // binary places in which powers of e are computed: some 84 decimal ones
const HALVINGS = 8n; // of an exponent, before its series is added up

/** @type {bigint[]} */
const powers = [1n];
// 10^exponent, each computed once.
/** @param {number} exponent */
function tenTo(exponent) {
  if (exponent > 4 * DIGITS) return 10n ** BigInt(exponent);
  while (powers.length <= exponent) powers.push(10n * powers[powers.length - 1]);
  return powers[exponent];
}

/** @param {bigint} number */
const sizeOf = (number) => (number < 0n ? -number : number);

// How many decimal digits a coefficient has.
/** @param {bigint} coefficient */
export function digitsOf(coefficient) {
  const size = sizeOf(coefficient);
  if (size < 1000000000000n) return size ? Math.floor(Math.log10(Number(size) + 0.5)) + 1 : 1;
  const guess = Math.floor((size.toString(16).length - 1) * Math.log10(16)) + 1; // or one or two more
  let digits = guess;
  while (tenTo(digits) <= size) digits += 1;
  return digits;
}

/** @param {bigint} coefficient @param {number} exponent @returns {Decimal} */
const finite = (coefficient, exponent) => ({ coefficient, exponent: coefficient ? exponent : 0, named: 0 });

// What is no finite number, and 0.
/** @param {number} number @returns {Decimal} */
const named = (number) => ({ coefficient: 0n, exponent: 0, named: number || (Number.isNaN(number) ? NaN : 0) });

// The quotient as a whole number, halves away from zero.
/** @param {bigint} above @param {bigint} below more than 0 */
function roundedQuotient(above, below) {
  const quotient = (2n * sizeOf(above) + below) / (2n * below);
  return above < 0n ? -quotient : quotient;
}

// coefficient · 10^exponent with 60 digits at most. `isMore`: something is left of it that no digit shows.
/** @param {bigint} coefficient @param {number} exponent @returns {Decimal} */
function rounded(coefficient, exponent) {
  if (sizeOf(coefficient) >= tenTo(DIGITS)) {
    const excess = digitsOf(coefficient) - DIGITS;
    coefficient = roundedQuotient(coefficient, tenTo(excess));
    exponent += excess;
    if (sizeOf(coefficient) === tenTo(DIGITS)) [coefficient, exponent] = [coefficient / 10n, exponent + 1];
  }
  if (exponent < -LARGEST_EXPONENT - DIGITS) return finite(0n, 0);
  if (exponent > LARGEST_EXPONENT) return named(coefficient < 0n ? -Infinity : Infinity);
  return finite(coefficient, exponent);
}

// A number as a numeral says it.
/** @param {string} text */
export function decimalIn(text) {
  const found = /^([-\u2212]?)(?:(\d+)(?:\.(\d+))?(?:e([-\u2212]?)(\d+))?|(\u221E))$/.exec(text);
  if (!found) return named(NaN);
  const [, minus, whole, rest = "", below, power = "0", infinite] = found;
  if (infinite) return named(minus ? -Infinity : Infinity);
  const coefficient = BigInt(whole + rest);
  return finite(minus ? -coefficient : coefficient, (below ? -1 : 1) * Number(power) - rest.length);
}

const bits = new DataView(new ArrayBuffer(8));
// The exact value of a floating-point number: mantissa · 2^power.
/** @param {number} value @returns {Decimal} */
export function exactly(value) {
  if (!Number.isFinite(value)) return named(value);
  if (Number.isSafeInteger(value)) return finite(BigInt(value), 0);
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0);
  const stored = Number((all >> 52n) & 2047n);
  const mantissa = (all & ((1n << 52n) - 1n)) | (stored ? 1n << 52n : 0n);
  const power = Math.max(stored, 1) - 1075;
  const size = power < 0 ? mantissa * 5n ** BigInt(-power) : mantissa << BigInt(power);
  return finite(value < 0 ? -size : size, Math.min(power, 0));
}

// As a number of which only the sign counts: enough to compute with infinity.
/** @param {Decimal} number */
const signOf = (number) => number.named || (Number.isNaN(number.named) ? NaN : Number(number.coefficient > 0n) - Number(number.coefficient < 0n));

/** @param {Decimal} number */
export const isFinite = (number) => number.named === 0;

/** @param {Decimal} a @param {Decimal} b */
export function add(a, b) {
  if (!isFinite(a) || !isFinite(b)) return named(signOf(a) + signOf(b));
  if (!a.coefficient || !b.coefficient) return rounded(a.coefficient + b.coefficient, a.coefficient ? a.exponent : b.exponent);
  const [above, below] = a.exponent > b.exponent ? [a, b] : [b, a];
  const far = above.exponent - below.exponent > 2 * DIGITS + digitsOf(below.coefficient); // only the sign of the smaller counts
  const lowest = far ? above.exponent - 2 * DIGITS : below.exponent;
  const least = far ? BigInt(signOf(below)) : below.coefficient;
  return rounded(above.coefficient * tenTo(above.exponent - lowest) + least, lowest);
}

/** @param {Decimal} number @returns {Decimal} */
export const negated = (number) => ({ coefficient: -number.coefficient, exponent: number.exponent, named: -number.named || number.named });

/** @param {Decimal} a @param {Decimal} b */
export const subtract = (a, b) => add(a, negated(b));

/** @param {Decimal} a @param {Decimal} b */
export function multiply(a, b) {
  if (!isFinite(a) || !isFinite(b)) return named(signOf(a) * signOf(b));
  return rounded(a.coefficient * b.coefficient, a.exponent + b.exponent);
}

/** @param {Decimal} a @param {Decimal} b */
export function divide(a, b) {
  if (!isFinite(a) || !isFinite(b) || !b.coefficient) return named(signOf(a) / signOf(b));
  const places = Math.max(0, DIGITS + 2 + digitsOf(b.coefficient) - digitsOf(a.coefficient));
  const [above, below] = [sizeOf(a.coefficient) * tenTo(places), sizeOf(b.coefficient)];
  const quotient = above / below;
  const rest = quotient * below === above ? 0n : 1n; // one digit more tells that something is left
  const sign = a.coefficient < 0n === b.coefficient < 0n ? 1n : -1n;
  return rounded(sign * (10n * quotient + rest), a.exponent - b.exponent - places - 1);
}

/** @param {Decimal} number */
export function sqrt(number) {
  if (signOf(number) <= 0 || !isFinite(number)) return named(Math.sqrt(signOf(number)));
  let places = Math.max(0, 2 * DIGITS + 4 - digitsOf(number.coefficient));
  if ((number.exponent - places) % 2) places += 1;
  const square = number.coefficient * tenTo(places);
  const root = wholeRoot(square);
  const rest = root * root === square ? 0n : 1n;
  return rounded(10n * root + rest, (number.exponent - places) / 2 - 1);
}

// The largest whole number whose square is no larger, by Newton's method.
/** @param {bigint} square */
function wholeRoot(square) {
  let root = 1n << BigInt(2 * square.toString(16).length); // no smaller than the root
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

// 2 atanh(1 / n) = 2 (1/n + 1/(3 n^3) + 1/(5 n^5) + ...), of which logarithms are made.
/** @param {bigint} n */
function twiceAtanh(n) {
  let total = 0n;
  for (let power = (2n << GUARD) / n, odd = 1n; power; power /= n * n, odd += 2n) total += power / odd;
  return total;
}
const LN10 = 3n * twiceAtanh(3n) + twiceAtanh(9n); // ln 10 = 3 ln 2 + ln 1.25

// e to a number: e^x = 10^n · (e^(rest / 256))^256 with x = n ln 10 + rest.
/** @param {Decimal} number */
export function exp(number) {
  if (!isFinite(number)) return named(Math.exp(number.named));
  const { coefficient, exponent } = number;
  const size = digitsOf(coefficient) + exponent;
  if (coefficient && size > 7) return named(coefficient < 0n ? 0 : Infinity);
  const fixed = exponent < 0 ? (coefficient << GUARD) / tenTo(-exponent) : (coefficient * tenTo(exponent)) << GUARD;
  const tens = roundedQuotient(fixed, LN10);
  const rest = (fixed - tens * LN10) >> HALVINGS;
  let power = seriesOfExp(rest);
  for (let halving = 0n; halving < HALVINGS; halving += 1n) power = (power * power) >> GUARD;
  const places = DIGITS + 10;
  return rounded((power * tenTo(places)) >> GUARD, Number(tens) - places);
}

// 1 + x + x²/2 + x³/6 + ..., of a number with GUARD binary places.
/** @param {bigint} x */
function seriesOfExp(x) {
  let total = 1n << GUARD;
  for (let term = total, n = 1n; term && term !== -1n; n += 1n) {
    term = ((term * x) >> GUARD) / n;
    total += term;
  }
  return total;
}

// A number with its last digit at 10^place, halves away from zero; NaN where that takes more than 60 digits.
/** @param {Decimal} number @param {number} place */
export function quantized(number, place) {
  if (!isFinite(number)) return named(NaN);
  const { coefficient, exponent } = number;
  if (!coefficient) return finite(0n, place);
  const digits = digitsOf(coefficient) + exponent - place; // that it will have
  if (digits > DIGITS + 1) return named(NaN);
  if (digits < 0) return finite(0n, place); // less than a tenth of the last digit
  const found = exponent >= place ? coefficient * tenTo(exponent - place) : roundedQuotient(coefficient, tenTo(place - exponent));
  return sizeOf(found) >= tenTo(DIGITS) ? named(NaN) : finite(found, place);
}

// Whether two numbers are the same; what is none equals nothing.
/** @param {Decimal} a @param {Decimal} b */
export function equals(a, b) {
  if (!isFinite(a) || !isFinite(b)) return a.named === b.named;
  return compare(a, b) === 0;
}

// Below 0 where a is the smaller, above 0 where it is the larger; of finite numbers.
/** @param {Decimal} a @param {Decimal} b */
export function compare(a, b) {
  if (signOf(a) !== signOf(b) || !a.coefficient) return signOf(a) - signOf(b);
  const [sizeA, sizeB] = [a, b].map((one) => digitsOf(one.coefficient) + one.exponent);
  if (sizeA !== sizeB) return signOf(a) * (sizeA - sizeB);
  const lowest = Math.min(a.exponent, b.exponent);
  const difference = a.coefficient * tenTo(a.exponent - lowest) - b.coefficient * tenTo(b.exponent - lowest);
  return Number(difference > 0n) - Number(difference < 0n);
}

/** @param {Decimal} number @returns {Decimal} */
export const absolute = (number) => (signOf(number) < 0 ? negated(number) : number);
