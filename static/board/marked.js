// @ts-check
// Cells whose number has just changed.

const CHANGE_STAYS = 2000; // milliseconds

/** @type {Set<HTMLTableCellElement>} */
const marked = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

// The numbers that changed are marked, each with what it was, until a while after the last change: one clock for all,
// because a number that is dragged changes many of them in every frame.
/** @param {HTMLTableCellElement} cell @param {string} before */
export function flash(cell, before) {
  if (!marked.has(cell)) {
    cell.dataset.was = `${before} \u2192`;
    cell.classList.add("changed");
    marked.add(cell);
  }
}

export function fadeLater() {
  if (!marked.size) return;
  clearTimeout(fading);
  fading = setTimeout(() => {
    for (const cell of marked) cell.classList.remove("changed");
    marked.clear();
  }, CHANGE_STAYS);
}
