// @ts-check
// A word's row as a strip of tiles: dealt out to heads and laid together again, or before and after the layer.

/** @import { Mark } from "./marks.js" */
/** @import { Draw } from "./picture.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./marks.js")} */
const { line, tile, word } = await import(`./marks.js${own}`);

const WIDE = 460;
const HIGH = 34; // of a tile
const MOST = 16; // tiles
const STROKES = ["", "6 4", "2 4", "8 3 2 3"]; // of heads: solid, dashed, dotted, dash and dot

// The row cut into heads: each head has its own channels, and a line of its own kind.
/** @type {Draw} */
export function cards({ row, step, from, heads, word: name, write, words }) {
  const isMerge = step === "merged";
  const whole = row(isMerge ? "merged" : from[0]);
  if (!whole || whole.values.length > MOST || whole.values.length % heads) return null;
  const each = whole.values.length / heads;
  const top = Math.max(...whole.values.map((value) => Math.abs(value ?? 0)), 1e-9);
  const side = Math.min(52, (WIDE - 10 * heads) / whole.values.length);
  const gap = Math.min(34, (WIDE - side * whole.values.length) / Math.max(1, heads));
  const [wholeY, cutY] = isMerge ? [190, 60] : [60, 190];
  const letter = isMerge ? "" : step[0];
  /** @type {Mark[]} */
  const marks = [
    word(0, wholeY - 12, `${name}${letter ? `: ${letter.toUpperCase()}` : ""}`, letter ? `ink-${letter} strong` : "strong", "start"),
  ];
  whole.values.forEach((value, place) => {
    const head = Math.floor(place / each);
    const x = place * side;
    const cut = x + head * gap;
    marks.push(...tile(x, wholeY, side, HIGH, value, top, write(value)), ...tile(cut, cutY, side, HIGH, value, top, write(value)));
    const [high, low] = isMerge ? [cutY, wholeY] : [wholeY, cutY];
    const [from0, to] = isMerge ? [cut, x] : [x, cut];
    marks.push(
      line(from0 + side / 2, high + HIGH + 4, to + side / 2, low - (isMerge ? 28 : 26), "thread", {
        "stroke-dasharray": STROKES[head % STROKES.length],
      }),
    );
  });
  for (let head = 0; head < heads; head += 1) {
    const x = head * (each * side + gap);
    const y = isMerge ? cutY - 8 : cutY + HIGH + 6;
    marks.push(line(x, y, x + each * side - 2, y, "edge", { "stroke-dasharray": STROKES[head % STROKES.length], "stroke-width": 3 }));
    marks.push(word(x, isMerge ? y - 8 : y + 20, `${words.head} ${head}`, "", "start"));
  }
  return { marks, size: [WIDE, 262], says: isMerge ? "merge" : "split", facts: { word: name, width: String(each) } };
}

// The word as it came in, and as it goes out.
/** @type {Draw} */
export function beforeAndAfter({ row, step, word: name, write, words }) {
  const before = row("x");
  const after = row(step);
  if (!before || !after || Math.max(before.values.length, after.values.length) > MOST) return null;
  const top = Math.max(...[...before.values, ...after.values].map((value) => Math.abs(value ?? 0)), 1e-9);
  const side = Math.min(64, WIDE / Math.max(before.values.length, after.values.length));
  /** @type {Mark[]} */
  const marks = [];
  [
    { strip: before, y: 40, title: words.before },
    { strip: after, y: 170, title: words.after },
  ].forEach(({ strip, y, title }) => {
    marks.push(word(0, y - 12, `${name}, ${title}`, "strong", "start"));
    strip.values.forEach((value, place) => marks.push(...tile(place * side, y, side, HIGH + 6, value, top, write(value))));
  });
  marks.push(line(20, 92, 20, 140, "thread", { "stroke-width": 2 }));
  return { marks, size: [WIDE, 226], says: "output", facts: { word: name } };
}
