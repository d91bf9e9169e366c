// The pictures and formulas that need no browser to be looked at.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./document.mjs";
import { drawAxes } from "../../static/figures/axes.js";
import { drawFormula, isMoved, piecesOf } from "../../static/page/formula.js";

const outlines = (latex, ...breaks) => piecesOf(latex, ...breaks).map((piece) => piece.outline);

test("a formula is set", () => {
  assert.deepEqual(outlines("\\frac{q \\cdot k}{\\sqrt{2}}"), ["(math (mfrac (mrow (mi q) (mo \u22C5) (mi k)) (mrow (msqrt (mrow (mn 2))))))"]);
  assert.deepEqual(outlines("x_{1}^2"), ["(math (msubsup (mi x) (mrow (mn 1)) (mn 2)))"]);
  assert.deepEqual(outlines("K^\\top - 1{,}5"), ["(math (msup (mi K) (mo \u22A4)) (mo \u2212) (mn 1,5))"]);
});

test("a line may break before an equals sign", () => {
  assert.deepEqual(outlines("a = 1 = 2"), ["(math (mi a))", "(math (mo =) (mn 1))", "(math (mo =) (mn 2))"]);
  assert.equal(outlines("a + b", ["=", "+"]).length, 2);
});

test("of a line of arithmetic the right-hand side is drawn", () => {
  assert.equal(drawFormula("\\mathrm{s} = 1 + 2")[0].text, "1+2");
  assert.deepEqual([isMoved("\\mathrm{s} = \\mathrm{x}"), isMoved("\\mathrm{s} = 1")], [true, false]);
});

test("what ends too soon is drawn as far as it goes", () => {
  for (const latex of ["", "x^", "\\frac{1", "\\sqrt", "}"]) assert.ok(Array.isArray(outlines(latex)));
});

test("axes: a sheet for each place in front, five at most, the longer side as long as ever", () => {
  const sheets = (axes) => drawAxes(axes, "q").all("rect");
  const inFront = (...lead) => sheets([...lead, ["token", 2], ["key", 4]]).length;
  assert.deepEqual([inFront(), inFront(["head", 3]), inFront(["batch", 2], ["head", 8])], [1, 3, 5]);
  const [{ attributes }] = sheets([["token", 2], ["key", 4]]);
  assert.deepEqual([attributes.height, attributes.width], ["17", "34"]);
  assert.equal(sheets([["token", 1], ["key", 100]])[0].attributes.height, "8"); // still to be seen
});

test("axes are named in words too", () => {
  assert.equal(drawAxes([["head", 2], ["token", 3], ["key", 4]], "k").all("title")[0].text, "head 2, token 3, key 4");
});
