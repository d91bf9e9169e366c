// @ts-check
// What is done to a cell: it is opened, switched, typed into, pasted over; a name is changed.

/** @import { Cell, Drawn } from "./cells.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { asTyped } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./scrub.js")} */
const { scrubbedByKey, scrubs } = await import(`./scrub.js${own}`);
/** @type {typeof import("./cells.js")} */
const { cellOf, headerOf, isAlongRows, isOfColumns, isOpen, nextRow, placeOf, stopAt, tab, walk, wholePlace } = await import(`./cells.js${own}`);

/** @param {Bench} bench @param {Drawn} drawn @param {Event} event */
export function doubled(bench, drawn, event) {
  const head = headerOf(event);
  if (head) rename(bench, drawn, head);
  else if (drawn.editable) edit(bench, drawn, cellOf(event), null);
}

/** @param {Bench} bench @param {Drawn} drawn @param {Event} event */
export function pick(bench, drawn, event) {
  const cell = cellOf(event);
  if (!cell || cell.firstElementChild) return;
  drawn.tabFrom = null;
  stopAt(drawn, cell);
  if (drawn.guessing && isOpen(cell)) edit(bench, drawn, cell, "");
  // A second tap on a chosen cell types, for those who have no keyboard.
  else if (drawn.editable && cell.classList.contains("chosen")) edit(bench, drawn, cell, null);
  else open(bench, drawn, cell);
}

// A cell opens to its arithmetic; a cell of a mask that is the learner's own is switched instead.
/** @param {Bench} bench @param {Drawn} drawn @param {Cell} cell */
function open(bench, drawn, cell) {
  if (drawn.later && !bench.data.covered) return;
  const [row, column] = placeOf(cell);
  if (drawn.switchable) send(bench, drawn, cell, drawn.values?.[row][column] ? "0" : "1");
  else bench.acts.add("cell", drawn.key, ...wholePlace(drawn, cell));
}

/** @param {Bench} bench @param {Drawn} drawn @param {KeyboardEvent} event */
export function press(bench, drawn, event) {
  const cell = cellOf(event) ?? headerOf(event);
  if (!cell || cell.firstElementChild) return;
  const isHeader = cell.tagName === "TH";
  const letter = event.key.toLowerCase();
  const typing = drawn.editable || (drawn.guessing && !isHeader && isOpen(cell));
  if (event.ctrlKey || event.metaKey) {
    if (letter !== "z" && letter !== "y") return;
    bench.acts.add(letter === "z" && !event.shiftKey ? "undo" : "redo");
  } else if (event.altKey) {
    if (isHeader || !scrubbedByKey(bench, event, () => draggedCell(bench, drawn, /** @type {Cell} */ (cell)))) return;
  } else if (isHeader && (event.key === "Enter" || event.key === "F2")) rename(bench, drawn, cell);
  else if (isHeader && !event.key.startsWith("Arrow")) return;
  else if (typing && event.key === "F2") edit(bench, drawn, cell, drawn.guessing ? "" : null);
  else if (typing && event.key === "Enter") edit(bench, drawn, cell, drawn.guessing ? "" : null);
  else if (drawn.editable && (event.key === "Delete" || event.key === "Backspace")) send(bench, drawn, cell, "0");
  else if (typing && /^[^\sp?]$/i.test(event.key)) edit(bench, drawn, cell, event.key);
  else if (drawn.matrix.fixed && /^([^\sp?]|Delete|Backspace|F2)$/i.test(event.key)) sayFixed(bench, drawn);
  else if (isAlongRows(drawn, cell) && event.key === "Tab") {
    if (!tab(drawn, cell, event.shiftKey)) return;
  } else if (isAlongRows(drawn, cell) && event.key === "Escape") drawn.tabFrom = null; // Tab leaves the matrix again
  else if (event.key === "Escape") bench.acts.add("cell");
  else if (event.key === "Enter" || event.key === " ") open(bench, drawn, cell);
  else if (!walk(drawn, cell, event.key)) return;
  event.preventDefault();
  event.stopPropagation(); // these keys belong to the grid while it has the focus
}

/** @param {Bench} bench @param {Drawn} drawn */
const sayFixed = (bench, drawn) => bench.say(fillIn(bench.outline.words.fixed_matrix, { matrix: drawn.matrix.name }));

// A number that is dragged; a finger drags only the one that is chosen.
/** @param {Bench} bench @param {Drawn} drawn @param {HTMLElement} grid */
export function scrubsIn(bench, drawn, grid) {
  scrubs(bench, grid, (event) => {
    const cell = cellOf(event);
    const isMine = cell && (event.pointerType === "mouse" || cell === document.activeElement);
    return isMine ? draggedCell(bench, drawn, cell) : null;
  });
}

/** @param {Bench} bench @param {Drawn} drawn @param {Cell} cell */
function draggedCell(bench, drawn, cell) {
  const [row, column] = placeOf(cell);
  const value = drawn.values?.[row][column] ?? null;
  if (!drawn.editable || cell.firstElementChild || value === null) return null;
  const place = wholePlace(drawn, cell);
  /** @param {number} number */
  const act = (number) => ["edit", drawn.key, ...place, String(number)];
  const ended = () => (bench.typed = { wanted: "edit", number: bench.acts.count, key: drawn.key, place });
  return { value, place: cell, act, ended };
}

// Typing in place, as in a spreadsheet: Enter goes down, Tab right and on to the next row, Escape leaves the number as
// it was.
/** @param {Bench} bench @param {Drawn} drawn @param {Cell | null} cell @param {string | null} first */
function edit(bench, drawn, cell, first) {
  if (!cell || cell.firstElementChild) return;
  const [row, column] = placeOf(cell);
  const value = drawn.values?.[row][column] ?? null;
  const before = drawn.guessing ? "" : value === null ? "-inf" : asTyped(value);
  type(bench, drawn, cell, first ?? before, first === null, (typed) => {
    if (typed === "" || typed === before) return null;
    return () => send(bench, drawn, cell, typed);
  }, first !== null);
}

/** @param {Bench} bench @param {Drawn} drawn @param {Cell} head */
function rename(bench, drawn, head) {
  if (!bench.canRename || drawn.large || head.firstElementChild) return;
  const axis = drawn.matrix.axes[isOfColumns(drawn, head) ? 1 : 0];
  const before = head.textContent;
  type(bench, drawn, head, before, true, (typed) => {
    if (typed === "" || typed === before) return null;
    return () => bench.acts.add("rename", drawn.key, axis, Number(head.dataset.place), typed);
  }, false);
}

/**
 * @param {Bench} bench
 * @param {Drawn} drawn
 * @param {Cell} cell
 * @param {string} text
 * @param {boolean} select
 * @param {(typed: string) => (() => void) | null} changeOf
 * @param {boolean} arrowsLeave
 */
function type(bench, drawn, cell, text, select, changeOf, arrowsLeave) {
  const shown = cell.textContent;
  const input = element("input");
  input.value = text;
  input.setAttribute("aria-label", cell.getAttribute("aria-label") ?? fillIn(bench.outline.words.rename, { name: shown }));
  input.autocomplete = "off";
  cell.append(input); // over the old text, which keeps the room
  cell.classList.add("typing");
  input.focus();
  if (select) input.select();
  let over = false;
  /** @param {boolean | "away"} keep @param {string | null} next */
  const finish = (keep, next) => {
    if (over) return;
    over = true;
    const typed = input.value.trim();
    const change = keep ? changeOf(typed) : null;
    cell.replaceChildren(change ? typed : shown);
    cell.classList.remove("typing");
    if (next) walk(drawn, cell, next) || stopAt(drawn, cell);
    else if (keep !== "away") stopAt(drawn, cell);
    change?.();
  };
  input.addEventListener("blur", () => finish("away", null));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    /** @type {Record<string, string>} */
    const next = { Enter: event.shiftKey ? "ArrowUp" : "ArrowDown", Tab: event.shiftKey ? "ArrowLeft" : "ArrowRight" };
    const from = drawn.tabFrom; // which is gone once the field is
    if (event.key === "Escape") finish(false, null);
    else if (event.key === "Tab" && cell.tagName === "TD") {
      finish(true, null);
      if (!tab(drawn, cell, event.shiftKey)) return; // the browser's own Tab leaves the matrix
      drawn.tabFrom = from ?? placeOf(cell)[1];
    } else if (event.key === "Enter" && !event.shiftKey && from !== null && cell.tagName === "TD") {
      finish(true, null);
      nextRow(drawn, cell, from);
      drawn.tabFrom = from;
    } else if (event.key in next) finish(true, next[event.key]);
    else if (arrowsLeave && /^Arrow/.test(event.key)) finish(true, event.key);
    else return;
    event.preventDefault();
  });
}

/** @param {Bench} bench @param {Drawn} drawn @param {Cell} cell @param {string} text */
function send(bench, drawn, cell, text) {
  const wanted = drawn.guessing ? "guess" : "edit";
  bench.acts.add(wanted, drawn.key, ...wholePlace(drawn, cell), text);
  bench.typed = { wanted, number: bench.acts.count, key: drawn.key, place: wholePlace(drawn, cell) };
}

/** @param {Bench} bench @param {Drawn} drawn @param {ClipboardEvent} event */
export function paste(bench, drawn, event) {
  const cell = cellOf(event);
  const text = event.clipboardData?.getData("text/plain");
  if (cell && drawn.matrix.fixed && text) return sayFixed(bench, drawn);
  if (!cell || cell.firstElementChild || !(drawn.editable || drawn.guessing) || !text) return;
  event.preventDefault();
  send(bench, drawn, cell, text);
}
