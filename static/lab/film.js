// @ts-check
// The filmstrip: a small live picture of every matrix in the order of the flow, with its name and shape and, on the arrow
// before it, the operation. Pressing one goes there; after an edit each says how many of its numbers changed.

/** @import { StageOutline, StepOutline } from "../message/message.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

/** @typedef {{ stage: StageOutline, step: StepOutline }} Frame of the filmstrip: a step to walk to */
/**
 * A frame as it was made.
 * @typedef {{ item: HTMLElement, arrow: HTMLElement, press: HTMLButtonElement, canvas: HTMLCanvasElement, row: HTMLElement,
 *   sheet: HTMLElement, shape: HTMLElement, fading?: ReturnType<typeof setTimeout> }} Made
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put, showSign } = await import(`../message/text.js${own}`);
/** @type {typeof import("./thumbnail.js")} */
const { drawThumbnail } = await import(`./thumbnail.js${own}`);

/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);
/** @type {typeof import("../figures/look.js")} */
const { themeOf } = await import(`../figures/look.js${own}`);

const STEP_STAYS = 1600; // milliseconds a step stays while playing
const COUNT_STAYS = 2000; // and how many numbers changed
/** @type {Record<string, string>} */
const SIGNS = {
  project: "\u00B7W",
  scores: "q\u00B7k",
  softmax: "softmax",
  weighted_sum: "\u03A3\u00B7v",
  output: "\u00B7Wo",
  dropout: "\u00D71/(1\u2212p)",
};

// Stages whose steps are taken one after the other; of the others the last step stands for all.
/** @param {StageOutline} stage */
export const isTaken = ({ id }) => ["input", "project", "position", "output"].includes(id);

// Every frame of the strip.
/** @param {Bench} bench @returns {Frame[]} */
export function framesOf(bench) {
  const taken = (/** @type {StageOutline} */ stage) => (isTaken(stage) && stage.id !== "input" ? stage.steps : [headStep(stage)]);
  return (bench.outline.stages ?? []).flatMap((stage) => taken(stage).map((step) => ({ stage, step })));
}

// Of the input X stands for all, of Q, K and V by head Q does.
/** @param {StageOutline} stage */
export const headStep = (stage) =>
  (["input", "split", "share"].includes(stage.id)
    ? stage.steps.find(({ id }) => /^(x|q_heads|k_repeated)$/.test(id))
    : stage.steps.at(-1)) ?? stage.steps[0];

/** @param {Bench} bench */
export function buildFilm(bench) {
  const host = element("nav", "film");
  const back = button("walk", "\u2190", () => bench.lab?.walk(-1));
  const ahead = button("walk", "\u2192", () => bench.lab?.walk(1));
  const play = button("walk", "\u25B6", () => playOrPause(/** @type {LabBench} */ (bench)));
  const frames = element("ol");
  frames.addEventListener("focusin", (event) => reveal(frames, /** @type {HTMLElement} */ (event.target)));
  host.append(back, play, ahead, frames);
  return { host, back, ahead, play, frames, of: "", shown: "", isDark: false, made: /** @type {Made[]} */ ([]) };
}

/** @param {LabBench} bench */
export function drawFilm(bench) {
  const { film } = bench.lab;
  const { words } = bench.outline;
  film.host.setAttribute("aria-label", words.steps);
  const frames = framesOf(bench);
  const at = placeOf(bench, frames);
  name(film.back, words.back);
  name(film.ahead, words.ahead);
  name(film.play, bench.playing ? words.pause : words.play);
  film.back.disabled = at === 0;
  film.ahead.disabled = at === frames.length - 1;
  showSign(film.play, bench.playing);
  const wanted = JSON.stringify(frames.map(({ stage, step }) => [stage.id, step.id, step.name, stage.title]));
  if (film.of !== wanted) {
    film.of = wanted;
    film.made = frames.map((frame) => build(bench, frame));
    film.frames.replaceChildren(...film.made.map(({ item }) => item));
  }
  const counts = countsOf(bench);
  film.isDark = isDarkPage(bench);
  frames.forEach((frame, place) => drawFrame(bench, film.made[place], frame, place === at, counts, place));
  const shown = `${frames[at]?.stage.id} ${frames[at]?.step.id}`;
  if (film.shown !== shown && film.made[at]) reveal(film.frames, film.made[at].item);
  film.shown = shown;
}

/** @param {LabBench} bench @param {Frame[]} frames */
function placeOf(bench, frames) {
  const { picked } = bench.lab;
  const present = frames.filter(({ stage }) => stage.id === bench.stage?.id);
  const wanted = picked[bench.stage?.id ?? ""] ?? bench.data.view.cell[0];
  const found =
    present.find(({ step }) => step.id === wanted) ??
    (present.length > 1 && bench.stage && !isTaken(bench.stage) ? present.at(-1) : present[0]);
  return Math.max(
    0,
    frames.findIndex((frame) => frame === found),
  );
}

/** @param {LabBench} bench @param {Frame} frame @returns {Made} */
function build(bench, { stage, step }) {
  const item = element("li");
  const arrow = element("span", "operation");
  const press = button("frame", undefined, () => goTo(bench, { stage, step }));
  const sheet = element("span", "sheet");
  const canvas = element("canvas");
  const row = element("span", "focus-row");
  const title = element("span", "title", step.name);
  const shape = element("span", "shape");
  canvas.setAttribute("aria-hidden", "true");
  sheet.append(canvas, row);
  const text = element("span", "text");
  text.append(title, " ", shape);
  press.append(sheet, text);
  press.dataset.ink = step.ink;
  press.dataset.stage = stage.id;
  item.append(arrow, press);
  return { item, arrow, press, canvas, row, sheet, shape };
}

/**
 * @param {LabBench} bench
 * @param {Made} made
 * @param {Frame} frame
 * @param {boolean} isHere
 * @param {Map<string, number>} counts
 * @param {number} place
 */
function drawFrame(bench, made, { stage, step }, isHere, counts, place) {
  const { press, arrow, shape, sheet } = made;
  const sizes = step.axes.map(([, size]) => size);
  const many = sizes.slice(0, -2).some((size) => size > 1);
  put(arrow, place ? signOf(bench, stage, step) : "");
  sheet.classList.toggle("stacked", many);
  const count = counts.get(step.id);
  if (count !== undefined) {
    put(shape, fillIn(bench.outline.words.changed_count, { count }));
    press.classList.add("changed");
    press.style.setProperty("--turn", String(place));
    clearTimeout(made.fading);
    made.fading = setTimeout(() => {
      press.classList.remove("changed");
      put(shape, sizes.join("\u00D7"));
    }, COUNT_STAYS);
  } else if (!press.classList.contains("changed")) put(shape, sizes.join("\u00D7"));
  const label = fillIn(bench.outline.words.frame_of, { title: stage.title, name: step.name, shape: shape.textContent ?? "" });
  if (press.ariaLabel !== label) press.ariaLabel = press.title = label;
  if (isHere) press.setAttribute("aria-current", "step");
  else press.removeAttribute("aria-current");
  drawThumbnail(bench, made, step);
}

// The operation that makes a step, on the arrow before it; Q, K and V come of one.
/** @param {LabBench} bench @param {StageOutline} stage @param {StepOutline} step */
function signOf(bench, stage, step) {
  if (stage.id === "project" && stage.steps[0] !== step) return "";
  if (stage.id === "scale") {
    const scale = String(bench.data.choices?.scale ?? "auto");
    return scale === "auto" ? "\u00F7\u221Ad" : `\u00D7${scale === "off" ? 1 : bench.data.choices?.own_scale}`;
  }
  return SIGNS[stage.id] ?? bench.outline.words[`film_${stage.id}`] ?? "";
}

// Whether the page is dark, whoever chose that: the system or the learner.
/** @param {LabBench} bench */
function isDarkPage(bench) {
  const [red = 255] =
    themeOf(bench)("--st-background-color")
      .match(/[0-9a-f]{2}/i)
      ?.map((part) => Number.parseInt(part, 16)) ?? [];
  return red < 128;
}

// How many numbers of each step the last edit changed.
/** @param {LabBench} bench */
function countsOf(bench) {
  /** @type {Map<string, number>} */
  const found = new Map();
  const ids = new Map(bench.outline.matrices.map(({ key, id }) => [key, id]));
  for (const { key } of bench.changed) {
    const id = ids.get(key) ?? "";
    found.set(id, (found.get(id) ?? 0) + 1);
  }
  return found;
}

// The present frame stays in sight where the strip is wider than the screen; the page itself does not move.
/** @param {HTMLElement} frames @param {HTMLElement} item */
function reveal(frames, item) {
  const [around, inside] = [frames.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inside.left < around.left || inside.right > around.right) frames.scrollLeft += inside.left - around.left - around.width / 3;
}

/** @param {HTMLElement} made @param {string} label */
function name(made, label) {
  made.setAttribute("aria-label", label);
  made.title = label;
}

/** @param {LabBench} bench @param {Frame} frame */
function goTo(bench, { stage, step }) {
  stop(bench);
  const isThere = stage.id === bench.stage?.id;
  bench.lab.picked = { [stage.id]: step.id };
  bench.show(stage.id);
  if (!isThere) bench.acts.add("step", stage.id);
}

// To the step of a matrix, unless the matrix stands on the stage; what is given has none of its own and stands beside X.
/** @param {LabBench} bench @param {string} id */
export function leadTo(bench, id) {
  if (bench.matrices.get(keyOf(bench, id))?.figure.isConnected) return;
  const stages = bench.outline.stages ?? [];
  const stage = stages.find(({ steps }) => steps.some((step) => step.id === id)) ?? stages[0];
  goTo(bench, { stage, step: stage.steps.find((step) => step.id === id) ?? stage.steps[0] });
}

// To the next frame, or the one before. Whether there are frames at all.
/** @param {LabBench} bench @param {number} by */
export function walk(bench, by) {
  const frames = framesOf(bench);
  const frame = frames[placeOf(bench, frames) + by];
  if (frame) {
    goTo(bench, frame);
    bench.hear(`${frame.stage.title}: ${frame.step.name}`);
  }
  return true;
}

// While playing, only the last step is told to the server: the way there is not worth a place in the history.
/** @param {LabBench} bench */
export function playOrPause(bench) {
  if (bench.playing) return stop(bench);
  const frames = framesOf(bench);
  /** @param {number} place */
  const show = (place) => {
    bench.lab.picked = { [frames[place].stage.id]: frames[place].step.id };
    bench.show(frames[place].stage.id);
  };
  const playing = setInterval(() => {
    const place = placeOf(bench, frames) + 1;
    if (!bench.root.isConnected) clearInterval(playing);
    else if (frames[place]) show(place);
    else stop(bench);
  }, STEP_STAYS);
  bench.playing = playing;
  if (placeOf(bench, frames) === frames.length - 1) show(0);
  else bench.draw();
}

/** @param {LabBench} bench */
export function stop(bench) {
  if (!bench.playing) return;
  clearInterval(bench.playing);
  bench.playing = null;
  bench.acts.add("step", bench.step);
  bench.draw();
}
