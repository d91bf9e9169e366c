// Pictures of steps from lines of standard input: tests/test_pictures.py makes the facts of numbers and looks at the figures.

import { createInterface } from "node:readline";

import { CELL, useMarks, write } from "../../static/message/numbers.js";
import { PICTURES, pictureOf } from "../../static/pictures/picture.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { marks, matrices, settings, hidden, decimals, ...given } = JSON.parse(line);
  useMarks(marks);
  const matrix = (name) => matrices[name] ?? null;
  const row = (name) => {
    const found = matrix(name);
    return found && { values: found.values[Math.min(given.focus, found.values.length - 1)], labels: found.columns };
  };
  const facts = {
    ...given,
    hidden: new Set(hidden),
    matrix,
    row,
    setting: (name) => settings[name] ?? null,
    write: (value, places = decimals) => write(value, Number.isInteger(value) ? 0 : places, CELL),
    plain: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  };
  const drawn = (PICTURES[given.step] ?? []).map((draw) => draw(facts));
  process.stdout.write(`${JSON.stringify({ first: pictureOf(facts, given.step), drawn })}\n`);
}
