// @ts-check
// Beside the stage: what the step means, every head of it as heatmaps, or its shapes. Which one is remembered.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Facts, Picture } from "../pictures/picture.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, prose, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../figures/fill.js")} */
const { labelOf } = await import(`../figures/fill.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);
/** @type {typeof import("../pictures/picture.js")} */
const { pictureOf } = await import(`../pictures/picture.js${own}`);
/** @type {typeof import("../pictures/marks.js")} */
const { drawing } = await import(`../pictures/marks.js${own}`);
/** @type {typeof import("./comparing.js")} */
const { drawCompare, drawParting } = await import(`./comparing.js${own}`);

const FIGURE_WAITS = 40; // milliseconds without a move, while a number is dragged: a figure must not delay a number
const VIEWS = ["", "heatmap", "shapes"];
const TEXT = 226; // pixels of the words above and below a picture
const LEAST = 200; // of its height, from which it follows the height of the window
const OF_WORDS = ["token", "query", "key"]; // axes of a matrix
const FROM = 4; // letters of "row ", by which words of pictures begin

/** @param {Bench} bench */
export function buildMeaning(bench) {
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
  for (const format of ["PNG", "SVG"]) parts.save.append(button("saving", format, () => figures.save(parts.figure, format.toLowerCase())));
  const waits = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  return { host, ...parts, waits };
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
  const made = shows === "meaning" && !predict ? pictureOf(factsOf(bench, step)) : null;
  const says = made ? fillIn(bench.outline.words[`picture_${made.says}`] ?? "", made.facts) : "";
  meaning.says.hidden = !says;
  if (meaning.says.dataset.shown !== says) {
    meaning.says.dataset.shown = says;
    meaning.says.replaceChildren(said(bench.outline.words[`picture_${made?.says}`] ?? "", made?.facts ?? {}));
  }
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

/** @param {LabBench} bench @param {StepOutline} step @param {Picture | null} made @param {string} label */
function drawFigure(bench, step, made, label) {
  const { figure } = bench.lab.meaning;
  const { picture } = bench.data.view;
  if (picture === "heatmap") figures.drawHeatmap(bench, figure, step);
  else if (picture === "shapes") figures.drawShapes(bench, figure, step);
  else if (made?.figure) {
    const room = bench.lab.stage.host.clientHeight - TEXT;
    if (room > LEAST) made.figure.layout.height = Math.min(made.figure.layout.height * 1.25, room);
    figures.drawPicture(bench, figure, made.figure, label);
  }
}

// A sentence with its facts in bold: names are the learner's, and plain text.
/** @param {string} sentence @param {Record<string, string>} facts */
function said(sentence, facts) {
  const made = element("span");
  for (const piece of sentence.split(/(\{\w+\})/)) {
    const fact = /^\{(\w+)\}$/.exec(piece)?.[1];
    made.append(fact === undefined ? prose(piece, "span") : element("strong", "", facts[fact] ?? ""));
  }
  return made;
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
  views.hidden = Boolean(bench.data.offline) && VIEWS.length > 3;
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

// What the picture of a step is made of: the numbers that the page holds.
/** @param {LabBench} bench @param {StepOutline} step @returns {Facts} */
function factsOf(bench, step) {
  const { outline, data } = bench;
  /** @param {string} name */
  const matrix = (name) => {
    const key = keyOf(bench, name);
    const place = outline.matrices.findIndex((one) => one.key === key);
    if (place < 0 || data.large?.[key]) return null;
    const { axes, rows = [], columns = [] } = outline.matrices[place];
    const values = data.values[place];
    // An image lies channels first: its tokens are the columns, and a picture is of a token.
    if (OF_WORDS.includes(axes[0]) || !OF_WORDS.includes(axes[1])) return { values, rows, columns };
    return { values: values[0].map((_, column) => values.map((line) => line[column])), rows: columns, columns: rows };
  };
  const at = (/** @type {string} */ name) => Math.min(data.view.focus, (matrix(name)?.values.length ?? 1) - 1);
  /** @param {string} name */
  const row = (name) => {
    const found = matrix(name);
    return found && { values: found.values[at(name)], labels: found.columns };
  };
  // What has a row of the word stands first: an image, channels first, is multiplied from the other side.
  const isOfWord = (/** @type {string} */ one) => Number(outline.matrices.find(({ id }) => id === one)?.axes.some((axis) => axis === "token" || axis === "query"));
  const from = [...step.stand.left, ...step.stand.above].sort((one, other) => isOfWord(other) - isOfWord(one));
  const own = row(step.id);
  const [name, , column] = data.view.cell;
  const values = own?.values.map((value) => value ?? -Infinity) ?? [];
  const largest = Math.max(0, values.indexOf(Math.max(...values)));
  const isChosen = name === step.id && own && column < own.values.length;
  const hidden = (data.hidden?.[keyOf(bench, step.id)] ?? []).filter(([down]) => down === at(step.id)).map(([, right]) => right);
  const words = Object.fromEntries(Object.entries(outline.words).filter(([key]) => key.startsWith("row_")).map(([key, text]) => [key.slice(FROM), text]));
  for (const one of outline.matrices) words[one.id] ??= one.name;
  return {
    ...{ step: step.id, op: outline.plan?.find((line) => line.name === step.id)?.op ?? "", from },
    ...{ focus: at(step.id), key: isChosen ? column : largest, heads: data.view.heads, hidden: new Set(hidden), words, row, matrix },
    word: matrix(step.id)?.rows[at(step.id)] ?? "",
    setting: (setting) => /** @type {number | null} */ (data.given?.[setting] ?? null),
    write: (value, places = data.view.decimals) => write(value, Number.isInteger(value) ? 0 : places, CELL),
    plain: (text) => labelOf(text),
  };
}
