// @ts-check
// What the step of a section means, for the row of the word in focus: once none of its numbers is asked for.

/** @import { LessonBench } from "./lesson.js" */
/** @import { Host } from "../message/text.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);
/** @type {typeof import("./stage.js")} */
const { placeOf } = await import(`./stage.js${own}`);
/** @type {typeof import("../pictures/facts.js")} */
const { factsOf, said } = await import(`../pictures/facts.js${own}`);
/** @type {typeof import("../pictures/marks.js")} */
const { drawing } = await import(`../pictures/marks.js${own}`);
/** @type {typeof import("../pictures/picture.js")} */
const { pictureOf } = await import(`../pictures/picture.js${own}`);

export function buildPicture() {
  const host = element("section", "block plot picture");
  const figure = element("div", "figure");
  const drawn = element("div", "drawn");
  const says = element("p", "says");
  figure.setAttribute("role", "figure");
  drawn.setAttribute("role", "img");
  host.append(figure, drawn, says);
  host.hidden = true;
  return { host, figure: /** @type {Host} */ (figure), drawn, says, crowded: "" };
}

/** @param {LessonBench} bench */
export function drawPicture(bench) {
  const { host, figure, drawn, says } = bench.lesson.picture;
  const { shown, words } = bench.outline;
  const covered = bench.data.covered ?? [];
  const isOpen = shown && ![shown.id, ...shown.stand.left, ...shown.stand.above].some((id) => covered.includes(id));
  const made = shown && isOpen ? pictureOf(factsOf(bench, shown.id, shown.stand, rowOf(bench, shown.id)), shown.step) : null;
  host.hidden = !made || bench.lesson.picture.crowded === placeOf(bench);
  if (!made || host.hidden) return;
  const sentence = words[`picture_${made.says}`] ?? "";
  const filled = fillIn(sentence, made.facts);
  if (says.dataset.shown !== filled) says.replaceChildren(said(sentence, made.facts));
  says.dataset.shown = filled;
  const text = says.textContent ?? ""; // without the marks of colours
  figure.hidden = !made.figure;
  drawn.hidden = !made.marks?.length;
  if (made.marks && made.size) drawn.replaceChildren(drawing(made.marks, made.size));
  drawn.setAttribute("aria-label", text);
  if (made.figure) figures.drawPicture(bench, figure, made.figure, text);
}

// The row that was chosen; before, the one that was asked for.
/** @param {LessonBench} bench @param {string} id */
function rowOf({ data, matrices }, id) {
  const { ask } = data.lesson;
  const isAsked = ask?.cell && ask.matrix && matrices.get(ask.matrix)?.id === id && data.view.cell[0] !== id;
  return isAsked && ask.cell ? ask.cell[0] : data.view.focus;
}
