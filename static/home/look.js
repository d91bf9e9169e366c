// @ts-check
// The sentence: its words, arcs from the one in focus, and how much it looks at each, as bars with their numbers.

/** @import { Bench } from "../page/bench.js" */
/** @import { HomeBench, Seen } from "./home.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, pageLink, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, listed, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { markRadio, radioGroup } = await import(`../page/choices.js${own}`);
/** @type {typeof import("./sentences.js")} */
const { sentencesOf } = await import(`./sentences.js${own}`);
/** @type {typeof import("../pictures/arcs.js")} */
const { arcsOf } = await import(`../pictures/arcs.js${own}`);
/** @type {typeof import("./marks.js")} */
const { drawn } = await import(`./marks.js${own}`);

const ROOM = 182; // above the words
const PHONE = { room: 84, widest: 12, row: 40 }; // where words stand in a list, arcs to their left
const narrow = matchMedia("(max-width: 700px)"); // as in home.css

/** @param {Bench} bench @param {HTMLElement} host */
export function buildLook(bench, host) {
  const section = element("section", "look");
  const words = element("div", "words");
  const arcs = drawn("svg", { class: "arcs", role: "img" });
  const label = element("p", "gutter of-shares");
  const shares = element("ol", "shares");
  const total = element("p", "total");
  const sum = element("strong");
  const rounded = element("span", "rounded");
  const notes = element("div", "notes");
  const toy = element("p", "gutter toy");
  const heads = element("div", "heads");
  const where = element("p", "where");
  total.append("= ", sum, " ", rounded);
  notes.append(heads, where);
  section.append(arcs, words, notes, toy, label, shares, total);
  host.append(section);
  new ResizeObserver(() => bench.home && bench.outline && bench.draw()).observe(words);
  return { section, words, arcs, label, shares, sum, rounded, notes, heads, where, toy, named: "", chosen: "" };
}

/** @param {HomeBench} bench @param {Seen} seen */
export function drawLook(bench, seen) {
  const { look } = bench.home;
  const { focus, head, heads, names, words } = seen;
  const named = JSON.stringify([names, heads, bench.data.language]);
  if (look.named !== named) {
    look.named = named;
    look.section.setAttribute("aria-label", words.look);
    look.toy.replaceChildren(words.toy, " ", pageLink(bench, "heads", words.real));
    const wordGroup = radioGroup(words.sentence, names.map((name, row) => [row, name]), (row) => bench.acts.add("focus", row));
    const headGroup = radioGroup(words.head, Array.from({ length: heads }, (_, one) => [one, String(one)]), (one) => bench.acts.add("head", one));
    headGroup.querySelectorAll("button").forEach((press, one) => (press.dataset.head = String(one % 8)));
    look.words.replaceChildren(wordGroup);
    look.heads.replaceChildren(headGroup);
    look.shares.replaceChildren(...names.map(shareOf));
    look.where.replaceChildren();
    look.section.style.setProperty("--words", String(names.length));
  }
  markRadio(look.words, focus);
  markRadio(look.heads, head);
  sentencesOf(seen).forEach((sentence, one) => {
    const said = look.where.children[one] ?? look.where.appendChild(element("span"));
    put(said, `${sentence} `);
    said.classList.toggle("here", one === head);
  });
  drawArcs(bench, seen);
  drawShares(bench, seen);
}

/** @param {string} name */
function shareOf(name) {
  const item = element("li");
  const bar = element("span", "bar");
  bar.append(element("i"));
  bar.setAttribute("aria-hidden", "true");
  item.append(element("span", "name", name), " ", bar, element("span", "share"));
  return item;
}

/** @param {HomeBench} bench @param {Seen} seen */
function drawArcs({ home: { look }, scrubbing }, { focus, head, names, weights, words, decimals }) {
  const isList = narrow.matches;
  const length = isList ? PHONE.row * names.length : look.words.clientWidth;
  const room = isList ? PHONE.room : ROOM;
  const places = names.map((_, place) => ((place + 0.5) * length) / names.length);
  const found = arcsOf(places, weights, focus, isList ? PHONE : { room });
  const [wide, high] = isList ? [room, length] : [length, room];
  const chosen = JSON.stringify([focus, head, names.length, isList]);
  if (look.chosen !== chosen) {
    look.chosen = chosen; // new arcs, which grow from the word
    const group = drawn("g", isList ? { transform: `matrix(0 1 1 0 ${room} 0)` } : { transform: `translate(0 ${room})` });
    group.append(...found.map(({ to }) => drawn("path", { class: "arc", fill: "none", pathLength: 1, "data-to": to })));
    look.arcs.replaceChildren(group);
  }
  if (look.arcs.getAttribute("viewBox") !== `0 0 ${wide} ${high}`) {
    look.arcs.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    look.arcs.setAttribute("width", String(wide));
    look.arcs.setAttribute("height", String(high));
  }
  look.arcs.classList.toggle("dragging", scrubbing);
  found.forEach(({ path, width, opacity }, to) => {
    const drawnArc = /** @type {SVGElement} */ (look.arcs.firstElementChild?.children[to]);
    drawnArc.setAttribute("d", path);
    drawnArc.style.strokeWidth = String(width);
    drawnArc.style.setProperty("--seen", String(opacity));
  });
  const told = listed(names.map((name, to) => `${name} ${write(weights[to], decimals, CELL)}`));
  look.arcs.setAttribute("aria-label", fillIn(words.arcs, { word: names[focus], weights: told }));
}

/** @param {HomeBench} bench @param {Seen} seen */
function drawShares({ home: { look }, scrubbing }, { focus, most, names, weights, words, decimals }) {
  put(look.label, fillIn(words.how_much, { word: names[focus] }));
  look.shares.setAttribute("aria-label", look.label.textContent);
  look.shares.classList.toggle("dragging", scrubbing);
  const unit = 10 ** decimals;
  let sum = 0; // of what is written
  weights.forEach((weight, to) => {
    const item = /** @type {HTMLElement} */ (look.shares.children[to]);
    item.style.setProperty("--share", String(weight));
    item.classList.toggle("most", to === most);
    put(/** @type {Element} */ (item.lastElementChild), write(weight, decimals, CELL));
    sum += Math.round(Number(weight.toFixed(decimals)) * unit);
  });
  put(look.sum, write(sum / unit, decimals, CELL));
  put(look.rounded, sum === unit ? "" : words.rounded);
}
