// @ts-check
// The stage: the operands and the result of one operation, as they stand on paper, with cells as large as fit. Rows stand at
// the same height from step to step, so that the eye can follow one word.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Drawn } from "../board/cells.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

/** @typedef {{ place: number, role: string, turned?: boolean, sign?: string }} Standing a matrix of the outline, and where it stands */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../board/board.js")} */
const { drawMatrix } = await import(`../board/board.js${own}`);
/** @type {typeof import("./pointing.js")} */
const { focusOn, follow } = await import(`./pointing.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);
/** @type {typeof import("../page/formula.js")} */
const { piecesOf } = await import(`../page/formula.js${own}`);
/** @type {typeof import("../figures/look.js")} */
const { enlargement } = await import(`../figures/look.js${own}`);
/** @type {typeof import("./sizes.js")} */
const { fitCells } = await import(`./sizes.js${own}`);
/** @type {typeof import("./fills.js")} */
const { drawFills } = await import(`./fills.js${own}`);
/** @type {typeof import("./sentence.js")} */
/** @type {typeof import("./divides.js")} */
const { buildDivides, drawDivides } = await import(`./divides.js${own}`);
/** @type {typeof import("./sentence.js")} */
const { buildSentence, drawSentence } = await import(`./sentence.js${own}`);

const ROOM_FOR_A_NOTE = 172; // pixels of a matrix whose title, note and buttons stand side by side
const TRANSPOSED = "\u1D40";
// Choices that are offered at their own step.
/** @type {Record<string, string[]>} */
const AT_STEP = {
  input: ["n_tokens", "n_features", "d_key", "d_value", "n_sources", "n_kv_heads"],
  ...{ scale: ["scale", "own_scale"], mask: ["mask", "free_mask", "left", "right"], softmax: ["mask", "dropout"], dropout: ["dropout"] },
};

/** @param {Bench} bench */
export function buildStage(bench) {
  const host = element("section", "lab-stage");
  const title = element("h2");
  const formula = element("p", "set");
  const tools = element("div", "tools");
  const tabs = element("div", "tabs");
  tabs.setAttribute("role", "group");
  const given = button("open-given", undefined, () => toggleGiven(/** @type {LabBench} */ (bench)));
  const choices = element("div", "choices at-step");
  const sentence = buildSentence(bench);
  const divides = buildDivides();
  tools.append(tabs, given, choices);
  const under = element("div", "under");
  under.append(formula, tools);
  const corner = element("div", "corner-of-stage");
  corner.append(title, under, sentence.host, divides);
  const { board } = bench;
  const band = element("div", "band");
  host.append(corner, board);
  board.append(band);
  board.addEventListener("click", (event) => focusOn(/** @type {LabBench} */ (bench), event));
  board.addEventListener("pointermove", (event) => follow(/** @type {LabBench} */ (bench), event));
  new ResizeObserver(() => resize(/** @type {LabBench} */ (bench))).observe(host);
  return {
    host,
    corner,
    title,
    formula,
    tools,
    tabs,
    given,
    choices,
    band,
    sentence,
    divides,
    of: "",
    step: /** @type {StepOutline | null} */ (null),
  };
}

/** @param {LabBench} bench @param {StepOutline} step */
export function drawStage(bench, step) {
  const { stage } = bench.lab;
  const { words } = bench.outline;
  stage.step = step;
  bench.board.setAttribute("aria-label", fillIn(words.stage_of, { title: bench.stage?.title ?? "" }));
  put(stage.title, bench.stage?.title ?? "");
  drawFormula(bench, step);
  drawTabs(bench, step);
  drawAtStep(bench);
  drawSentence(bench, step);
  drawDivides(bench, step);
  stage.given.hidden = !canOpenGiven(bench);
  put(stage.given, bench.lab.given ? words.close_given : words.open_given);
  stage.given.setAttribute("aria-expanded", String(Boolean(bench.lab.given)));
  standOf(bench, step);
}

// What the step does: a product by the names of its operands, anything else by its formula.
/** @param {LabBench} bench @param {StepOutline} step */
function drawFormula(bench, { latex, stand }) {
  const { formula } = bench.lab.stage;
  formula.hidden = !latex;
  if (!latex || formula.dataset.shown === latex) return;
  formula.dataset.shown = latex;
  if (stand.kind !== "product") return formula.replaceChildren(...piecesOf(latex));
  const operands = [...stand.left, ...stand.above].map((name) => {
    const matrix = bench.outline.matrices.find(({ id }) => id === name);
    return element(
      "span",
      matrix?.ink ? `ink-${matrix.ink}` : "",
      `${matrix?.name ?? name}${stand.turned?.includes(name) ? TRANSPOSED : ""}`,
    );
  });
  formula.replaceChildren(operands[0], " \u00B7 ", operands[1]);
}

// The steps of a stage, where it has several: Q, K and V.
/** @param {LabBench} bench @param {StepOutline} shown */
function drawTabs(bench, shown) {
  const { tabs } = bench.lab.stage;
  const steps = bench.stage?.id === "input" ? [] : (bench.stage?.steps ?? []);
  tabs.hidden = steps.length < 2;
  const wanted = JSON.stringify([bench.stage?.id, steps.map((step) => [step.id, step.name])]);
  if (tabs.dataset.of !== wanted) {
    tabs.dataset.of = wanted;
    tabs.setAttribute("aria-label", bench.outline.words.which);
    const made = steps.map((step) => {
      const press = button("choice", step.name, () => {
        bench.lab.picked = { [bench.stage?.id ?? ""]: step.id };
        bench.draw();
      });
      press.dataset.ink = step.ink;
      return press;
    });
    tabs.replaceChildren(...made);
  }
  steps.forEach((step, place) => tabs.children[place]?.setAttribute("aria-pressed", String(step === shown)));
}

// A choice stands at its own step, else in the menu.
/** @param {LabBench} bench */
function drawAtStep(bench) {
  const { choices } = bench.lab.stage;
  const stages = bench.outline.stages?.map(({ id }) => id) ?? [];
  const id = bench.stage?.id ?? "";
  const wanted = (AT_STEP[id] ?? []).filter((choice) => id !== "softmax" || !stages.includes(choice === "mask" ? "mask" : "dropout"));
  const isAnew = choices.dataset.of !== bench.choices.of;
  if (!isAnew && choices.dataset.stage === id) return;
  Object.assign(choices.dataset, { of: bench.choices.of, stage: id });
  for (const group of [...choices.children]) isAnew ? group.remove() : bench.choices.finer.append(group);
  for (const choice of wanted) {
    const group = bench.choices.host.querySelector(`[data-choice="${choice}"]`);
    if (group) choices.append(group);
  }
}

/** @param {LabBench} bench */
export function canOpenGiven(bench) {
  const x = bench.outline.matrices.find(({ id, editable }) => id === "x" && editable);
  return Boolean(x) && !["input", "project"].includes(bench.stage?.id ?? "");
}

// X beside the present step: what is changed and what comes of it share one screen.
/** @param {LabBench} bench */
export function toggleGiven(bench) {
  bench.lab.given = bench.lab.given ? "" : "x";
  bench.draw();
  if (bench.lab.given)
    bench.matrices
      .get(keyOf(bench, "x"))
      ?.grid.querySelector(/** @type {"td"} */ ("td[data-row]"))
      ?.focus();
}

// Where each matrix of the step stands.
/** @param {LabBench} bench @param {StepOutline} step @returns {Standing[]} */
function standings(bench, { id, stand }) {
  /** @param {string} name */
  const placesOf = (name) => {
    const every = bench.outline.matrices.flatMap((matrix, place) => (matrix.id === name ? [place] : []));
    if (every.length < 2) return every;
    // Of a matrix in three parts the one that is taken from it.
    const own = /^[qkv]_heads$/.test(id) ? "qkv".indexOf(id[0]) : null;
    const parts = every.filter((place) =>
      bench.outline.matrices[place].front?.some(([axis, part]) => axis === "part" && (own === null || part === own)),
    );
    return parts.length ? parts : every.filter((place) => bench.outline.matrices[place].key === keyOf(bench, name));
  };
  /** @param {string} name @param {string} role @param {string} [sign] @returns {Standing[]} */
  const at = (name, role, sign = "") =>
    placesOf(name).map((place) => ({ place, role, sign, turned: stand.turned?.includes(name) ?? false }));
  /** @type {Standing[]} */
  const found = [];
  const { given } = bench.lab;
  if (given && canOpenGiven(bench) && !stand.left.includes(given)) found.push(...at(given, "given"));
  if (stand.kind === "input")
    return [...stand.left.flatMap((name) => at(name, "left")), ...stand.above.flatMap((name) => at(name, isBias(name) ? "under" : "learned"))];
  stand.left.forEach((name, place) => found.push(...at(name, "left", place ? "," : "")));
  stand.above.forEach((name) => found.push(...at(name, "above")));
  if (stand.bias) found.push(...at(stand.bias, "bias", "+"));
  found.push(...at(id, "result", stand.kind === "product" ? "" : "\u2192"));
  return found;
}

// A bias stands under the matrix that it goes with.
const isBias = (/** @type {string} */ name) => name.startsWith("b_");

/** @param {LabBench} bench @param {StepOutline} step */
function standOf(bench, step) {
  const { stage, given } = bench.lab;
  const kind = bench.data.view.picture ? "none" : step.stand.kind;
  const found = kind === "none" ? [] : standings(bench, step);
  const isAnew = stage.of !== `${bench.data.outline} ${step.id} ${kind}`;
  stage.of = `${bench.data.outline} ${step.id} ${kind}`;
  bench.board.dataset.kind = kind;
  bench.board.hidden = kind === "none";
  stage.host.dataset.kind = kind;
  stage.host.classList.toggle("with-given", Boolean(given) && found.some(({ role }) => role === "given"));
  let column = 0; // of the board, of an input
  const drawn = found.map((one) => {
    const made = drawMatrix(bench, one.place, one.turned);
    if (one.role !== "under") column += 1;
    made.figure.style.setProperty("--column", String(column));
    made.figure.dataset.role = one.role;
    made.figure.dataset.sign = one.sign ?? "";
    const caption = /** @type {HTMLElement} */ (made.figure.firstElementChild);
    const { words } = bench.outline;
    const note = one.role === "left" ? words.given : words.learned;
    caption.dataset.note = made.matrix.fixed ? words.fixed : kind === "input" && one.role !== "under" ? note : "";
    drawFills(bench, made, kind === "input");
    made.figure.classList.toggle("arriving", isAnew && one.role === "result");
    markRow(bench, made);
    return made;
  });
  const wanted = new Set(drawn.map(({ figure }) => figure));
  for (const child of [...bench.board.children])
    if (child !== stage.band && !wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
  drawn.forEach(({ figure }, place) => {
    const standing = bench.board.children[place + 1]; // after the band
    if (standing !== figure) bench.board.insertBefore(figure, standing ?? null);
  });
  resize(bench);
}

// The row of the word in focus is lit in every matrix that has one.
/** @param {LabBench} bench @param {Drawn} drawn */
function markRow(bench, drawn) {
  const isOfWords = drawn.id !== "visible" && ["token", "query"].includes(drawn.matrix.axes[0]);
  const row = isOfWords ? bench.data.view.focus - drawn.at[0] : -1;
  drawn.sides.forEach((side, place) => side.classList.toggle("in-focus", place === row));
  drawn.cells.forEach((cells, place) =>
    cells.forEach((cell) => cell.parentElement?.classList.toggle("in-focus", !drawn.turned && place === row)),
  );
}

/** @param {LabBench} bench */
function resize(bench) {
  if (!bench.outline || !bench.lab) return;
  const { step, host, band } = bench.lab.stage;
  if (!step) return;
  const shown = [...bench.matrices.values()].filter(({ figure }) => figure.parentElement === bench.board);
  const found = fitCells(shown, bench.board.dataset.kind ?? "", host.clientWidth, host.clientHeight, enlargement());
  for (const name of ["crowded", "only-result", "panned"]) host.classList.toggle(name, found.crowded === name);
  for (const [name, value] of Object.entries(found)) {
    if (bench.board.style.getPropertyValue(`--${name}`) !== value) bench.board.style.setProperty(`--${name}`, value);
  }
  const learned = shown.filter(({ figure }) => figure.dataset.role === "learned");
  bench.board.style.setProperty("--above", String(Math.max(0, ...learned.map(({ cells }) => cells.length)))); // a bias under it
  const wide = Number.parseInt(found["cell-wide"]) + 2;
  for (const { figure, cells } of shown) figure.classList.toggle("tight", cells[0].length * wide < ROOM_FOR_A_NOTE);
  const anchor = shown.find(({ figure }) => figure.dataset.role === "left" || figure.dataset.role === "result");
  const rows = anchor?.cells.length ?? 0;
  const at = bench.data.view.focus - (anchor?.at[0] ?? 0);
  band.hidden = !anchor || !anchor.sides.some((side) => side.classList.contains("in-focus")) || bench.board.dataset.kind === "input";
  band.style.setProperty("--row", String(at));
  band.style.setProperty("--rows", String(rows));
}
