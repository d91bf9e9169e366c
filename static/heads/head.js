// @ts-check
// The chosen head, large: arcs from the word in focus, the words, and the weights below them in the same columns.

/** @import { Bench } from "../page/bench.js" */
/** @import { HeadsBench, Seen } from "./heads.js" */
/** @import { Host } from "../message/text.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, listed, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { markRadio, radioGroup } = await import(`../page/choices.js${own}`);
/** @type {typeof import("../pictures/arcs.js")} */
const { arcsOf } = await import(`../pictures/arcs.js${own}`);
/** @type {typeof import("../home/marks.js")} */
const { drawn } = await import(`../home/marks.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const { drawPlaced, fetchAhead } = await import(`../figures/figures.js${own}`);
/** @type {typeof import("../state/address.js")} */
const { addressWith } = await import(`../state/address.js${own}`);

const GUTTER = 66; // of the names before rows
const [WIDEST, HIGHEST] = [44, 24]; // of a cell
const ROOM = 108; // above the words
const LETTER = 7.3; // pixels of a letter of a word
const ROOM_FOR_A_NUMBER = 30;
const BLANK = "\u00A0"; // where Plotly once drew no text at all, it never draws one

/** @param {Bench} bench @param {HTMLElement} host */
export function buildHead(bench, host) {
  const section = element("section", "chosen-head");
  const title = element("h2");
  const kind = element("p", "kind");
  const top = element("header");
  top.append(title, kind);
  const arcs = drawn("svg", { class: "arcs", role: "img" });
  const words = element("div", "words");
  /** @type {Host} */
  const map = element("div", "map");
  map.setAttribute("role", "figure");
  const said = element("p", "said");
  const pair = element("label", "looked-at");
  const looked = element("span");
  const key = element("select");
  key.addEventListener("change", () => bench.acts.add("cell", bench.data.heads?.focus, Number(key.value)));
  pair.append(looked, key);
  const ways = element("p", "ways");
  const toLab = element("a", "way-in");
  toLab.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    bench.acts.add("go", "numbers");
  });
  const keep = button("keep", "", () => bench.acts.add(bench.data.heads?.compare ? "forget" : "keep"));
  ways.append(toLab, keep);
  const below = element("div", "below");
  below.append(said, pair);
  const mapped = element("div", "mapped"); // its numbers as a table follow it
  mapped.append(map);
  section.append(top, arcs, words, mapped, below, ways);
  host.append(section);
  fetchAhead();
  return { section, title, kind, arcs, words, map, said, looked, key, toLab, keep, named: "", chosen: "", drawn: "" };
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawHead(bench, seen) {
  const { head } = bench.heads;
  const { all, shown, words, weights } = seen;
  const { focus, key } = shown;
  put(head.title, fillIn(words.tile, { layer: shown.layer, head: shown.head }));
  put(head.kind, kindOf(seen));
  const n = all.tokens.length;
  const wide = head.section.clientWidth;
  const cell = Math.min(WIDEST, (wide - GUTTER) / n);
  const named = JSON.stringify([all.tokens, bench.data.language]);
  if (head.named !== named) {
    head.named = named;
    const group = radioGroup(words.looks, all.tokens.map((token, place) => [place, token]), (place) => bench.acts.add("focus", place));
    [...group.querySelectorAll("button")].forEach((press, place) => {
      if (all.texts[place] !== all.tokens[place]) press.title = all.texts[place];
      press.classList.toggle("piece", place > 0 && all.token_words[place] >= 0 && all.token_words[place] === all.token_words[place - 1]);
      press.classList.toggle("special", all.token_words[place] < 0);
      press.classList.toggle("hidden-one", all.hidden.includes(place));
    });
    head.words.replaceChildren(group);
  }
  const isUpright = all.tokens.some((token, place) => (token.length + (all.tokens[place + 1] ?? token).length) * LETTER > 2 * cell);
  head.words.classList.toggle("upright", isUpright);
  head.section.style.setProperty("--cell", `${cell}px`);
  head.section.style.setProperty("--gutter", `${GUTTER}px`);
  markRadio(head.words, focus);
  drawArcs(bench, seen, cell);
  drawMap(bench, seen, cell, wide);
  head.said.replaceChildren(...saidWith(seen));
  drawKeys(bench, seen);
  head.key.value = String(key);
  put(head.looked, words.looked);
  put(head.toLab, words.to_lab);
  head.toLab.href = addressWith(shown.lab, "lab");
  put(head.keep, shown.compare ? words.forget : words.keep);
  head.key.dataset.weight = write(weights[focus][key], 2, CELL);
}

/** @param {HeadsBench} bench @param {Seen} seen */
function drawKeys(bench, { all, shown, weights }) {
  const { head } = bench.heads;
  const row = weights[shown.focus];
  const texts = all.tokens.map((token, place) => `${token} ${write(row[place], 2, CELL)}`);
  const of = texts.join("\n");
  if (head.key.dataset.of === of) return;
  head.key.dataset.of = of;
  head.key.replaceChildren(...texts.map((text, place) => new Option(text, String(place))));
}

// What the head does on this sentence, and how many others do the same.
/** @param {Seen} seen */
function kindOf({ all, tile, words }) {
  const group = all.groups[tile];
  if (group === undefined || all.tiles.length < 2 || all.tiles[0].example) return all.tiles[tile]?.title ?? "";
  const others = all.groups.filter((one) => one === group).length - 1;
  return fillIn(others ? words.as_others : words.alone, { group: words[`group_${group}`], count: others });
}

// The two words of the pair stand out in its sentence.
/** @param {Seen} seen */
function saidWith({ all, shown, weights, words }) {
  const facts = { word: all.tokens[shown.focus], other: all.tokens[shown.key], weight: write(weights[shown.focus][shown.key], 2, CELL) };
  return (shown.chosen ? words.pair : words.most).split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    return name ? element("strong", "", facts[/** @type {"word"} */ (name)]) : piece;
  });
}

/** @param {HeadsBench} bench @param {Seen} seen @param {number} cell */
function drawArcs(bench, { all, shown, weights, words }, cell) {
  const { head } = bench.heads;
  const { focus } = shown;
  const n = all.tokens.length;
  const row = weights[focus];
  const places = Array.from({ length: n }, (_, place) => (place + 0.5) * cell);
  const found = arcsOf(places, row, focus, { widest: Math.min(18, cell * 0.5), room: ROOM });
  const chosen = JSON.stringify([bench.data.outline, shown.layer, shown.head, focus]);
  if (head.chosen !== chosen) {
    head.chosen = chosen; // new arcs, which grow from the word
    const group = drawn("g", { transform: `translate(${GUTTER} ${ROOM})` });
    group.append(...found.map(({ to }) => drawn("path", { class: "arc", fill: "none", pathLength: 1, "data-to": to })));
    head.arcs.replaceChildren(group);
  }
  const width = GUTTER + n * cell;
  head.arcs.setAttribute("viewBox", `0 0 ${width} ${ROOM}`);
  head.arcs.setAttribute("width", String(width));
  head.arcs.setAttribute("height", String(ROOM));
  found.forEach(({ path, width: thick }, to) => {
    const arc = /** @type {SVGElement} */ (head.arcs.firstElementChild?.children[to]);
    arc.setAttribute("d", path);
    arc.style.strokeWidth = String(row[to] < 0.005 ? 0.6 : thick);
    arc.style.setProperty("--seen", String(0.16 + 0.84 * Math.min(1, 1.4 * row[to])));
    arc.classList.toggle("chosen", to === shown.key);
  });
  const told = listed(all.tokens.map((token, to) => `${token} ${write(row[to], 2, CELL)}`));
  head.arcs.setAttribute("aria-label", fillIn(words.arcs, { word: all.tokens[focus], weights: told }));
}

// Only the row of the word in focus has its numbers written; every cell says its own when it is pointed at.
/** @param {HeadsBench} bench @param {Seen} seen @param {number} cell @param {number} wide */
function drawMap(bench, { all, shown, words }, cell, wide) {
  const { head } = bench.heads;
  const n = all.tokens.length;
  const high = n > 16 ? 16 : n > 13 ? 20 : HIGHEST;
  const of = JSON.stringify([bench.data.outline, shown, cell, wide, bench.data.values]);
  if (head.drawn === of && head.map.drawn) return;
  head.drawn = of;
  const label = fillIn(words.map, { layer: shown.layer, head: shown.head });
  const letters = cell >= ROOM_FOR_A_NUMBER ? 12 : 0;
  const axis = { domain: [0, 1], fixedrange: true };
  const every = n > 24 ? 2 : 1; // rows with a name
  const rows = Array.from({ length: Math.ceil(n / every) }, (_, place) => place * every);
  const gap = n > 16 ? 1 : 2;
  const edges = { x0: -0.5, x1: n - 0.5, y0: shown.focus - 0.5, y1: shown.focus + 0.5 };
  const line = { width: 2, color: getComputedStyle(head.section).color };
  const frame = { type: "rect", xref: "x", yref: "y", ...edges, line };
  const isInRow = (/** @type {number} */ at) => Math.floor(at / n) === shown.focus;
  /** @param {import("../figures/fill.js").Figure} figure */
  const place = ({ data: [colours, texts], layout }) => {
    /** @type {string[]} */
    const written = texts.text.map((/** @type {string} */ text, /** @type {number} */ at) => (letters && isInRow(at) ? text : BLANK));
    const ticktext = rows.map((row) => (row === shown.focus ? `<b>${layout.yaxis.ticktext[row]}</b>` : layout.yaxis.ticktext[row]));
    const yaxis = { ...layout.yaxis, ...axis, ticktext, tickvals: rows, tickfont: { size: n > 16 ? 11 : 13 } };
    const xaxis = { ...layout.xaxis, ...axis, showticklabels: false };
    const margin = { l: GUTTER, r: Math.max(0, wide - GUTTER - cell * n), t: 2, b: 2, pad: 6 };
    const more = { annotations: [], dragmode: false, shapes: [...layout.shapes, frame], xaxis, yaxis, margin, height: high * n + 4 };
    const data = [{ ...colours, xgap: gap, ygap: gap, ...hover(all.tokens) }, { ...texts, text: written, textfont: { size: letters || 1 } }];
    return { data, layout: { ...layout, ...more } };
  };
  void drawPlaced(bench, head.map, all.figure, label, { cell, place });
}

/** @param {string[]} tokens */
function hover(tokens) {
  const plain = tokens.map((token) => token.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
  const text = plain.map((query) => plain.map((key) => `${query} \u2192 ${key}`));
  return { text, hovertemplate: "%{text}: %{z:.4f}<extra></extra>" };
}
