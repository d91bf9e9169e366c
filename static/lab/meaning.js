// @ts-check
// Beside the stage: what the step means, every head of it as heatmaps, or its shapes. Which one is remembered.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Picture } from "../pictures/picture.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, prose, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);
/** @type {typeof import("../figures/look.js")} */
const { enlargement } = await import(`../figures/look.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);
/** @type {typeof import("../pictures/facts.js")} */
const { factsOf, said } = await import(`../pictures/facts.js${own}`);
/** @type {typeof import("../pictures/largest.js")} */
const { largestOf } = await import(`../pictures/largest.js${own}`);
/** @type {typeof import("../pictures/picture.js")} */
const { pictureOf } = await import(`../pictures/picture.js${own}`);
/** @type {typeof import("../pictures/marks.js")} */
const { drawing } = await import(`../pictures/marks.js${own}`);
/** @type {typeof import("./whole.js")} */
const { buildWhole, drawWhole } = await import(`./whole.js${own}`);
/** @type {typeof import("./comparing.js")} */
const { drawCompare, drawParting } = await import(`./comparing.js${own}`);

const FIGURE_WAITS = 40; // milliseconds without a move, while a number is dragged: a figure must not delay a number
const VIEWS = ["", "heatmap", "shapes"];
const LEAST = 180; // pixels of a picture's height, from which it follows the height of the window
const AROUND = 40; // above and below what stands beside the matrices

export function buildMeaning() {
  figures.fetchAhead();
  const host = element("aside", "meaning");
  const parts = {
    views: element("div", "views"),
    parting: element("section", "parting"),
    figure: element("div", "figure"),
    drawn: element("div", "drawn"),
    save: element("p", "save"),
    says: element("p", "says"),
    why: element("div", "why"),
    predict: element("p", "how predict"),
    facts: element("p", "facts"),
    compare: element("div", "compare"),
  };
  parts.views.setAttribute("role", "group");
  parts.figure.setAttribute("role", "figure");
  parts.drawn.setAttribute("role", "img");
  host.append(...Object.values(parts));
  const whole = buildWhole();
  parts.figure.before(whole.host, whole.token, whole.patches);
  for (const format of ["PNG", "SVG"]) parts.save.append(button("saving", format, () => figures.save(parts.figure, format.toLowerCase())));
  const waits = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  return { host, ...parts, whole, waits };
}

/** @param {LabBench} bench @param {StepOutline} step */
export function drawMeaning(bench, step) {
  const { meaning, stage } = bench.lab;
  drawParting(bench);
  drawViews(bench);
  const { picture: view, predict } = bench.data.view;
  const isInput = step.stand.kind === "input";
  const shows = view || (isInput ? "none" : "meaning");
  stage.host.dataset.view = shows;
  meaning.host.dataset.view = shows;
  const why = bench.stage?.why ?? "";
  if (meaning.why.dataset.shown !== why) {
    meaning.why.dataset.shown = why; // one title may have several stories
    meaning.why.replaceChildren(prose(why));
  }
  meaning.predict.hidden = !predict;
  if (predict) put(meaning.predict, step.algebra ? bench.outline.words.predict_how : bench.outline.words.predict_none);
  drawFacts(bench, step);
  drawCompare(bench, step);
  const made = shows === "meaning" && !predict ? (pictureOf(factsOf(bench, step.id, step.stand), step.id) ?? ofLargest(bench, step)) : null;
  const says = made ? fillIn(bench.outline.words[`picture_${made.says}`] ?? "", made.facts) : "";
  meaning.says.hidden = !says;
  if (meaning.says.dataset.shown !== says) {
    meaning.says.dataset.shown = says;
    meaning.says.replaceChildren(said(bench.outline.words[`picture_${made?.says}`] ?? "", made?.facts ?? {}));
  }
  drawWhole(bench, step);
  if (view) meaning.whole.host.hidden = meaning.whole.token.hidden = meaning.whole.patches.hidden = true;
  meaning.drawn.hidden = !made?.marks?.length;
  const label = meaning.says.textContent ?? ""; // without the marks of colours
  if (made?.marks && made.size) {
    meaning.drawn.replaceChildren(drawing(made.marks, made.size));
    meaning.drawn.setAttribute("aria-label", label);
  }
  meaning.figure.hidden = !made?.figure && !view;
  meaning.save.hidden = !view;
  if (meaning.figure.hidden) return;
  clearTimeout(meaning.waits);
  if (bench.scrubbing) meaning.waits = setTimeout(() => bench.root.isConnected && drawFigure(bench, step, made, label), FIGURE_WAITS);
  else drawFigure(bench, step, made, label);
}

/** @param {LabBench} bench @param {StepOutline} step */
function ofLargest(bench, { id }) {
  const row = bench.data.shares?.[id];
  return row && bench.data.large?.[keyOf(bench, id)] ? largestOf(row) : null;
}

/** @param {LabBench} bench @param {StepOutline} step @param {Picture | null} made @param {string} label */
function drawFigure(bench, step, made, label) {
  const { figure } = bench.lab.meaning;
  const { picture } = bench.data.view;
  if (picture === "heatmap") figures.drawHeatmap(bench, figure, step);
  else if (picture === "shapes") figures.drawShapes(bench, figure, step, Math.min(480, Math.max(LEAST, roomOf(bench))));
  else if (made?.figure) {
    const room = roomOf(bench);
    if (room > LEAST) made.figure.layout.height = Math.min(made.figure.layout.height * 1.25, room);
    figures.drawPicture(bench, figure, made.figure, label);
  }
}

// How high a figure can be beside its words; figures grow with the letters of the page, for a projector.
/** @param {LabBench} bench */
function roomOf(bench) {
  const { stage, meaning } = bench.lab;
  const [first, last] = [meaning.views, meaning.facts].map((one) => one.getBoundingClientRect());
  const used = last.bottom - first.top - meaning.figure.offsetHeight;
  return (stage.host.clientHeight - AROUND - used) / enlargement();
}

/** @param {LabBench} bench */
function drawViews(bench) {
  const { views } = bench.lab.meaning;
  const { words } = bench.outline;
  const labels = [words.view_meaning, words.view_heatmap, words.view_shapes];
  if (views.children.length !== VIEWS.length || views.dataset.of !== bench.data.language) {
    views.dataset.of = bench.data.language;
    views.setAttribute("aria-label", words.views);
    views.replaceChildren(...VIEWS.map((view, place) => button("view", labels[place], () => bench.acts.add("picture", view))));
  }
  VIEWS.forEach((view, place) => views.children[place].setAttribute("aria-pressed", String(bench.data.view.picture === view)));
  // A handout has the numbers of one head at a time.
  /** @type {HTMLElement} */ (views.children[VIEWS.indexOf("heatmap")]).hidden = Boolean(bench.data.offline) && bench.data.view.heads > 1;
}

/** @param {LabBench} bench @param {StepOutline} step */
function drawFacts(bench, step) {
  const { words } = bench.outline;
  const { facts: host } = bench.lab.meaning;
  const facts = step.algebra ? [step.algebra] : [];
  const shares = bench.data.shares?.[step.id];
  if (shares && !bench.data.view.predict) {
    facts.push(fillIn(words.row_sum, { row: shares.name, sum: write(shares.sum, 3) }));
    if (shares.bits !== undefined) facts.push(fillIn(words.entropy, { bits: write(shares.bits, 2) }));
  }
  if (host.children.length !== facts.length) host.replaceChildren(...facts.map((fact) => element("span", "fact", fact)));
  else facts.forEach((fact, place) => put(host.children[place], fact));
}
