// @ts-check
// Heads: a sentence, every head of a model as a small map, and the chosen one large, down to the vectors behind a weight.

/** @import { Bench } from "../page/bench.js" */
/** @import { HeadsOutline, HeadsShown } from "../message/message.js" */

/** @typedef {ReturnType<typeof buildHeads>} Heads */
/** @typedef {Bench & { heads: Heads }} HeadsBench */

/**
 * What is seen: all heads of the sentence, what is chosen, and the weights of the chosen head.
 * @typedef {object} Seen
 * @property {HeadsOutline} all
 * @property {HeadsShown} shown
 * @property {number[][]} weights
 * @property {number} tile that is chosen
 * @property {string} sort
 * @property {Record<string, string>} words
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, pageLink, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./line.js")} */
const { buildLine, drawLine } = await import(`./line.js${own}`);
/** @type {typeof import("./maps.js")} */
const { buildMaps, drawMaps } = await import(`./maps.js${own}`);
/** @type {typeof import("./head.js")} */
const { buildHead, drawHead } = await import(`./head.js${own}`);
/** @type {typeof import("./pair.js")} */
const { buildPair, drawPair } = await import(`./pair.js${own}`);
/** @type {typeof import("./trials.js")} */
const { buildTrials, drawTrials } = await import(`./trials.js${own}`);
/** @type {typeof import("./compare.js")} */
const { buildCompare, drawCompare } = await import(`./compare.js${own}`);

/** @param {Bench} bench */
export function buildHeads(bench) {
  bench.root.classList.add("in-heads");
  bench.root.closest("[data-sheet]")?.removeAttribute("data-sheet"); // no arithmetic lies over this page
  const brand = element("strong", "brand");
  const nav = element("nav");
  const title = element("h1", "unseen");
  const host = element("div", "heads");
  const left = element("div", "left");
  const right = element("div", "right");
  bench.corner.host.prepend(brand, nav);
  host.append(title);
  const line = buildLine(bench, host);
  host.append(left, right);
  bench.root.append(host);
  const maps = buildMaps(bench, left);
  const pair = buildPair(left);
  const head = buildHead(bench, right);
  const trials = buildTrials(bench, right);
  const compare = buildCompare(left);
  const credit = element("p", "credit");
  host.append(credit);
  host.addEventListener("keydown", (event) => press(bench, event));
  new ResizeObserver(() => bench.heads && bench.outline && bench.draw()).observe(host);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => bench.outline && bench.draw());
  return { host, brand, nav, title, line, maps, pair, head, trials, compare, credit, sort: "", named: "", told: "" };
}

// Undo and redo, but not while a sentence is typed, which has its own.
/** @param {Bench} bench @param {KeyboardEvent} event */
function press(bench, event) {
  const letter = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target instanceof HTMLTextAreaElement) return;
  if (letter !== "z" && letter !== "y") return;
  bench.acts.add(letter === "z" && !event.shiftKey ? "undo" : "redo");
  event.preventDefault();
}

/** @param {Bench} bare */
export function drawHeads(bare) {
  const bench = /** @type {HeadsBench} */ (bare);
  const seen = seenOn(bench);
  if (!seen) return;
  drawTop(bench, seen);
  drawLine(bench, seen);
  drawMaps(bench, seen);
  drawHead(bench, seen);
  drawPair(bench, seen);
  drawTrials(bench, seen);
  drawCompare(bench, seen);
  tell(bench, seen);
}

/** @param {HeadsBench} bench @returns {Seen | null} */
function seenOn({ data, outline, heads, acts }) {
  const all = outline.heads;
  const shown = data.heads;
  if (!all || !shown) return null;
  if (acts.settled) heads.sort = shown.sort;
  const tile = all.tiles.findIndex((one) => (one.example ? one.example === shown.example : one.layer === shown.layer && one.head === shown.head));
  const sort = heads.sort && heads.sort !== "kind" && !all.measures[heads.sort] ? "" : heads.sort;
  return { all, shown, weights: data.values[0].map((row) => row.map(Number)), tile, sort, words: all.words };
}

/** @param {HeadsBench} bench @param {Seen} seen */
function drawTop(bench, { all, words }) {
  const { heads } = bench;
  put(heads.brand, "QKV Lab");
  put(heads.title, words.title);
  put(heads.credit, all.credit);
  if (heads.named === bench.data.language) return;
  heads.named = bench.data.language;
  const here = element("span", "here", words.title);
  here.setAttribute("aria-current", "page");
  heads.nav.replaceChildren(pageLink(bench, "home", words.course), pageLink(bench, "lab", words.lab), here);
}

// The pair in words.
/** @param {Seen} seen */
export function saidOf({ all, shown, weights, words }) {
  const { focus, key } = shown;
  const facts = { word: all.tokens[focus], other: all.tokens[key], weight: write(weights[focus][key], 2, CELL) };
  return fillIn(shown.chosen ? words.pair : words.most, facts);
}

// What was chosen is heard when the server has answered.
/** @param {HeadsBench} bench @param {Seen} seen */
function tell(bench, seen) {
  const { layer, head } = seen.shown;
  const said = `${fillIn(seen.words.tile, { layer, head })}. ${saidOf(seen)}`;
  if (bench.heads.told && bench.isNews && said !== bench.heads.told) bench.hear(said);
  if (!bench.heads.told || bench.isNews) bench.heads.told = said;
}

// The keys that there are on this page.
/** @param {Bench} bench @returns {Array<[string[], string]>} */
export function headsKeys({ outline }) {
  const words = outline.heads?.words ?? {};
  return [
    [["Tab"], words.keys_on],
    [["\u2190", "\u2191", "\u2192", "\u2193"], words.keys_tiles],
    [["Enter"], words.keys_enter],
    [["Ctrl+Z", "Ctrl+Y"], words.keys_back],
    [["?"], outline.words.keys_list],
  ];
}
