// In which order the maps of heads stand, and where an arrow leads.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arranged, nextTile } from "../../static/heads/order.js";

const all = {
  layers: 2,
  heads: 3,
  count: 6,
  groups: ["sink", "broad", "sink", "previous", "sink", "sink"],
  measures: { previous: [0.1, 0.2, 0.1, 0.9, 0, 0.3], sink: [0.5, 0.1, 0.9, 0, 0.6, 0.7], broad: [0, 1, 0, 0, 0, 0] },
};
const order = ({ places }) => {
  const at = (tile) => 100 * places[tile].row + places[tile].column;
  return [...places.keys()].sort((one, other) => at(one) - at(other));
};

test("layer by layer, each row a layer", () => {
  const found = arranged(all, "", 3);
  assert.deepEqual(order(found), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(found.labels.map(({ key }) => key), ["0", "1"]);
  assert.equal(found.rows, 2);
});

test("by a measure, from high to low, equal ones as in the layers", () => {
  const found = arranged(all, "previous", 4);
  assert.deepEqual(order(found), [3, 5, 1, 0, 2, 4]);
  assert.equal(found.rows, 2);
  assert.deepEqual(found.places[2], { column: 0, row: 1 });
});

test("by what they do: groups with a label each, the strongest first, and no two in one place", () => {
  const found = arranged(all, "kind", 3);
  assert.deepEqual(found.labels, [
    { row: 0, key: "previous", count: 1 },
    { row: 1, key: "sink", count: 4 },
    { row: 3, key: "broad", count: 1 },
  ]);
  assert.deepEqual(order(found), [3, 2, 5, 4, 0, 1]);
  assert.equal(new Set(found.places.map((place) => JSON.stringify(place))).size, 6);
});

test("arrows go on along the row and to the nearest in the next one, and stay at an end", () => {
  const { places } = arranged(all, "kind", 3);
  assert.equal(nextTile(places, 3, "ArrowRight"), 2);
  assert.equal(nextTile(places, 3, "ArrowLeft"), 3);
  assert.equal(nextTile(places, 4, "ArrowDown"), 0);
  assert.equal(nextTile(places, 4, "ArrowUp"), 3);
  assert.equal(nextTile(places, 1, "ArrowDown"), 1);
  assert.equal(nextTile(places, 4, "Home"), 3);
  assert.equal(nextTile(places, 4, "End"), 1);
  assert.equal(nextTile(places, 4, "x"), null);
});
