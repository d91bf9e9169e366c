// @ts-check
// A block: a sentence, arcs from the word in focus as wide as its weights, and bars with their numbers. Pressing a word
// puts it in focus. Beside a matrix, or where there is no room, words stand in a list with the arcs at their left.

/** @import { Block } from "./blocks.js" */
/** @import { LessonBench } from "./lesson.js" */
/** @import { Host } from "../message/text.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { markRadio, radioGroup } = await import(`../page/choices.js${own}`);
/** @type {typeof import("../pictures/arcs.js")} */
const { arcsOf } = await import(`../pictures/arcs.js${own}`);
/** @type {typeof import("./stage.js")} */
const { isNarrow } = await import(`./stage.js${own}`);
/** @type {typeof import("../home/marks.js")} */
const { drawn } = await import(`../home/marks.js${own}`);

/** @typedef {{ name: string, values: number[], ink: string }} Bars */
/**
 * @typedef {Block & { title: string, sentence: string, says: string, names: string[], weights: number[] | null, focus: number,
 *   press: boolean, list: boolean, bars: Bars[] }} Arcs
 */

const WIDE = { room: 150, widest: 20 };
const LIST = { room: 76, widest: 12 };
const ROW = { beside: 30, narrow: 36 }; // a line of the list: beside a matrix, or to be pressed with a finger
const LETTER = 8.6; // pixels that a letter takes at most on average
const LEAST = 42; // of a word, with the number below it
const DECIMALS = 2;

/** @param {LessonBench} bench @param {Host} host @param {Arcs} block */
export function arcs(bench, host, block) {
  if (!host.svg) build(bench, host);
  const { names, focus, press } = block;
  const named = JSON.stringify([names, press, block.sentence, block.bars.map(({ name }) => name)]);
  if (host.named !== named) {
    host.named = named;
    host.chosen = "";
    const group = radioGroup(block.sentence, names.map((name, place) => [place, name]), (place) => bench.acts.add("focus", place));
    for (const radio of group.querySelectorAll("button")) radio.disabled = !press || Boolean(bench.data.offline); // a handout has one picture
    host.row.replaceChildren(group);
    host.bars.replaceChildren(...names.map((name) => barsOf(name, block.bars)));
    host.legend.replaceChildren(...(block.bars.length > 1 ? block.bars.map(keyOf) : []));
    host.style.setProperty("--series", String(block.bars.length));
    host.style.setProperty("--words", names.map((name) => `${roomOf(name)}fr`).join(" "));
  }
  host.block = block;
  host.heading.textContent = block.title;
  host.bars.setAttribute("aria-label", block.title);
  host.svg.setAttribute("aria-label", block.says);
  markRadio(host.row, focus);
  drawBars(host, block);
  drawArcs(host);
}

/** @param {LessonBench} bench @param {Host} host */
function build(bench, host) {
  host.heading = element("h3");
  host.legend = element("p", "legend");
  host.svg = drawn("svg", { class: "drawn-arcs", role: "img" });
  host.row = element("div", "arc-words");
  host.bars = element("ol", "arc-bars");
  host.append(host.heading, host.legend, host.svg, host.row, host.bars);
  new ResizeObserver(() => host.isConnected && host.block && drawArcs(host)).observe(host);
}

/** @param {string} name */
const roomOf = (name) => Math.max(LEAST, LETTER * [...name].length + 8);

/** @param {string} name @param {Bars[]} bars */
function barsOf(name, bars) {
  const item = element("li");
  item.append(element("span", "name", name));
  for (const { ink } of bars) {
    const bar = element("span", "bar");
    bar.dataset.ink = ink;
    bar.setAttribute("aria-hidden", "true");
    bar.append(element("i"));
    item.append(bar);
  }
  for (const { name: what, ink } of bars) {
    const number = element("span", "number");
    number.dataset.ink = ink;
    number.append(element("span", "unseen", bars.length > 1 ? `${what} ` : ""), element("span"));
    item.append(number);
  }
  return item;
}

/** @param {Bars} bars */
function keyOf({ name, ink }) {
  const key = element("span", "key", name);
  key.dataset.ink = ink;
  return key;
}

/** @param {Host} host @param {Arcs} block */
function drawBars(host, { bars, weights }) {
  const most = weights ? weights.indexOf(Math.max(...weights)) : -1;
  [...host.bars.children].forEach((item, place) => {
    item.classList.toggle("most", place === most);
    bars.forEach(({ values }, one) => {
      const value = weights ? values[place] : null;
      const bar = item.querySelectorAll(".bar i")[one];
      bar.style.setProperty("--share", String(Math.min(1, value ?? 0)));
      put(item.querySelectorAll(".number > :last-child")[one], value === null ? "?" : write(value, DECIMALS, CELL));
    });
  });
}

// Whatever room there is: how wide it is decides how words stand.
/** @param {Host} host */
function drawArcs(host) {
  const { names, weights, focus, list } = /** @type {Arcs} */ (host.block);
  const wide = host.clientWidth;
  const rooms = names.map(roomOf);
  const all = rooms.reduce((sum, room) => sum + room, 0);
  const isList = list || (host.closest(".floor")?.clientWidth || wide) < all;
  const row = isNarrow() ? ROW.narrow : ROW.beside;
  host.classList.toggle("as-list", isList);
  host.style.setProperty("--row", `${row}px`);
  if (!isList && !wide) return; // not in the page yet
  const places = isList
    ? names.map((_, place) => (place + 0.5) * row)
    : rooms.map((room, place) => ((rooms.slice(0, place).reduce((sum, one) => sum + one, 0) + room / 2) * wide) / all);
  const { room, widest } = isList ? LIST : WIDE;
  const found = weights ? arcsOf(places, weights, focus, { room, widest }) : [];
  const [across, down] = isList ? [room, row * names.length] : [wide, room];
  const chosen = JSON.stringify([focus, names.length, isList, found.length]);
  if (host.chosen !== chosen) {
    host.chosen = chosen; // new arcs, which grow from the word
    const group = drawn("g", { transform: isList ? `matrix(0 1 1 0 ${room} 0)` : `translate(0 ${room})` });
    group.append(...found.map(({ to }) => drawn("path", { class: "arc", fill: "none", pathLength: 1, "data-to": to })));
    host.svg.replaceChildren(group);
  }
  host.svg.setAttribute("viewBox", `0 0 ${across} ${down}`);
  host.svg.setAttribute("width", String(across));
  host.svg.setAttribute("height", String(down));
  found.forEach(({ path, width, opacity }, to) => {
    const arc = /** @type {SVGElement} */ (host.svg.firstElementChild.children[to]);
    arc.setAttribute("d", path);
    arc.style.strokeWidth = String(width);
    arc.style.setProperty("--seen", String(opacity));
  });
}
