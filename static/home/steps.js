// @ts-check
// The steps from query and key to the result, with the numbers of the word in focus and the one it looks at most; each
// opens to its arithmetic for all words, in their own columns.

/** @import { Bench } from "../page/bench.js" */
/** @import { HomeBench, Seen } from "./home.js" */
/** @import { Line, Work } from "./lines.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, prose, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { listed, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../state/progress.js")} */
const { isFirstVisit, markVisit } = await import(`../state/progress.js${own}`);
/** @type {typeof import("./lines.js")} */
const { workOf } = await import(`./lines.js${own}`);

/** @type {Array<[string, string]>} */
const STEPS = [["scores", "q\u00B7k"], ["scaled", "\u00F7\u221Ad"], ["weights", "softmax"], ["head_outputs", "\u03A3\u00B7v"]];
const QUIET = 4000; // milliseconds without input after which the first step opens, on a first visit
const INPUTS = ["pointerdown", "keydown"];

/** @param {Bench} bench @param {HTMLElement} section */
export function buildSteps(bench, section) {
  const pair = element("p", "gutter pair");
  const chips = element("div", "chips");
  const how = element("div", "gutter of-work");
  const work = element("div", "work");
  const beside = element("div", "beside-work");
  work.id = `work-${bench.number}`;
  chips.setAttribute("role", "group");
  const made = STEPS.map(([step, sign]) => {
    const press = button("chip", undefined, () => open(/** @type {HomeBench} */ (bench), step));
    press.append(element("span", "of-step", sign), " ", element("b"));
    press.dataset.step = step;
    press.setAttribute("aria-controls", work.id);
    return press;
  });
  chips.append(...made);
  section.append(pair, chips, how, work, beside);
  const opened = isFirstVisit() && matchMedia("(prefers-reduced-motion: reduce)").matches ? STEPS[0][0] : "";
  if (opened) markVisit();
  else if (isFirstVisit()) waitForQuiet(/** @type {HomeBench} */ (bench));
  return { pair, chips, made, how, work, beside, opened, shown: "" };
}

// A second press closes it; one is open at a time.
/** @param {HomeBench} bench @param {string} step */
function open(bench, step) {
  const { steps } = bench.home;
  steps.opened = steps.opened === step ? "" : step;
  markVisit();
  bench.draw();
}

// On a first visit the first step opens by itself, once, so that one sees that steps open. (Where nothing is to move it is
// open from the beginning.)
/** @param {HomeBench} bench */
function waitForQuiet(bench) {
  const stops = new AbortController();
  const first = () => {
    stops.abort();
    if (bench.root.isConnected && !bench.home.steps.opened && isFirstVisit()) open(bench, STEPS[0][0]);
  };
  let timer = setTimeout(first, QUIET);
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(first, QUIET);
  };
  for (const kind of INPUTS) addEventListener(kind, again, { signal: stops.signal, capture: true });
}

/** @param {HomeBench} bench @param {Seen} seen */
export function drawSteps(bench, seen) {
  const { steps } = bench.home;
  const { names, focus, most, head, decimals, trace, words } = seen;
  put(steps.pair, `${names[focus]} \u2192 ${names[most]}`);
  steps.chips.setAttribute("aria-label", words.steps);
  const outputs = Array.from({ length: trace.step("head_outputs").shape[2] }, (_, channel) => trace.at("head_outputs", [head, focus, channel]));
  for (const press of steps.made) {
    const step = /** @type {string} */ (press.dataset.step);
    const value = step === "head_outputs" ? null : trace.at(step, [head, focus, most]);
    const text = value === null ? `[${listed(outputs.map((one) => write(one, decimals)))}]` : write(value, decimals);
    put(/** @type {Element} */ (press.lastElementChild), text);
    press.ariaExpanded = String(step === steps.opened);
  }
  drawWork(bench, seen);
}

/** @param {HomeBench} bench @param {Seen} seen */
function drawWork(bench, { names, focus, most, head, decimals, trace, words }) {
  const { steps } = bench.home;
  const { opened } = steps;
  const work = opened ? workOf(opened, trace, head, focus, decimals) : null;
  const shown = JSON.stringify([opened, work, names, most, bench.data.language]);
  if (steps.shown === shown) return;
  steps.shown = shown;
  steps.work.dataset.step = opened;
  steps.work.classList.toggle("open", work !== null);
  if (!work) {
    steps.how.replaceChildren();
    steps.beside.replaceChildren();
    return steps.work.replaceChildren(element("p", "hint", words.hint));
  }
  const key = `of_${opened}${work.facts.largest ? "_shifted" : ""}`;
  steps.how.replaceChildren(prose(fillIn(words[key], work.facts)));
  steps.work.replaceChildren(...work.columns.map((lines, place) => columnOf(names[place], lines, place === most)));
  steps.beside.replaceChildren(...work.beside.map((line) => besideOf(line, words)));
}

/** @param {string} name @param {Line[]} lines @param {boolean} isMost */
function columnOf(name, lines, isMost) {
  const column = element("div", isMost ? "column most" : "column");
  column.append(element("span", "name", name), ...lines.map(lineOf));
  return column;
}

/** @param {Line} line */
function lineOf(line) {
  const made = element("span", "line");
  for (const [text, ink] of line) made.append(ink ? element(ink === "up" ? "sup" : "span", ink === "up" ? "" : `ink-${ink}`, text) : text);
  return made;
}

// What stands beside a line: a result, or the sum that all columns share.
/** @param {Work["beside"][number]} line @param {Record<string, string>} words */
function besideOf(line, words) {
  const [text, ink] = line[0];
  return ink === "sum" ? element("span", "line", fillIn(words.sum, { sum: text })) : lineOf(line);
}
