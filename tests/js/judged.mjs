// Answers from standard input, judged as a handout does: tests/test_handout.py compares them with the live lesson.

import { readFileSync } from "node:fs";

import { judged } from "../../static/course/judging.js";

const { judges, texts } = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(judges.map((judge) => texts.map((text) => judged(judge, text)))));
