// @ts-check
// Arcs from one word to every word, as wide as its weights: paths made of numbers alone, above a line at height 0.
//
// They leave the word side by side, the longest from its middle, so that none crosses another; the word itself has a ring.

/** @typedef {{ to: number, path: string, width: number, opacity: number }} Arc */

const WIDEST = 22; // of a weight of 1, in pixels
const LEAST = 1.2; // so that no weight is too thin to be seen
const GAP = 2.8; // between two arcs where they leave the word
const LOWEST = 26; // height of an arc to the word itself, if there were one
const RING = 8.5; // its radius

/** @param {number} weight @param {number} [widest] */
export const widthOf = (weight, widest = WIDEST) => Math.max(LEAST, widest * weight);

/** @param {number} weight */
export const opacityOf = (weight) => 0.48 + 0.52 * Math.min(1, 1.5 * weight);

// `places` are those of the words along the line, from left to right; `room` is what there is above it.
/** @param {number[]} places @param {number[]} weights @param {number} focus @param {{ widest?: number, room?: number }} [sizes] @returns {Arc[]} */
export function arcsOf(places, weights, focus, { widest = WIDEST, room = 182 } = {}) {
  const widths = weights.map((weight) => widthOf(weight, widest));
  const top = Math.max(LOWEST, room - widest / 2);
  const longest = Math.max(1, places[places.length - 1] - places[0]);
  /** @type {string[]} */
  const paths = [];
  // The ring stands beside the middle, on the side of the fewer words.
  const far = focus * 2 < places.length ? 1 : -1;
  const radius = Math.max(RING, widths[focus] / 2 + RING / 2);
  const ring = radius * 2 + widths[focus] + GAP;
  paths[focus] = circle(places[focus] - (far * ring) / 2, radius + widths[focus] / 2, radius);
  for (const side of [1, -1]) {
    let edge = side === far ? GAP / 2 : ring + GAP / 2;
    for (let to = side > 0 ? places.length - 1 : 0; to !== focus; to -= side) {
      const from = places[focus] + side * (edge + widths[to] / 2);
      const height = LOWEST + ((top - LOWEST) * Math.abs(places[to] - places[focus])) / longest;
      paths[to] = arch(from, places[to], height);
      edge += widths[to] + GAP;
    }
  }
  return paths.map((path, to) => ({ to, path, width: rounded(widths[to]), opacity: rounded(opacityOf(weights[to])) }));
}

// The middle of such a curve is at three quarters of where it is drawn to.
/** @param {number} from @param {number} to @param {number} height */
function arch(from, to, height) {
  const [x1, x2, y] = [from, to, (-4 / 3) * height].map(rounded);
  return `M${x1} 0C${x1} ${y} ${x2} ${y} ${x2} 0`;
}

/** @param {number} x @param {number} height of its middle @param {number} radius */
function circle(x, height, radius) {
  const [left, y, r] = [x - radius, -height, radius].map(rounded);
  return `M${left} ${y}a${r} ${r} 0 1 1 ${rounded(2 * r)} 0a${r} ${r} 0 1 1 ${rounded(-2 * r)} 0`;
}

/** @param {number} number */
const rounded = (number) => Number(number.toFixed(2));
