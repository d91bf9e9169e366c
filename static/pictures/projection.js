// @ts-check
// One word's row through three matrices: what it asks, what it is matched on, what it hands over.

/** @import { Mark } from "./marks.js" */
/** @import { Draw } from "./picture.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./marks.js")} */
const { line, tile, word } = await import(`./marks.js${own}`);

const WIDE = 460;
const HIGH = 30; // of a tile
const MOST = 16; // numbers of a row
const TOP = 10;
const STEP = 118; // pixels from Q to K and from K to V

/** @type {Draw} */
export function projection({ row, matrix, from, step, word: name, write, words }) {
  const x = row("x") ?? row(from[0] ?? "");
  if (!x || x.values.length > MOST) return null;
  /** @type {Mark[]} */
  const marks = [];
  const side = Math.min(44, 150 / x.values.length);
  const top = Math.max(...x.values.map((value) => Math.abs(value ?? 0)), 1e-9);
  const middle = TOP + STEP + HIGH / 2;
  const left = 0;
  marks.push(word(left, middle - HIGH / 2 - 12, name, "strong", "start"));
  x.values.forEach((value, place) => marks.push(...tile(left + place * side, middle - HIGH / 2, side, HIGH, value, top, write(value))));
  const end = left + x.values.length * side;
  ["q", "k", "v"].forEach((part, place) => {
    const found = row(part);
    if (!found || found.values.length > MOST) return;
    const y = TOP + place * STEP;
    const start = 262;
    const wide = Math.min(44, (WIDE - start) / found.values.length);
    const largest = Math.max(...found.values.map((value) => Math.abs(value ?? 0)), 1e-9);
    const isHere = part === step;
    marks.push(line(end + 6, middle, start - 10, y + HIGH / 2, `way ink-${part}`, { "stroke-width": isHere ? 3 : 1.2 }));
    marks.push(word((end + start) / 2, (middle + y + HIGH / 2) / 2 - 8, `\u00B7W${part}`, `ink-${part}`));
    marks.push(
      word(start, y - 1 + HIGH + 22, `${part.toUpperCase()}: ${words[`${part}_role`]}`, `ink-${part}${isHere ? " strong" : ""}`, "start"),
    );
    found.values.forEach((value, column) => marks.push(...tile(start + column * wide, y, wide, HIGH, value, largest, write(value))));
  });
  if (!matrix(step)) return null;
  return { marks, size: [WIDE, TOP + 2 * STEP + HIGH + 34], says: "project", facts: { word: name } };
}
