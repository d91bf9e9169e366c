// @ts-check
// The vectors behind a weight: the query of one word, the key and the value of another, channel by channel.

/** @import { HeadsBench, Seen } from "./heads.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, listed, write } = await import(`../message/numbers.js${own}`);

/** @type {Array<["q" | "k" | "products" | "v", string]>} */
const ROWS = [["q", "q"], ["k", "k"], ["products", ""], ["v", "v"]];

/** @param {HTMLElement} host */
export function buildPair(host) {
  const section = element("section", "pair");
  const title = element("h2", "small");
  const rows = element("dl", "strips");
  const told = element("p", "worked-out");
  section.append(title, rows, told);
  host.append(section);
  return { section, title, rows, told, of: "" };
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawPair(bench, { all, shown, words }) {
  const { pair: made } = bench.heads;
  const { pair, focus, key } = shown;
  const of = JSON.stringify([pair, focus, key, bench.data.outline]);
  if (made.of === of) return;
  made.of = of;
  const facts = { word: all.tokens[focus], other: all.tokens[key] };
  put(made.title, fillIn(words.behind, facts));
  const top = Math.max(...pair.q.map(Math.abs), ...pair.k.map(Math.abs), ...pair.v.map(Math.abs)) || 1;
  const topOfProducts = Math.max(...pair.products.map(Math.abs)) || 1;
  const said = { q: "", k: "", products: `= ${written(pair.score)}`, v: `\u00D7 ${written(pair.weight)}` };
  put(made.told, fillIn(words.scaled, { score: written(pair.score), width: pair.width, scaled: written(pair.scaled), weight: written(pair.weight) }));
  made.rows.replaceChildren(
    ...ROWS.flatMap(([name, ink]) => {
      const term = element("dt", "", fillIn(words[`row_${name}`], name === "q" ? { word: facts.word } : { word: facts.other }));
      term.dataset.ink = ink;
      const value = element("dd");
      value.append(stripOf(pair[name], name === "products" ? topOfProducts : top, ink), element("span", "result", said[name]));
      return [term, value];
    }),
  );
}

/** @param {number | null} value */
const written = (value) => write(value, 2, CELL);

/** @param {number[]} numbers @param {number} top @param {string} ink */
function stripOf(numbers, top, ink) {
  const strip = element("span", "strip");
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", listed(numbers.map(written)));
  strip.dataset.ink = ink;
  numbers.forEach((value, channel) => {
    const cell = element("i");
    cell.style.setProperty("--share", String(Math.abs(value) / top));
    cell.className = value < 0 ? "minus" : "plus";
    cell.title = `${channel}: ${written(value)}`;
    strip.append(cell);
  });
  return strip;
}
