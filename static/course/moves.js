// @ts-check
// A block of cells that fly to their next places; a list says the same without motion.

/** @import { Block } from "./blocks.js" */
/** @import { Host } from "../message/text.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);

/** @typedef {[number, number, number, number, string]} Frame column, row, columns, rows, label */
/** @typedef {{ title: string, says?: string, places: Array<[number, number]>, frames?: Frame[] }} Layout */
/** @typedef {Block & { title: string, at: number, cells: Array<[string, string, number]>, layouts: Layout[] }} Moves */

const CELL = 40; // pixels, of a cell that moves

/** @param {Bench} bench @param {Host} host @param {Moves} block */
export function moves(bench, host, block) {
  if (!host.cells) {
    host.heading = element("h3");
    host.says = element("p", "moves-title");
    host.stage = element("div", "moves-stage");
    host.frames = element("div", "moves-frames");
    host.stage.append(host.frames);
    host.cells = block.cells.map(() => element("span", "moving"));
    host.stage.append(...host.cells);
    host.list = element("ul", "unseen");
    host.append(host.heading, host.says, host.stage, host.list);
  }
  const layout = block.layouts[block.at];
  host.heading.textContent = block.title;
  host.setAttribute("role", "region"); // it may be wider than the screen
  host.setAttribute("aria-label", block.title);
  if (host.says.textContent && host.says.textContent !== layout.title) bench.hear(`${layout.title}.`);
  host.says.textContent = layout.title;
  const frames = layout.frames ?? [];
  const columns = Math.max(...layout.places.map(([column]) => column + 1), ...frames.map(([left, , wide]) => left + wide));
  const rows = Math.max(...layout.places.map(([, row]) => row + 1), ...frames.map(([, top, , high]) => top + high));
  host.stage.style.width = `${columns * CELL}px`;
  host.stage.style.height = `${rows * CELL}px`;
  host.stage.setAttribute("role", "img");
  host.stage.setAttribute("aria-label", layout.says ?? layout.title);
  host.frames.replaceChildren(...frames.map(frameOf));
  host.list.replaceChildren(...groupsOf(block, layout));
  block.cells.forEach(([text, ink, head], number) => {
    const cell = host.cells[number];
    const [column, row] = layout.places[number];
    if (cell.textContent !== text) cell.textContent = text;
    cell.dataset.ink = ink;
    cell.dataset.head = String(head % 8);
    cell.style.transform = `translate(${column * CELL}px, ${row * CELL}px)`;
  });
}

// The same in words: which numbers stand in which group, row by row.
/** @param {Moves} block @param {Layout} layout */
function groupsOf(block, { places, frames }) {
  /** @type {Frame} */
  const whole = [0, 0, Infinity, Infinity, ""];
  return (frames?.length ? frames : [whole]).map(([left, top, columns, rows, label]) => {
    /** @type {Map<number, string[]>} */
    const lines = new Map();
    places
      .map(([column, row], number) => ({ column, row, text: block.cells[number][0] }))
      .filter(({ column, row }) => row >= top && row < top + rows && column >= left && column < left + columns)
      .sort((one, other) => one.row - other.row || one.column - other.column)
      .forEach(({ row, text }) => lines.set(row, [...(lines.get(row) ?? []), text]));
    const numbers = [...lines.values()].map((texts) => texts.join(", ")).join("; ");
    return element("li", "", label ? `${label}: ${numbers}` : numbers);
  });
}

/** @param {Frame} frame */
function frameOf([column, row, columns, rows, label]) {
  const made = element("span", "moves-frame");
  Object.assign(made.style, { left: `${column * CELL}px`, top: `${row * CELL}px`, width: `${columns * CELL}px`, height: `${rows * CELL}px` });
  made.append(element("span", "", label));
  return made;
}
