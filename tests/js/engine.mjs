// The browser's engine in Node: each line of standard input is a request, each line of standard output its answer.

import { createInterface } from "node:readline";

import { answered } from "./asked.mjs";

for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(answered(JSON.parse(line)))}\n`);
