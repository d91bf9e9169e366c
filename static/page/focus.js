// @ts-check
// The step in focus, beside the board: its figure, shapes and code.

/** @import { StageOutline, StepOutline } from "../message/message.js" */
/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, prose, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./arithmetic.js")} */
const { drawArithmetic } = await import(`./arithmetic.js${own}`);
/** @type {typeof import("./comparing.js")} */
const { drawCompare, drawParting } = await import(`./comparing.js${own}`);
/** @type {typeof import("./formula.js")} */
const { piecesOf } = await import(`./formula.js${own}`);
/** @type {typeof import("../figures/axes.js")} */
const { drawAxes } = await import(`../figures/axes.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);

/** @typedef {"numpy" | "torch"} Language of code */
/** @type {Array<[Language, string]>} */
const LANGUAGES = [["numpy", "NumPy"], ["torch", "PyTorch"]];

/** @param {Bench} bench */
export function buildFocus(bench) {
  if (bench.withFigure) figures.fetchAhead();
  const aside = element("aside", "beside");
  const parting = element("section", "parting");
  const arithmetic = element("section", "arithmetic");
  const panel = element("section", "focus");
  const parts = {
    title: element("h2"),
    why: element("div", "why"),
    formula: element("p", "set"),
    predict: element("div", "predict"),
    tabs: element("div", "tabs"),
    figure: element("div", "figure"),
    save: element("p", "save"),
    facts: element("p", "facts"),
    axes: element("div", "tensors"),
    code: element("div", "code"),
    compare: element("div", "compare"),
  };
  parts.tabs.setAttribute("role", "group");
  parts.figure.setAttribute("role", "figure");
  panel.append(...Object.values(parts));
  aside.append(parting, arithmetic, panel);
  bench.columns.append(aside);
  for (const format of ["PNG", "SVG"]) parts.save.append(button("saving", format, () => figures.save(parts.figure, format.toLowerCase())));
  const language = /** @type {Language} */ ("numpy");
  return { aside, parting, arithmetic, panel, ...parts, language };
}

/** @param {Bench} bench */
export function drawFocus(bench) {
  drawParting(bench);
  drawArithmetic(bench);
  const { focus } = bench;
  const { stage } = bench;
  focus.panel.hidden = !stage;
  if (!stage) return;
  const step = pictured(bench, stage);
  if (focus.why.dataset.shown !== stage.why) {
    focus.why.dataset.shown = stage.why; // one title may have several stories
    focus.title.textContent = stage.title;
    focus.why.replaceChildren(prose(stage.why));
  }
  drawTabs(bench, stage, step);
  drawSetFormula(bench, step);
  drawPredict(bench, step);
  drawFacts(bench, step);
  drawCode(bench, step);
  drawAxesOf(bench, step);
  drawCompare(bench, step);
  drawFigure(bench, step);
}

const FIGURE_WAITS = 40; // milliseconds without a move, while a number is dragged: a figure must not delay a number

/** @param {Bench} bench @param {StepOutline} step */
function drawFigure(bench, step) {
  clearTimeout(bench.figureWaits);
  if (bench.scrubbing) bench.figureWaits = setTimeout(() => bench.root.isConnected && figures.drawLater(bench, step), FIGURE_WAITS);
  else figures.drawLater(bench, step);
}

// Which step of a stage is pictured: the learner's choice, else the one of the chosen cell, else the last.
/** @param {Bench} bench @param {StageOutline} stage */
function pictured(bench, stage) {
  const chosen = stage.steps.find((step) => (bench.data.lit?.[step.id] ?? []).some(([, , mark]) => mark === "chosen"));
  const picked = stage.steps.find((step) => step.id === bench.picked[stage.id]);
  const first = ["project", "split", "share", "input"].includes(stage.id);
  return picked ?? chosen ?? stage.steps[first ? 0 : stage.steps.length - 1];
}

/** @param {Bench} bench @param {StageOutline} stage @param {StepOutline} shown */
function drawTabs(bench, stage, shown) {
  const { tabs } = bench.focus;
  tabs.hidden = stage.steps.length < 2;
  const wanted = stage.steps.map((step) => [step.id, step.name]).join();
  if (tabs.dataset.of !== wanted) {
    tabs.dataset.of = wanted;
    tabs.setAttribute("aria-label", bench.outline.words.which);
    const made = stage.steps.map((step) => {
      const press = button("choice", step.name, () => {
        if (bench.stage) bench.picked[bench.stage.id] = step.id;
        bench.draw();
      });
      press.dataset.ink = step.ink;
      return press;
    });
    tabs.replaceChildren(...made);
  }
  stage.steps.forEach((step, place) => tabs.children[place].setAttribute("aria-pressed", String(step === shown)));
}

/** @param {Bench} bench @param {StepOutline} step */
function drawSetFormula(bench, step) {
  const { formula } = bench.focus;
  formula.hidden = !step.latex;
  if (!step.latex || formula.dataset.shown === step.latex) return;
  formula.dataset.shown = step.latex;
  formula.replaceChildren(...piecesOf(step.latex));
}

/** @param {Bench} bench @param {StepOutline} step */
function drawPredict(bench, step) {
  const { predict } = bench.focus;
  const { words } = bench.outline;
  predict.hidden = !bench.data.view.predict;
  if (predict.hidden) return predict.replaceChildren();
  predict.replaceChildren(element("p", "how", step.algebra ? words.predict_how : words.predict_none));
}

/** @param {Bench} bench @param {StepOutline} step */
function drawFacts(bench, step) {
  const { words } = bench.outline;
  const facts = step.algebra ? [step.algebra] : [];
  const shares = bench.data.shares?.[step.id];
  if (shares && !bench.data.view.predict) {
    facts.push(fillIn(words.row_sum, { row: shares.name, sum: write(shares.sum, 3) }));
    if (shares.bits !== undefined) facts.push(fillIn(words.entropy, { bits: write(shares.bits, 2) }));
  }
  const { children } = bench.focus.facts;
  if (children.length !== facts.length) bench.focus.facts.replaceChildren(...facts.map((fact) => element("span", "fact", fact)));
  else facts.forEach((fact, place) => put(children[place], fact));
}

// The line that computes the step, in NumPy and in PyTorch.
/** @param {Bench} bench @param {StepOutline} step */
function drawCode(bench, step) {
  const { focus } = bench;
  focus.code.hidden = !step.numpy;
  if (!step.numpy) return;
  const text = step[focus.language];
  if (focus.code.dataset.shown === text) return;
  focus.code.dataset.shown = text;
  const choices = LANGUAGES.map(([language, label]) => {
    const press = button("language", label, () => {
      focus.language = language;
      drawCode(bench, step);
      /** @type {HTMLElement | null} */ (focus.code.querySelector(`[data-language=${language}]`))?.focus();
    });
    press.dataset.language = language;
    press.setAttribute("aria-pressed", String(language === focus.language));
    return press;
  });
  const line = element("pre");
  line.append(element("code", "", text));
  line.tabIndex = 0;
  focus.code.replaceChildren(...choices, line);
}

/** @param {Bench} bench @param {StepOutline} step */
function drawAxesOf(bench, step) {
  const wanted = JSON.stringify(step.axes);
  if (bench.focus.axes.dataset.of === wanted) return;
  bench.focus.axes.dataset.of = wanted;
  bench.focus.axes.replaceChildren(element("span", "label", fillIn(bench.outline.words.axes_of, { name: step.name })), drawAxes(step.axes, step.ink));
}
