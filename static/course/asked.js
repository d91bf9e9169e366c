// @ts-check
// The cell whose number is asked: emptied and framed, the answer is typed into it. What it is made of is lit by a hint, one
// term after another, and framed when the answer was wrong.

/** @import { LessonBench } from "./lesson.js" */
/** @import { Cell, Drawn } from "../board/cells.js" */
/** @import { Ask } from "../message/message.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../board/board.js")} */
const { drawBoard } = await import(`../board/board.js${own}`);
/** @type {typeof import("../board/cells.js")} */
const { walk } = await import(`../board/cells.js${own}`);

const TERM = 220; // milliseconds from one term to the next
const ROW = 24; // from one row that is uncovered to the next
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {LessonBench} bench */
export const fieldInCell = (bench) => /** @type {HTMLInputElement | null} */ (bench.board.querySelector("td input.answer"));

// Returns whether the answer is typed into its cell.
/** @param {LessonBench} bench @param {Ask | null} ask @param {boolean} typed whether it may be */
export function drawAsked(bench, ask, typed) {
  const drawn = ask?.matrix ? bench.matrices.get(ask.matrix) : undefined;
  const cell = ask?.cell && drawn ? drawn.cells[ask.cell[0] - drawn.at[0]]?.[ask.cell[1] - drawn.at[1]] : undefined;
  const isOpen = Boolean(cell && ask && !ask.answered && bench.data.covered?.includes(drawn?.id ?? ""));
  const isWrong = isOpen && ask?.given !== undefined && !ask.right;
  for (const old of bench.board.querySelectorAll("[data-asked]")) if (old !== cell) old.removeAttribute("data-asked");
  if (cell) cell.dataset.asked = isWrong ? "wrong" : isOpen ? "open" : "told";
  const covered = bench.data.covered ?? [];
  const before = bench.lesson.ask.covered;
  bench.lesson.ask.covered = { section: bench.lesson.section, names: covered };
  const field = fieldInCell(bench);
  if (field && (field.parentElement !== cell || !isOpen || !typed)) takeOut(bench, field);
  if (!isOpen) forgetTerms(bench);
  const isUncovered = before.section === bench.lesson.section && !covered.length;
  for (const one of bench.matrices.values()) if (isUncovered && before.names.includes(one.id)) fillRows(one);
  if (isWrong && ask) for (const part of termsOf(bench, ask)) part.dataset.term = "wrong";
  if (!cell || !drawn || !ask || !isOpen || !typed) return false;
  const input = fieldInCell(bench) ?? putIn(bench, drawn, cell);
  input.setAttribute("aria-label", `${bench.outline.words.your_answer}: ${cell.ariaLabel ?? ""}`);
  input.setAttribute("aria-invalid", String(isWrong));
  return true;
}

/** @param {LessonBench} bench @param {Drawn} drawn @param {Cell} cell */
function putIn(bench, drawn, cell) {
  const input = element("input", "answer");
  Object.assign(input, { type: "text", inputMode: "text", autocomplete: "off", maxLength: 60 });
  input.setAttribute("form", bench.lesson.ask.form.id);
  input.addEventListener("keydown", (event) => {
    const leaves = /^Arrow(Up|Down)$/.test(event.key) || (/^Arrow/.test(event.key) && !input.value);
    event.stopPropagation();
    if (event.key === "Escape") input.value = "";
    if (leaves && walk(drawn, cell, event.key)) event.preventDefault();
  });
  cell.addEventListener("focus", () => fieldInCell(bench)?.parentElement === cell && input.focus());
  cell.replaceChildren(input);
  return input;
}

// The cell has its number again; the matrix that was covered fills row by row.
/** @param {LessonBench} bench @param {HTMLElement} field */
function takeOut(bench, field) {
  field.remove();
  drawBoard(bench);
}

/** @param {LessonBench} bench @param {Ask} ask */
function termsOf(bench, ask) {
  const found = Object.entries(ask.lit ?? {}).flatMap(([key, marks]) =>
    marks.filter(([, , mark]) => mark === "source").map(([row, column], place) => ({ place, cell: bench.matrices.get(key)?.cells[row]?.[column] })),
  );
  found.sort((one, other) => one.place - other.place); // term by term
  return found.flatMap(({ cell }) => (cell ? [cell] : []));
}

/** @param {LessonBench} bench */
function forgetTerms(bench) {
  for (const old of bench.board.querySelectorAll("[data-term]")) old.removeAttribute("data-term");
}

// The terms of the sum light up one after another, and stay lit.
/** @param {LessonBench} bench @param {Ask} ask */
export function lightTerms(bench, ask) {
  const cells = termsOf(bench, ask);
  const at = Math.max(1, Object.keys(ask.lit ?? {}).length - 1); // as many belong together
  cells.forEach((cell, number) => {
    cell.dataset.term = "lit";
    if (!isStill()) cell.animate([{ opacity: 0.25 }, { opacity: 1 }], { duration: TERM, delay: Math.floor(number / at) * TERM, fill: "backwards" });
  });
}

// Numbers that were covered come row by row, the asked one first.
/** @param {Drawn} drawn */
function fillRows(drawn) {
  if (isStill()) return;
  drawn.cells.forEach((cells, row) => {
    const delay = Math.min(400 - 160, (row + 1) * ROW);
    for (const cell of cells) if (!cell.dataset.asked) cell.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 160, delay, fill: "backwards" });
  });
}
