// @ts-check
// Numbers as they are written, and as people type them. ui/numbers.py is the same in Python and tells the rules, with
// the same names in the same order; tests/numbers.json holds both together. toFixed and toExponential round the exact
// value, halves away from zero, as the rules want it.

/** @typedef {Array<Array<number | null>>} Rows of a matrix; null is what a message has for −∞ */
/** @typedef {{ decimal: string, thousands: string, between: string }} Marks */
/** @typedef {{ wholeBelow: number, plainBelow: number, digits: number, thousands: boolean, fixed: boolean, tiny: boolean }} Form */

export const MINUS = "\u2212";
const INFINITY = "\u221E";
const NARROW = "\u202F"; // between thousands, until a number gets the marks of its language

// How much room a number has.
export const PROSE = { wholeBelow: 1e15, plainBelow: 1e6, digits: 3, thousands: true, fixed: false, tiny: true };
export const CELL = { wholeBelow: 1e6, plainBelow: 1e4, digits: 2, thousands: false, fixed: true, tiny: false };
export const LINE = { wholeBelow: 1e6, plainBelow: 1e6, digits: 3, thousands: false, fixed: false, tiny: true };

const MOST_TYPED = 60; // characters of one number
const LARGEST = 1e9; // that may be typed into a matrix
const LARGEST_ANSWER = 1e15; // that may be typed as an answer
const FIELD_DIGITS = 9; // significant ones of a number in a field
const PLAIN_FROM = 1e-4; // `brief`: smaller numbers have a power of ten

// What the learner's language writes in numbers and between those of a list; the outline brings it.
const ofPage = { decimal: ".", thousands: ",", between: ", " };
/** @param {Record<string, string>} given */
export const useMarks = (given) => Object.assign(ofPage, given);
export const separators = () => ofPage.decimal + ofPage.thousands; // as Plotly wants them

// Writing

// A number with so many decimals, as a language writes it; null is what a message has for −∞.
/** @param {number | null} value @param {number} decimals @param {Form} [form] @param {Marks} [marks] */
export const write = (value, decimals, form = PROSE, marks = ofPage) => marked(numeral(value, decimals, form), marks);

// A number with so many significant digits.
/** @param {number} value @param {number} digits @param {Marks} [marks] */
export const brief = (value, digits, marks = ofPage) => marked(briefNumeral(value, digits), marks);

// A number as it stands in a field to type in: all its digits, no thousands.
/** @param {number} value @param {Marks} [marks] */
export const asTyped = (value, marks = ofPage) => marked(briefNumeral(value, FIELD_DIGITS, LARGEST_ANSWER), marks);

// Numbers of a list, so that a decimal comma cannot be taken for the comma between two of them.
/** @param {string[]} texts @param {Marks} [marks] */
export const listed = (texts, marks = ofPage) => texts.join(texts.some((text) => text.includes(marks.decimal)) ? marks.between : ", ");

// One numeral with a point and narrow spaces, in the marks of a language.
/** @param {string} text @param {Marks} [marks] */
export const inMarks = (text, marks = ofPage) => marked(text, marks);
/** @param {string} text @param {Marks} marks */
const marked = (text, marks) => text.replace(".", marks.decimal).replaceAll(NARROW, marks.thousands);

// Whole numbers stay whole; otherwise every number of a matrix has the same number of places.
/** @param {Rows} rows @param {number} decimals */
export const placesOf = (rows, decimals) =>
  rows.every((row) => row.every((value) => value === null || Number.isInteger(value))) ? 0 : decimals;

// A number with a point, narrow spaces between its thousands, and a true minus sign; null is −∞.
/** @param {number | null} value @param {number} decimals @param {Form} form */
export function numeral(value, decimals, form) {
  if (value === null || !Number.isFinite(value)) return named(value);
  const size = Math.abs(value);
  const places = Number.isInteger(size) && !form.fixed ? 0 : decimals;
  let text;
  if (size >= (places ? form.plainBelow : form.wholeBelow)) text = powerOfTen(size, form.digits);
  else {
    text = size.toFixed(places);
    if (form.tiny && size && !Number(text)) text = briefNumeral(size, form.digits);
    else if (form.thousands) text = inThousands(text);
  }
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

// The same with so many significant digits, or fewer where the rest are 0; whole numbers whole.
/** @param {number} value @param {number} digits @param {number} [wholeBelow] */
export function briefNumeral(value, digits, wholeBelow = 1e6) {
  if (!Number.isFinite(value)) return named(value);
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(size) && size < wholeBelow) text = size.toFixed(0);
  else if (size >= PLAIN_FROM && size < 1e6) text = withoutZeros(size.toFixed(Math.max(0, digits - 1 - exponentOf(size, digits))));
  else text = powerOfTen(size, digits);
  return value < 0 ? MINUS + text : text;
}

/** @param {number | null} value */
const named = (value) => (value !== null && Number.isNaN(value) ? "NaN" : value === Infinity ? INFINITY : MINUS + INFINITY);

/** @param {number} size @param {number} digits */
function powerOfTen(size, digits) {
  const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
  return `${withoutZeros(mantissa)}e${Number(exponent)}`.replace("-", MINUS);
}

// The power of ten of a number once it is rounded: 9.99 to two digits is 1.0e1.
/** @param {number} size @param {number} digits */
export const exponentOf = (size, digits) => Number(size.toExponential(digits - 1).split("e")[1]);
/** @param {string} text */
export const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** @param {string} text */
function inThousands(text) {
  const [whole, ...rest] = text.split(".");
  const groups = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return [groups.join(NARROW), ...rest].join(".");
}

// Reading

const SIGNS = "\u2212\u2013\u2010\u2011\uFE63\uFF0D\uFF0B\uFF0E\uFF0C\uFF0F\u2044\u2215";
const WIDE_DIGITS = "\uFF10\uFF11\uFF12\uFF13\uFF14\uFF15\uFF16\uFF17\uFF18\uFF19";
const FROM = `${SIGNS}${WIDE_DIGITS}\u2019\t\r\n\u00A0\u2007\u2009\u202F\u3000\uFEFF`;
const TO = `------+.,///0123456789'${" ".repeat(9)}`;
const RAISED = "\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079\u207B\u207A"; // 0 to 9, minus, plus
const POWER = `(?:[eE]([+-]?[0-9]{1,3})| ?[\u00D7\u00B7*x] ?10(?:\\^([+-]?[0-9]{1,3})|([\u207B\u207A]?[${RAISED.slice(0, 10)}]{1,3})))?`;
const DECIMAL = new RegExp(`^([+-]?)([0-9]{1,20}(?:[.,][0-9]{0,20})?|[.,][0-9]{1,20})${POWER}$`);
const GROUPED = new RegExp(`^([+-]?)([1-9][0-9]{0,2}([., '])[0-9]{3}(?:\\3[0-9]{3}){0,5})(?:(?!\\3)[.,]([0-9]{0,20}))?${POWER}$`);
const FRACTION = /^([+-]?[0-9]{1,9}) ?\/ ?([0-9]{1,9})$/;
const INFINITIES = ["-inf", `-${INFINITY}`, "-infinity"];

// What a text may mean as one number, the likeliest first; nothing where it is none.
/** @param {string} text @param {{withInfinity?: boolean, withConstants?: boolean, largest?: number}} [options] */
export function readings(text, { withInfinity = false, withConstants = false, largest = LARGEST } = {}) {
  const plain = plainText(text);
  if (plain.length > MOST_TYPED) return [];
  if (withInfinity && INFINITIES.includes(plain.toLowerCase())) return [-Infinity];
  if (withConstants && plain.toLowerCase() === "e") return [Math.E];
  const found = [readFraction, readDecimal, readGrouped].map((read) => read(plain));
  return found.filter((value) => value !== null && Math.abs(value) <= largest);
}

// An answer to a question: the same with all that is allowed there.
/** @param {string} text */
export const answers = (text) => readings(text, { withInfinity: true, withConstants: true, largest: LARGEST_ANSWER });

// One number, as it is most likely meant; NaN where it is none.
/** @param {string} text @param {boolean} [withInfinity] */
export const parseNumber = (text, withInfinity = false) => readings(text, { withInfinity })[0] ?? NaN;

// The whole numbers in a text, whatever stands between them.
/** @param {string} text */
export const readSizes = (text) => (sameSigns(text.slice(0, MOST_TYPED)).match(/[0-9]{1,9}/g) ?? []).map(Number);

/** @param {string} text */
const plainText = (text) => sameSigns(text).split(" ").filter(Boolean).join(" ");
/** @param {string} text */
const sameSigns = (text) => Array.from(text, (sign) => (FROM.includes(sign) ? TO[FROM.indexOf(sign)] : sign)).join("");

/** @param {string} plain */
function readFraction(plain) {
  const [, over, under] = FRACTION.exec(plain) ?? [];
  return Number(under) ? Number(over) / Number(under) + 0 : null;
}

/** @param {string} plain */
function readDecimal(plain) {
  const found = DECIMAL.exec(plain);
  return found && numberOf(found[1], found[2].replace(",", "."), found.slice(3));
}

/** @param {string} plain */
function readGrouped(plain) {
  const found = GROUPED.exec(plain);
  return found && numberOf(found[1], `${found[2].replaceAll(found[3], "")}.${found[4] || 0}`, found.slice(5));
}

// The number of a sign, digits with a point, and one of three ways to write a power of ten.
/** @param {string} sign @param {string} digits @param {string[]} powers */
function numberOf(sign, digits, powers) {
  const power = powers.find(Boolean) ?? "0";
  const plain = Array.from(power, (sign) => (RAISED.includes(sign) ? "0123456789-+"[RAISED.indexOf(sign)] : sign)).join("");
  return Number(`${sign}${digits}e${plain}`) + 0;
}

const MOST_CHARACTERS = 20_000; // of a pasted block

// Rows of numbers, or null where it is none. Tabs part cells, else semicolons, else commas, else spaces; lines part rows.
// A comma is a decimal comma where something else separates the cells, and where every line is one number.
/** @param {string} text @param {boolean} [withInfinity] @returns {number[][] | null} */
export function parseBlock(text, withInfinity = false) {
  if (text.length > MOST_CHARACTERS) return null;
  const rows = text.replaceAll("],", "\n").replaceAll("[", "").replaceAll("]", ""); // as Python prints a matrix
  const lines = linesOf(rows).filter((line) => line.trim()).map(withoutEnd);
  if (!lines.length) return null;
  /** @param {string} sign */
  const cutAt = (sign) => lines.map((line) => line.split(sign));
  const spaced = lines.map((line) => plainText(line).split(" "));
  let parts;
  if (text.includes("\t")) parts = cutAt("\t");
  else if (text.includes(";")) parts = cutAt(";");
  else if (!text.includes("[") && lines.every(isDecimal)) parts = lines.map((line) => [line]);
  else if (!text.includes("[") && spaced.every((line) => line.every(isDecimal))) parts = spaced;
  else if (text.includes(",")) parts = cutAt(",");
  else parts = lines.map((line) => plainText(line).split("/").map((part) => part.trim()).join("/").split(" "));
  const numbers = parts.map((line) => line.map((part) => parseNumber(part, withInfinity)));
  return numbers.flat().some(Number.isNaN) ? null : numbers;
}

/** @param {string} line */
function withoutEnd(line) {
  let end = line.length;
  while (end && "\t; ".includes(line[end - 1])) end -= 1;
  return line.slice(0, end);
}

/** @param {string} text */
const linesOf = (text) => text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);

// Whether a text is one number without thousands, and no fraction.
/** @param {string} text */
const isDecimal = (text) => readDecimal(plainText(text)) !== null;
