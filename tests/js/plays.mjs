// Acts played on a message, from lines of standard input: tests/test_plays.py compares them with the server's answers.

import { createInterface } from "node:readline";

import { useMarks } from "../../static/message/numbers.js";
import { Known } from "../../static/state/known.js";
import { computationOf, played } from "../../static/state/play.js";

const known = new Known();

for await (const line of createInterface({ input: process.stdin })) {
  const { page, link, told, before, acts, undo = [], redo = [] } = JSON.parse(line);
  const outline = known.outlineOf(told);
  useMarks(outline.marks);
  const now = computationOf(told, outline);
  if (now) known.keep(page, link, now);
  if (before) known.learn(computationOf(before.told, known.outlineOf(before.told)), before.act, now);
  const found = acts && played(told, known, { page, undo, redo, waiting: acts.map((act) => ({ act })) });
  process.stdout.write(`${JSON.stringify(found?.message ?? null)}\n`);
}
