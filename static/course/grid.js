// @ts-check
// A block that is a matrix of its own, and the signs that mark cells.

/** @import { Block } from "./blocks.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, headerCell } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, placesOf, write } = await import(`../message/numbers.js${own}`);

/**
 * @typedef {Block & { title: string, values: Array<Array<number | string | boolean | null>>, scale: string, top: number, decimals: number,
 *   rows?: string[], columns?: string[], marks?: Array<[number, number, string]>, heads?: number[][] }} Grid
 */

/** @type {Record<string, string>} */
const SIGNS = { first: "\u25C6", wrong: "\u2715", right: "\u2713", new: "+" };

/** @param {Bench} bench @param {HTMLElement} host @param {Grid} block */
export function matrix(bench, host, block) {
  const { words } = bench.outline;
  const figure = element("figure", "matrix");
  const caption = element("figcaption");
  const shape = `${block.values.length}\u00D7${block.values[0].length}`;
  caption.append(element("span", "name", block.title), element("span", "shape", shape));
  figure.dataset.ink = block.ink ?? "";
  host.dataset.of = block.name ?? "";
  const grid = element("table");
  grid.setAttribute("aria-label", `${block.title} ${shape}`);
  if (block.columns) {
    const head = grid.createTHead().insertRow();
    if (block.rows) head.append(element("td"));
    for (const label of block.columns) head.append(headerCell("col", label));
  }
  const marks = new Map((block.marks ?? []).map(([row, column, mark]) => [`${row},${column}`, mark]));
  const numbers = block.values.map((line) => line.map((value) => (typeof value === "number" ? value : 0)));
  const places = placesOf(numbers, block.decimals);
  const body = grid.createTBody();
  block.values.forEach((values, row) => {
    const line = body.insertRow();
    if (block.rows) line.append(headerCell("row", block.rows[row]));
    values.forEach((value, column) => {
      const cell = line.insertCell();
      cell.dataset.row = String(row);
      const mark = marks.get(`${row},${column}`);
      const text = textOf(block, value, places);
      if (block.press) cell.append(pickOf(bench, block, row, column, text));
      else cell.textContent = text;
      cell.className = [shadeOf(block, value), mark ? `mark-${mark}` : "", mark === "hidden" ? "hidden" : ""].filter(Boolean).join(" ");
      const strength = typeof value === "number" && block.scale !== "plain" ? Math.min(1, Math.abs(value) / block.top) : 0;
      cell.style.setProperty("--strength", `${Math.round(strength * 100)}%`);
      if (block.heads) cell.dataset.head = String(block.heads[row][column] % 8);
      if (mark && SIGNS[mark]) cell.append(signOf(mark, words));
      else if (mark) cell.append(element("span", "unseen", ` (${words[`mark_${mark}`]})`));
    });
  });
  figure.append(caption, grid);
  if (block.note) figure.append(element("p", "note", block.note));
  host.replaceChildren(figure);
}

// A cell that can be the answer: its row and its column.
/** @param {Bench} bench @param {Grid} block @param {number} row @param {number} column @param {string} text */
function pickOf(bench, block, row, column, text) {
  const press = button("pick", text, () => bench.acts.add("answer", `${row}, ${column}`));
  const where = [block.rows?.[row] ?? row, block.columns?.[column] ?? column].join(", ");
  press.setAttribute("aria-label", `${block.title}[${where}]: ${text}`);
  return press;
}

/** @param {Grid} block @param {any} value @param {number} places */
function textOf(block, value, places) {
  if (typeof value === "string") return value;
  if (block.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, CELL);
}

/** @param {Grid} block @param {any} value */
function shadeOf(block, value) {
  if (block.scale === "share") return "share";
  if (block.scale === "flag") return "flag";
  return value < 0 ? "negative" : "positive";
}

/** @param {string} mark @param {Record<string, string>} words */
export function signOf(mark, words) {
  const sign = element("span", "sign", SIGNS[mark]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", words[`mark_${mark}`]);
  return sign;
}
