// @ts-check
// A view for a projector: large type, only the board, the step in focus and the sentence. One key, P, begins and
// ends it. What is pointed at is lit, with its row and column, so that a whole class sees which number is meant.

/** @import { Cell } from "../board/cells.js" */
/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);

const MARK = "qkv-presenting"; // on the page itself, so that it outlives the turn to another lesson
const page = document.documentElement;

export const isPresenting = () => page.classList.contains(MARK);
/** @param {Bench} bench */
export const canPresent = (bench) => Boolean(bench.outline.stages || bench.data.lesson);

/** @param {Bench} bench */
export function buildPresent(bench) {
  const press = button("corner-button", undefined, () => togglePresent(bench));
  const where = element("p", "whereabouts");
  bench.root.append(where);
  const lit = /** @type {Cell | null} */ (null); // the cell that is pointed at
  const made = { press, where, lit, full: false, shown: "" };
  bench.root.addEventListener("pointerover", (event) => light(bench, event.target));
  bench.root.addEventListener("focusin", (event) => light(bench, event.target));
  document.addEventListener("fullscreenchange", () => {
    if (!document.fullscreenElement && bench.root.isConnected && isPresenting() && made.full) end(bench);
  });
  return made;
}

/** @param {Bench} bench */
export function drawPresent(bench) {
  const { press, where } = bench.corner.present;
  const { words } = bench.outline;
  press.hidden = !canPresent(bench);
  put(press, words.present);
  press.setAttribute("aria-keyshortcuts", "P");
  where.hidden = !isPresenting() || !canPresent(bench);
  if (where.hidden) return;
  const [name, place, all] = whereabouts(bench);
  const counted = ` ${fillIn(words.present_place, { place, all })}`;
  where.replaceChildren(element("strong", "", name), counted, element("span", "keys-hint", words.present_how));
  if (bench.corner.present.shown === name) return;
  bench.corner.present.shown = name;
}

/** @param {Bench} bench @returns {[string, number, number]} */
function whereabouts(bench) {
  const told = bench.data.lesson;
  if (told) return [told.sections[told.place][1], told.place + 1, told.sections.length];
  return [bench.stage?.title ?? "", bench.stagePlace() + 1, bench.outline.stages?.length ?? 0];
}

/** @param {Bench} bench */
export function togglePresent(bench) {
  if (isPresenting()) return end(bench);
  page.classList.add(MARK);
  bench.corner.present.full = false;
  // Where the browser does not allow it, the view fills the window instead.
  page.requestFullscreen?.().then(() => (bench.corner.present.full = true), () => {});
  bench.draw();
}

/** @param {Bench} bench */
function end(bench) {
  page.classList.remove(MARK);
  light(bench, null);
  bench.corner.present.full = false;
  if (document.fullscreenElement) document.exitFullscreen();
  bench.draw();
  bench.corner.present.press.focus();
}

// Left and right walk the steps of the Lab, or the sections of a lesson.
/** @param {Bench} bench @param {number} by */
export function walkLesson(bench, by) {
  const { place, sections } = bench.data.lesson ?? { place: 0, sections: [] };
  if (sections[place + by] && bench.acts.settled) bench.acts.add("section", place + by);
}

// The number that is pointed at, with its row and its column.
/** @param {Bench} bench @param {EventTarget | null} target */
function light(bench, target) {
  /** @type {Cell | null} */
  const cell = isPresenting() && target instanceof Element ? target.closest("td[data-row]") : null;
  if (bench.corner.present.lit === cell) return;
  bench.corner.present.lit = cell;
  for (const marked of bench.root.querySelectorAll(".spot, .spot-line")) marked.classList.remove("spot", "spot-line");
  if (!cell) return;
  const place = cell.cellIndex;
  for (const row of cell.closest("table")?.rows ?? []) row.cells[place]?.classList.add("spot-line");
  for (const other of /** @type {HTMLTableRowElement} */ (cell.parentElement).cells) other.classList.add("spot-line");
  cell.classList.add("spot");
}
