// @ts-check
// Pointing at the stage: at the name of a word, with a finger that slides over a matrix, at a term of the formula.

/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../board/cells.js")} */
const { headerOf } = await import(`../board/cells.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);

// A press on the name of a word puts the word in focus.
/** @param {LabBench} bench @param {MouseEvent} event */
export function focusOn(bench, event) {
  const header = headerOf(event);
  const drawn = header && [...bench.matrices.values()].find(({ grid }) => grid.contains(header));
  if (!drawn || header.firstElementChild) return;
  const axis = drawn.matrix.axes[drawn.sides.includes(header) ? 0 : 1];
  if (["token", "query"].includes(axis))
    bench.acts.add("focus", Number(header.dataset.place) + (drawn.sides.includes(header) ? drawn.at[0] : 0));
}

// A finger slides over a matrix and the formula bar follows.
/** @param {LabBench} bench @param {PointerEvent} event */
export function follow(bench, event) {
  if (event.pointerType !== "touch" || !event.isPrimary) return;
  const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("td[data-row]");
  const drawn = under && [...bench.matrices.values()].find(({ grid }) => grid.contains(under));
  if (!drawn || under.classList.contains("chosen") || document.documentElement.classList.contains("dragging")) return;
  const [row, column] = [
    Number(/** @type {HTMLElement} */ (under).dataset.row) + drawn.at[0],
    Number(/** @type {HTMLElement} */ (under).dataset.column) + drawn.at[1],
  ];
  bench.acts.add("cell", drawn.key, row, column);
}

// The cell of a term of the formula.
/** @param {LabBench} bench @param {string} [step] @param {number[]} [index] */
export function light(bench, step, index) {
  for (const lit of bench.board.querySelectorAll(".lit-term")) lit.classList.remove("lit-term");
  const drawn = step === undefined ? undefined : bench.matrices.get(keyOf(bench, step));
  if (!drawn || !index || !drawn.figure.isConnected) return;
  const flat = drawn.matrix.axes.length > 1 && index.length > 1 ? index.slice(-2) : [0, index[index.length - 1]];
  drawn.cells[flat[0] - drawn.at[0]]?.[flat[1] - drawn.at[1]]?.classList.add("lit-term");
}
