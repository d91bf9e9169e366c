// @ts-check
// Blocks: what a section shows besides the board. Matrices, curves, tables, strips, code, cells that move.

/** @import { LessonBench } from "./lesson.js" */
/** @import { Host } from "../message/text.js" */

/** @typedef {Record<string, any>} Block plain data, as a function of ui/course/engine/blocks.py returns it */
/** @typedef {{ name: string, y: Array<number | null> }} Series */
/** @typedef {Block & { title: string, x: Array<number | string>, x_title: string, series: Series[] }} Plot */
/** @typedef {Block & { title: string, headers: string[], rows: string[][], marked: number }} Table */
/** @typedef {Block & { title: string, channels: Array<[string, string, number]>, marks: number[] }} Strip */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, headerCell } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { brief } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/formula.js")} */
const { piecesOf } = await import(`../page/formula.js${own}`);
/** @type {typeof import("./prose.js")} */
const { pieceOf } = await import(`./prose.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const { drawPlot, release } = await import(`../figures/figures.js${own}`);
/** @type {typeof import("./arcs.js")} */
const { arcs } = await import(`./arcs.js${own}`);
/** @type {typeof import("./grid.js")} */
const { matrix, signOf } = await import(`./grid.js${own}`);
/** @type {typeof import("./moves.js")} */
const { moves } = await import(`./moves.js${own}`);
/** @type {typeof import("./paper.js")} */
const { paper } = await import(`./paper.js${own}`);

/** @type {Record<string, (bench: LessonBench, host: Host, block: any) => void>} */
const MAKERS = { matrix, row, plot, table, strip, code, sentence, formula, progress, moves, paper, arcs };

// A block that has not changed stays; a plot and cells that move are updated in place.
/** @param {LessonBench} bench @param {HTMLElement} host @param {Block[]} blocks */
export function drawBlocks(bench, host, blocks) {
  host.hidden = !blocks.length;
  const isTop = host === bench.lesson.blocks;
  blocks.forEach((block, number) => {
    const wanted = JSON.stringify([block, bench.data.language, block.kind === "progress" && bench.data.lesson.working]);
    let made = /** @type {Host | undefined} */ (host.children[number]);
    if (made?.dataset.kind !== block.kind || made?.dataset.key !== keyOf(bench, block)) {
      /** @type {Host} */
      const fresh = element("div", `block ${block.kind}`);
      fresh.dataset.kind = block.kind;
      if (isTop) fresh.style.order = String(2 * number + 1); // controls stand between
      fresh.dataset.key = keyOf(bench, block);
      if (made) {
        release(made);
        made.replaceWith(fresh);
      } else host.append(fresh);
      made = fresh;
    }
    if (made.shown === wanted) return;
    made.shown = wanted;
    MAKERS[block.kind](bench, made, block);
  });
  for (const gone of [...host.children].slice(blocks.length)) {
    release(gone);
    gone.remove();
  }
}

/** @param {LessonBench} bench @param {Block} block */
const keyOf = (bench, block) => `${bench.lesson.section} ${block.key ?? block.title ?? ""}`;

/** @param {LessonBench} bench @param {Host} host @param {Block} block */
function row(bench, host, block) {
  if (!host.inner) {
    host.heading = element("h3");
    host.inner = element("div", "side-by-side");
    host.append(host.heading, host.inner);
  }
  host.heading.textContent = block.title;
  host.heading.hidden = !block.title;
  drawBlocks(bench, host.inner, block.blocks);
}

/** @param {LessonBench} bench @param {Host} host @param {Plot} block */
function plot(bench, host, block) {
  const { words } = bench.outline;
  if (!host.figure) {
    host.heading = element("h3");
    host.figure = element("div", "figure");
    host.figure.setAttribute("role", "figure");
    host.numbers = element("details");
    host.append(host.heading, host.figure, host.numbers);
  }
  host.heading.textContent = block.title;
  host.figure.setAttribute("aria-label", `${block.title}. ${block.series.map((one) => rangeOf(block, one, words)).join(" ")}`);
  const list = element("table");
  const head = list.createTHead().insertRow();
  for (const label of [block.x_title, ...block.series.map((one) => one.name)]) head.append(headerCell("col", label));
  const body = list.createTBody();
  block.x.forEach((x, number) => {
    const line = body.insertRow();
    line.append(headerCell("row", asText(x)));
    for (const one of block.series) line.insertCell().textContent = asText(one.y[number]);
  });
  host.numbers.replaceChildren(element("summary", "", words.plot_numbers), list);
  drawPlot(bench, host.figure, block);
}

// The curve in words: from where to where.
/** @param {Plot} block @param {Series} one @param {Record<string, string>} words */
function rangeOf(block, one, words) {
  const seen = one.y.map((y, number) => [block.x[number], y]).filter(([, y]) => y !== null);
  if (!seen.length) return "";
  const [[from, low], [to, high]] = [seen[0], seen[seen.length - 1]];
  return fillIn(words.plot_range, { name: one.name, from: asText(from), low: asText(low), to: asText(to), high: asText(high) });
}

/** @param {number | string | null | undefined} value */
function asText(value) {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value === "string") return value;
  return brief(value, 5);
}

/** @param {LessonBench} bench @param {Host} host @param {Table} block */
function table(bench, host, block) {
  const made = element("table", "plain");
  made.append(element("caption", "", block.title));
  const head = made.createTHead().insertRow();
  for (const label of block.headers) head.append(headerCell("col", label));
  const body = made.createTBody();
  block.rows.forEach(([first, ...rest], number) => {
    const line = body.insertRow();
    line.append(headerCell("row", first));
    for (const cell of rest) line.insertCell().textContent = cell;
    line.classList.toggle("marked", number === block.marked);
  });
  host.tabIndex = 0; // it may be wider than the screen, and is scrolled by keyboard too
  host.setAttribute("role", "region");
  host.setAttribute("aria-label", block.title);
  host.replaceChildren(made);
}

/** @param {LessonBench} bench @param {Host} host @param {Strip} block */
function strip(bench, host, block) {
  const list = element("ol", "channels");
  list.setAttribute("aria-label", block.title);
  block.channels.forEach(([label, ink, head], number) => {
    const item = element("li", block.marks.includes(number) ? "wrong" : "", label);
    item.dataset.ink = ink;
    item.dataset.head = String(head % 8);
    if (block.marks.includes(number)) item.append(signOf("wrong", bench.outline.words));
    list.append(item);
  });
  host.replaceChildren(element("h3", "", block.title), list);
}

/** @param {LessonBench} bench @param {Host} host @param {Block} block */
function code(bench, host, block) {
  const line = element("pre");
  line.tabIndex = 0;
  line.append(element("code", "", block.text));
  host.replaceChildren(element("h3", "", block.title), line);
}

/** @param {LessonBench} bench @param {Host} host @param {Block} block */
function sentence(bench, host, block) {
  const made = element("p", block.tone);
  made.append(...block.pieces.map((/** @type {any} */ piece) => pieceOf(bench, piece)));
  host.replaceChildren(made);
}

/** @param {LessonBench} bench @param {Host} host @param {Block} block */
function formula(bench, host, block) {
  const made = element("p", "set");
  made.append(...piecesOf(block.latex));
  host.replaceChildren(...(block.title ? [element("h3", "", block.title)] : []), made);
}

/** @param {LessonBench} bench @param {Host} host @param {Block} block */
function progress(bench, host, block) {
  const { words } = bench.outline;
  if (!host.bar) {
    host.bar = element("progress");
    host.label = element("span", "label");
    host.press = button("stop", "", () => bench.acts.add("stop"));
    host.append(host.label, host.bar, host.press);
  }
  if (host.bar.value < 1 && block.fraction >= 1 && host.label.textContent) bench.hear(`${block.label} 100 %`);
  host.bar.max = 1;
  host.bar.value = block.fraction;
  host.bar.setAttribute("aria-label", block.label);
  host.label.textContent = `${block.label} ${Math.round(block.fraction * 100)} %`;
  host.press.hidden = block.fraction >= 1;
  host.press.textContent = bench.data.lesson.working ? words.stop : words.go_on;
}
