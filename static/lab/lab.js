// @ts-check
// The frame of the Lab: header, filmstrip, the stage for one operation, and the formula bar. All of it fits a screen.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./header.js")} */
const { buildHeader, drawHeader } = await import(`./header.js${own}`);
/** @type {typeof import("./film.js")} */
const film = await import(`./film.js${own}`);
/** @type {typeof import("./stage.js")} */
const stage = await import(`./stage.js${own}`);
/** @type {typeof import("./pointing.js")} */
const { light } = await import(`./pointing.js${own}`);
/** @type {typeof import("./meaning.js")} */
const meaning = await import(`./meaning.js${own}`);
/** @type {typeof import("./bar.js")} */
const { buildBar, drawBar } = await import(`./bar.js${own}`);

/** @typedef {ReturnType<typeof buildLab>} Lab */
/** @typedef {Bench & { lab: Lab }} LabBench */

/** @param {Bench} bench */
export function buildLab(bench) {
  const { root } = bench;
  root.classList.add("in-lab");
  const parts = {
    header: buildHeader(bench),
    film: film.buildFilm(bench),
    stage: stage.buildStage(bench),
    meaning: meaning.buildMeaning(),
    bar: buildBar(bench),
  };
  const { away, sentence } = bench;
  parts.bar.host.prepend(sentence, away); // what is said stands where the arithmetic does, and pushes nothing
  parts.stage.host.append(parts.meaning.host);
  bench.columns.remove();
  root.append(parts.header.host, parts.film.host, parts.stage.host, parts.bar.host);
  return {
    ...parts,
    picked: /** @type {Record<string, string>} */ ({}), // by stage: which of its steps stands on the stage
    given: "", // what is changed beside the step: "x", or nothing
    /** @param {string} [step] @param {number[]} [index] the cell to light, or none any more */
    light: (step, index) => light(/** @type {LabBench} */ (bench), step, index),
    /** @param {string} step */
    leadTo: (step) => film.leadTo(/** @type {LabBench} */ (bench), step),
    /** @param {number} by */
    walk: (by) => film.walk(/** @type {LabBench} */ (bench), by),
    /** @param {string} key */
    actionOf: (key) => actionOf(/** @type {LabBench} */ (bench), key),
    leave: () => leave(/** @type {LabBench} */ (bench)),
  };
}

/** @param {LabBench} bench */
export function drawLab(bench) {
  drawHeader(bench);
  film.drawFilm(bench);
  const step = stepOnStage(bench);
  if (!step) return;
  stage.drawStage(bench, step);
  meaning.drawMeaning(bench, step);
  drawBar(bench, step);
  focusAgain(bench);
}

// A choice that was made anew, because other options hold now, keeps the focus.
/** @param {LabBench} bench */
function focusAgain({ choices, root }) {
  if (!choices.again) return;
  /** @type {HTMLElement | null} */ (root.querySelector(`[data-choice="${choices.again}"] [tabindex="0"]`))?.focus();
  choices.again = "";
}

// Which step of the present stage stands on it: the one that was walked to, else that of the chosen cell, else that of its frame.
/** @param {LabBench} bench @returns {StepOutline | undefined} */
export function stepOnStage(bench) {
  const { stage: present } = bench;
  if (!present) return undefined;
  const picked = present.steps.find((step) => step.id === bench.lab.picked[present.id]);
  const chosen = present.steps.find((step) => step.id === bench.data.view.cell[0]);
  return picked ?? chosen ?? (film.isTaken(present) ? present.steps[0] : film.headStep(present));
}

/** @param {LabBench} bench @param {string} key */
function actionOf(bench, key) {
  if (key === " ") return () => film.playOrPause(bench);
  if (key === "h" && bench.data.view.heads > 1) return () => bench.acts.add("head", (bench.data.view.head + 1) % bench.data.view.heads);
  if (key === "e" && stage.canOpenGiven(bench)) return () => stage.toggleGiven(bench);
  return null;
}

// Escape closes what lies over the stage. Whether there was something.
/** @param {LabBench} bench */
function leave(bench) {
  const { menu, more } = bench.lab.header;
  if (!menu.getClientRects().length) return false; // closed, or out of sight in the projector view
  menu.hidden = true;
  menu.hidePopover();
  more.setAttribute("aria-expanded", "false");
  more.focus();
  return true;
}

