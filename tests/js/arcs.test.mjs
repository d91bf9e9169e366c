// Arcs between words: as wide as the weights, side by side where they leave the word, and none crosses another.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arcsOf, opacityOf, widthOf } from "../../static/pictures/arcs.js";

const places = Array.from({ length: 7 }, (_, place) => 62 + 124 * place);
const rows = [
  [0.08, 0.08, 0.66, 0.08, 0.08, 0.01, 0.01],
  [1, 0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 1],
  [0.15, 0.15, 0.14, 0.14, 0.14, 0.14, 0.14],
];
const numbers = (path) => path.match(/-?\d+(\.\d+)?/g).map(Number);

// Points along an arc.
function along(path) {
  const [x1, , , y1, x2, y2, x3, y3] = numbers(path);
  return Array.from({ length: 201 }, (_, step) => {
    const [t, s] = [step / 200, 1 - step / 200];
    return [s ** 3 * x1 + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t ** 3 * x3, 3 * s * s * t * y1 + 3 * s * t * t * y2 + t ** 3 * y3];
  });
}

const turn = ([ax, ay], [bx, by], [cx, cy]) => Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
const crosses = (one, other) =>
  one.slice(1).some((b, i) => other.slice(1).some((d, j) => {
    const [a, c] = [one[i], other[j]];
    return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
  }));

test("a weight is a width, and none is too thin to be seen", () => {
  assert.equal(widthOf(0.5), 11);
  assert.equal(widthOf(0), 1.2);
  assert.equal(widthOf(1, 12), 12);
  assert.ok(Math.abs(opacityOf(0) - 0.48) < 1e-12 && opacityOf(2 / 3) === 1 && opacityOf(1) === 1);
  assert.deepEqual(arcsOf(places, rows[0], 1).map(({ width }) => width), rows[0].map((weight) => Number(widthOf(weight).toFixed(2))));
});

test("every arc ends at its word, and the word in focus has a ring", () => {
  arcsOf(places, rows[0], 1).forEach(({ to, path }, place) => {
    assert.equal(to, place);
    if (to === 1) assert.match(path, /a8\.5 8\.5 .* a?/);
    else assert.deepEqual(numbers(path).slice(-2), [places[to], 0]);
  });
});

test("no arc crosses another, none is higher than the room", () => {
  for (const weights of rows) {
    for (let focus = 0; focus < 7; focus += 1) {
      const lines = arcsOf(places, weights, focus, { room: 182 }).filter(({ to }) => to !== focus).map(({ path }) => along(path));
      lines.forEach((line, place) => {
        for (const other of lines.slice(place + 1)) assert.ok(!crosses(line, other), `${weights} ${focus}`);
        assert.ok(Math.min(...line.map(([, y]) => y)) >= -182);
      });
    }
  }
});

test("arcs leave the word side by side: none lies on another", () => {
  for (const weights of rows) {
    for (let focus = 0; focus < 7; focus += 1) {
      const arcs = arcsOf(places, weights, focus);
      const strips = arcs.map(({ to, path, width }) => {
        const [x, , , r] = path.includes("a") ? [numbers(path)[0], 0, 0, numbers(path)[2]] : [numbers(path)[0], 0, 0, 0];
        return to === focus ? [x - width / 2, x + 2 * r + width / 2] : [x - width / 2, x + width / 2];
      });
      strips.sort((one, other) => one[0] - other[0]);
      strips.slice(1).forEach(([left], place) => assert.ok(left > strips[place][1], `${weights} ${focus}`));
    }
  }
});

test("one word alone has its ring", () => {
  assert.equal(arcsOf([10], [1], 0).length, 1);
});
