// Numbers and texts from standard input, written and read: tests/test_numbers.py compares them with its own.

import { readFileSync } from "node:fs";

import { CELL, PROSE, answers, asTyped, brief, write } from "../../static/message/numbers.js";

const { numbers, texts } = JSON.parse(readFileSync(0, "utf-8"));
const written = numbers.map(([value, places]) => [write(value, places, PROSE), write(value, places, CELL), brief(value, places + 1), asTyped(value)]);
process.stdout.write(JSON.stringify({ written, read: texts.map((text) => answers(text).map(String)) }));
