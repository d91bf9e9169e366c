// The arithmetic of home, from lines of standard input, each a message: tests/test_home.py computes every line again.

import { createInterface } from "node:readline";

import { workOf } from "../../static/home/lines.js";
import { sentencesOf } from "../../static/home/sentences.js";
import { givenOf, traceOf } from "../../static/message/assemble.js";
import { useMarks } from "../../static/message/numbers.js";

const text = (line) => line.map(([piece, ink]) => (ink === "up" ? `^(${piece})` : piece)).join("");

for await (const line of createInterface({ input: process.stdin })) {
  const { told, focus, heads, names } = JSON.parse(line);
  const { new_outline: outline } = told;
  useMarks(outline.marks);
  const trace = traceOf(told.outline, outline, givenOf(told, outline));
  const works = Array.from({ length: heads }, (_, head) =>
    ["scores", "scaled", "weights", "head_outputs"].map((step) => {
      const { columns, beside, facts } = workOf(step, trace, head, focus, told.view.decimals);
      return { step, columns: columns.map((lines) => lines.map(text)), beside: beside.map(text), facts };
    }),
  );
  const said = sentencesOf({ focus, heads, names, trace, words: told.home, decimals: told.view.decimals });
  process.stdout.write(`${JSON.stringify({ works, said })}\n`);
}
