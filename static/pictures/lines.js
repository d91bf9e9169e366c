// @ts-check
// From the query of one word to every key: a line as wide as the score; behind a curtain where a mask hides the key.

/** @import { Mark } from "./marks.js" */
/** @import { Draw, Facts } from "./picture.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./marks.js")} */
const { box, fitted, line, tile, word } = await import(`./marks.js${own}`);

const WIDE = 460;
const [TOP, BOTTOM] = [44, 230]; // of the lines
const WIDEST = 14; // of a line
const MOST = 16; // keys

/** @type {Draw} */
export function scoreLines(facts) {
  const { row, matrix, step, query: ofQueries, keys: ofKeys, key, word: name, write } = facts;
  const scores = row(step);
  if (!scores || scores.values.length > MOST) return null;
  const marks = linesTo(facts, scores.labels, scores.values, new Set());
  const query = row(ofQueries);
  const keys = matrix(ofKeys);
  let high = BOTTOM + 60;
  if (query && keys && query.values.length <= MOST && keys.values[key]) {
    const products = query.values.map((value, place) => Number(value) * Number(keys.values[key][place]));
    const top = Math.max(...products.map(Math.abs), 1e-9);
    const side = Math.min(52, WIDE / products.length);
    marks.push(word(0, BOTTOM + 84, `q\u00B7k, ${name} \u2192 ${scores.labels[key]}`, "quiet", "start"));
    products.forEach((value, place) => marks.push(...tile(place * side, BOTTOM + 96, side, 30, value, top, write(value))));
    high = BOTTOM + 136;
  }
  return {
    marks,
    size: [WIDE, high],
    says: "score_lines",
    facts: { word: name, key: scores.labels[key], score: write(scores.values[key]) },
  };
}

/** @type {Draw} */
export function curtain(facts) {
  const { row, hidden, word: name, from } = facts;
  const scores = row(from[0]);
  if (!scores || scores.values.length > MOST) return null;
  const marks = linesTo(facts, scores.labels, scores.values, hidden);
  const all = scores.values.length;
  return { marks, size: [WIDE, BOTTOM + 70], says: "mask", facts: { word: name, seen: String(all - hidden.size), all: String(all) } };
}

/** @param {Facts} facts @param {string[]} labels @param {Array<number | null>} scores @param {Set<number>} hidden */
function linesTo({ word: name, key, write }, labels, scores, hidden) {
  /** @type {Mark[]} */
  const marks = [];
  const room = WIDE / labels.length;
  const start = WIDE / 2;
  const top = Math.max(...scores.map((score) => Math.abs(score ?? 0)), 1e-9);
  marks.push(word(start, TOP - 14, `${fitted(name, 200)}: q`, "ink-q strong large"));
  scores.forEach((score, place) => {
    const end = room * (place + 0.5);
    const share = Math.abs(score ?? 0) / top;
    const shade = score !== null && score < 0 ? "below" : "above";
    const width = Math.max(1.2, WIDEST * share);
    const isHidden = hidden.has(place);
    const stop = isHidden ? 0.62 : 1;
    const [x, y] = [start + (end - start) * stop, TOP + (BOTTOM - TOP) * stop];
    marks.push(line(start, TOP, x, y, `score ${shade}${isHidden ? " cut" : ""}`, { "stroke-width": width.toFixed(1) }));
    if (isHidden) {
      marks.push(box(end - room / 2 + 2, y, room - 4, BOTTOM - y + 52, "curtain"));
      marks.push(line(end - Math.min(room / 2 - 3, 16), y, end + Math.min(room / 2 - 3, 16), y, "stop", { "stroke-width": 3 }));
    }
    marks.push(word(end, BOTTOM + 22, fitted(labels[place], room), place === key ? "ink-k strong" : "ink-k"));
    marks.push(word(end, BOTTOM + 44, isHidden ? "\u2212\u221E" : write(score), place === key ? "strong" : ""));
  });
  return marks;
}
