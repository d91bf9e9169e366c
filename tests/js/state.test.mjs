// What acts mean for undo and redo, and what a tab keeps.

import assert from "node:assert/strict";
import { test } from "node:test";

import { afterTrail } from "../../static/state/trail.js";
import { forgetSections, keep, keptOf, linkOfPage } from "../../static/state/tab.js";

const begin = { link: "a", undo: ["z"], redo: ["b"] };

test("a new link can be undone and ends redo", () => {
  assert.deepEqual(afterTrail(begin, [["c", "new"]]), { link: "c", undo: ["z", "a"], redo: [] });
});

test("undo and redo are each other's way back", () => {
  const undone = afterTrail(begin, [["z", "undo"]]);
  assert.deepEqual(undone, { link: "z", undo: [], redo: ["b", "a"] });
  assert.deepEqual(afterTrail(undone, [["a", "redo"]]), begin);
});

test("a look elsewhere keeps both, a fresh start neither", () => {
  assert.deepEqual(afterTrail(begin, [["a1", ""]]), { ...begin, link: "a1" });
  assert.deepEqual(afterTrail(begin, [["n", "fresh"]]), { link: "n", undo: [], redo: [] });
});

test("each act of a trail begins where the one before ended", () => {
  assert.deepEqual(afterTrail(begin, [["c", "new"], ["d", "new"], ["c", "undo"]]), { link: "c", undo: ["z", "a"], redo: ["d"] });
});

test("a hundred steps can be undone, the last ones, and what was given is not changed", () => {
  const trail = Array.from({ length: 150 }, (_, place) => [`link ${place}`, "new"]);
  const { undo } = afterTrail(begin, trail);
  assert.deepEqual([undo.length, undo[0], undo[99]], [100, "link 49", "link 148"]);
  assert.deepEqual(begin, { link: "a", undo: ["z"], redo: ["b"] });
});

const kept = new Map();
const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) };
Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });

test("a tab keeps each page for itself; what it cannot read is nothing", () => {
  keep("lab", { state: { link: "x" } });
  assert.deepEqual([linkOfPage("lab"), linkOfPage("softmax")], ["x", ""]);
  for (const text of ["", "{", "null"]) {
    kept.set("qkv-lab:lab", text);
    assert.deepEqual(keptOf("lab"), {});
  }
});

test("sections are forgotten, where a lesson was left is not", () => {
  keep("softmax", { state: { link: "x", sections: { a: {} } }, did: "1" });
  forgetSections(["softmax", "masks"]);
  assert.deepEqual(keptOf("softmax"), { state: { link: "x" }, did: "1" });
  assert.equal(kept.has("qkv-lab:masks"), false);
});
