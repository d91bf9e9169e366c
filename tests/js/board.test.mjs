// Which cell of a large matrix is under the finger, and which matrix of the board a figure means.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAt } from "../../static/board/lens.js";
import { fillIn } from "../../static/message/text.js";
import { keyOf, matrixOf, sharesOf } from "../../static/figures/parts.js";

test("a place on the picture is a cell, its border belongs to the cells at the edge", () => {
  assert.deepEqual([0, 49, 50, 99].map((offset) => cellAt(offset, 100, 2)), [0, 0, 1, 1]);
  assert.deepEqual([-1, 100, 101].map((offset) => cellAt(offset, 100, 2)), [0, 1, 1]);
});

const same = { id: "scores", name: "S", scale: "signed", kind: "score", rows: ["a"], columns: ["b"] };
const matrices = [{ ...same, key: "scores", front: [["head", 0]] }, { ...same, key: "scores.1", front: [["head", 1]] }];

function bench({ head = 0, guesses = null } = {}) {
  return {
    outline: { matrices, axes: { head: "Head" }, words: { bars: "{name}, {row}", compare_name: "\u0394 {name}" } },
    data: {
      view: { head },
      values: [[[1]], [[-2]]],
      tops: { score: 4 },
      shares: { scores: { row: 0, name: "a", shares: [1] } },
      compare: { differences: { "scores.1": [[null, -0.5]] } },
    },
    guesses: () => guesses,
  };
}

test("with all heads shown, a figure is of the chosen head", () => {
  assert.equal(keyOf(bench({ head: 1 }), "scores"), "scores.1");
  assert.deepEqual(matrixOf(bench({ head: 1 }), { step: "scores" }).values, [[-2]]);
  assert.equal(keyOf(bench({ head: 7 }), "scores"), "scores");
  assert.equal(keyOf(bench(), "weights"), undefined);
});

test("what is to be predicted is not drawn", () => {
  const unknown = (guesses) => matrixOf(bench({ guesses }), { step: "scores" }).unknown;
  assert.deepEqual(unknown("later"), [[true]]);
  assert.deepEqual(unknown(new Map([["0,0", { right: false }]])), [[true]]);
  assert.deepEqual(unknown(new Map([["0,0", { open: true }]])), [[false]]);
  assert.equal(unknown(null), null);
  assert.deepEqual(sharesOf(bench({ guesses: "later" })), {});
  assert.equal(sharesOf(bench()).scores.title, "S, {row}");
});

test("differences have a scale of their own", () => {
  const { name, values, top } = matrixOf(bench({ head: 1 }), { step: "scores", change: true });
  assert.deepEqual([name, values, top], ["\u0394 S", [[null, -0.5]], 0.5]);
});

test("a sentence is filled in once; a fact is not searched again", () => {
  assert.equal(fillIn("{a} of {b}{c}", { a: "{b}", b: 2 }), "{b} of 2");
});
