// @ts-check
// The head that was kept, beside the one that is shown: its map, what differs framed, and the largest difference in words.

/** @import { HeadsBench, Seen } from "./heads.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./maps.js")} */
const { paint } = await import(`./maps.js${own}`);

/** @param {HTMLElement} host */
export function buildCompare(host) {
  const section = element("section", "compare");
  const title = element("h2", "small");
  const pictures = element("div", "side-by-side");
  const told = element("p", "told");
  section.append(title, pictures, told);
  host.append(section);
  return { section, title, pictures, told, of: "" };
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawCompare(bench, { all, shown, weights, words }) {
  const { compare: made } = bench.heads;
  const { compare } = shown;
  made.section.hidden = !compare;
  if (!compare) return;
  const of = JSON.stringify([compare, shown, bench.data.outline, matchMedia("(prefers-color-scheme: dark)").matches]);
  if (made.of === of) return;
  made.of = of;
  const { layer, head, text, tokens, values, changed, other, largest } = compare;
  put(made.title, fillIn(layer === undefined ? words.kept_slice : words.kept, { layer, head, text }));
  const there = pictureOf(tokens, values.map((row) => row.map(Number)), changed, other);
  const here = pictureOf(all.tokens, weights, changed, other);
  made.pictures.replaceChildren(there, here);
  if (!largest) return put(made.told, words.sizes);
  const [row, column, before, now] = largest;
  if (before === now) return put(made.told, words.equal);
  const facts = { word: all.tokens[row], other: all.tokens[column], here: write(now, 2, CELL), there: write(before, 2, CELL) };
  put(made.told, fillIn(words.difference, facts));
}

/** @param {string[]} tokens @param {number[][]} rows @param {Array<[number, number]>} changed @param {number[]} other */
function pictureOf(tokens, rows, changed, other) {
  const figure = element("figure");
  const canvas = element("canvas");
  const field = element("div", "framed");
  paint(canvas, rows.flat().map((weight) => 255 * weight), rows.length);
  field.append(canvas);
  for (const [row, column] of changed) {
    const frame = element("i", "frame");
    frame.style.inset = `${(100 * row) / rows.length}% auto auto ${(100 * column) / rows.length}%`;
    frame.style.width = frame.style.height = `${100 / rows.length}%`;
    field.append(frame);
  }
  const caption = element("figcaption");
  tokens.forEach((token, place) => caption.append(element(other.includes(place) ? "mark" : "span", "", token), " "));
  figure.append(field, caption);
  return figure;
}
