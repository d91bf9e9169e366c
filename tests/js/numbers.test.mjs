// Numbers are written and read as tests/numbers.json says; tests/test_numbers.py holds Python to the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as numbers from "../../static/message/numbers.js";

const { marks, ...vectors } = JSON.parse(readFileSync(new URL("../numbers.json", import.meta.url), "utf-8"));
const NAMED = { "NaN": NaN, "inf": Infinity, "-inf": -Infinity };
const numberOf = (value) => (typeof value === "string" ? NAMED[value] : value);
const FORMS = { prose: numbers.PROSE, cell: numbers.CELL };

test("numbers are written", () => {
  for (const [value, decimals, form, language, text] of vectors.writing)
    assert.equal(numbers.write(numberOf(value), decimals, FORMS[form], marks[language]), text, `${value} ${decimals} ${form} ${language}`);
});

test("null is what a message has for minus infinity", () => assert.equal(numbers.write(null, 2), "\u2212\u221E"));

test("numbers are written in brief", () => {
  for (const [value, digits, language, text] of vectors.brief) assert.equal(numbers.brief(numberOf(value), digits, marks[language]), text);
});

test("numbers are written into fields", () => {
  for (const [value, language, text] of vectors.typed) assert.equal(numbers.asTyped(numberOf(value), marks[language]), text);
});

test("numbers are listed", () => {
  for (const [texts, language, text] of vectors.listed) assert.equal(numbers.listed(texts, marks[language]), text);
});

test("numbers are read", () => {
  for (const [text, values] of vectors.reading) assert.deepEqual(numbers.readings(text), values, JSON.stringify(text));
});

test("answers are read", () => {
  for (const [text, values] of vectors.answers) assert.deepEqual(numbers.answers(text), values.map(numberOf), JSON.stringify(text));
});

test("sizes are read", () => {
  for (const [text, sizes] of vectors.sizes) assert.deepEqual(numbers.readSizes(text), sizes, JSON.stringify(text));
});

test("the marks of the page are used where none are given", () => {
  numbers.useMarks(marks.vi);
  assert.equal(numbers.write(12345.678, 2), "12.345,68");
  assert.equal(numbers.separators(), ",.");
  numbers.useMarks(marks.en);
});

test("a matrix of whole numbers has no places", () => {
  assert.equal(numbers.placesOf([[1, null], [2, 3]], 2), 0);
  assert.equal(numbers.placesOf([[1, 2.5]], 2), 2);
});
