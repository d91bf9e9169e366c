// @ts-check
// The controls of a section: sliders, options, and buttons that count. A slider may be played.

/** @import { LessonBench } from "./lesson.js" */
/** @import { KnobShown } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

/** @typedef {HTMLElement & { knob?: KnobShown, wanted?: number, later?: ReturnType<typeof setTimeout> }} KnobGroup */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, showSign } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { brief, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { radioGroup, markRadio } = await import(`../page/choices.js${own}`);

// Each stands directly above the first block that it changes.
/** @param {LessonBench} bench @param {KnobShown[]} knobs */
export function drawKnobs(bench, knobs) {
  const host = bench.lesson.knobs;
  const wanted = JSON.stringify([bench.lesson.section, knobs.map(({ value, ...shape }) => shape)]);
  if (host.dataset.of !== wanted) {
    host.dataset.of = wanted;
    clearInterval(bench.lesson.playing);
    bench.lesson.playing = undefined;
    const places = [...new Set(knobs.map(({ above }) => above ?? 0))];
    const bars = places.map((place) => {
      const bar = element("div", "knobs");
      bar.style.order = String(2 * place); // blocks have the odd numbers between
      bar.append(...knobs.filter(({ above }) => (above ?? 0) === place).map((knob) => made(bench, knob)));
      return bar;
    });
    host.replaceChildren(...bars);
  }
  for (const knob of knobs) show(bench, /** @type {KnobGroup} */ (host.querySelector(`[data-knob="${knob.name}"]`)), knob);
}

/** @param {LessonBench} bench @param {KnobShown} knob */
function made(bench, knob) {
  const group = knob.press ? pressKnob(bench, knob) : knob.options ? optionsKnob(bench, knob) : sliderKnob(bench, knob);
  group.dataset.knob = knob.name;
  return group;
}

/** @param {LessonBench} bench @param {KnobShown} knob */
function optionsKnob(bench, knob) {
  const options = (knob.options ?? []).map((label, place) => [place, label]);
  return radioGroup(knob.label, options, (place) => bench.acts.add("knob", knob.name, place));
}

/** @param {LessonBench} bench @param {KnobShown} knob */
function pressKnob(bench, knob) {
  const group = element("div", "group knob");
  const press = button("press", knob.label, () => bench.acts.add("knob", knob.name, Number(press.dataset.value) + 1));
  group.append(press);
  return group;
}

// While it is dragged, the last place counts: one message is on its way at a time.
/** @param {LessonBench} bench @param {KnobShown} knob */
function sliderKnob(bench, knob) {
  /** @type {KnobGroup} */
  const group = element("div", "group knob slider");
  const label = element("label");
  const name = element("span", "label", knob.label);
  const input = element("input");
  const output = element("output");
  const stops = knob.values?.length;
  Object.assign(input, { type: "range", min: stops ? 0 : knob.least, max: stops ? stops - 1 : knob.most, step: stops ? 1 : knob.step });
  label.append(name, input);
  group.append(label, output);
  input.addEventListener("input", () => {
    group.wanted = valueOf(group.knob ?? knob, input);
    output.textContent = written(group.wanted);
    input.setAttribute("aria-valuetext", output.textContent);
    sendWhenSettled(bench, group);
  });
  if (knob.play) group.append(playButton(bench, group, input, knob));
  return group;
}

/** @param {Bench} bench @param {KnobGroup} group */
function sendWhenSettled(bench, group) {
  if (group.wanted === undefined || !group.isConnected) return; // it belongs to another section or page
  if (!bench.acts.settled) {
    clearTimeout(group.later);
    group.later = setTimeout(() => sendWhenSettled(bench, group), 15);
    return;
  }
  const value = group.wanted;
  group.wanted = undefined;
  bench.acts.add("knob", group.knob?.name, value);
}

/** @param {KnobShown} knob @param {HTMLInputElement} input */
const valueOf = (knob, input) => (knob.values ? knob.values[Number(input.value)] : Number(input.value));

/** @param {LessonBench} bench @param {HTMLElement} group @param {HTMLInputElement} input @param {KnobShown} knob */
function playButton(bench, group, input, knob) {
  const { words } = bench.outline;
  const press = button("walk", "\u25B6", () => {
    if (bench.lesson.playing) return stop();
    if (Number(input.value) >= Number(input.max)) move(input.min);
    bench.lesson.playing = setInterval(() => {
      if (!group.isConnected || Number(input.value) >= Number(input.max)) return stop();
      if (bench.acts.settled) move(String(Number(input.value) + Number(input.step)));
    }, knob.play);
    name(words.pause, true);
  });
  /** @param {string} label @param {boolean} isPlaying */
  const name = (label, isPlaying) => {
    press.setAttribute("aria-label", label);
    showSign(press, isPlaying);
  };
  /** @param {string} value */
  const move = (value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const stop = () => {
    clearInterval(bench.lesson.playing);
    bench.lesson.playing = undefined;
    name(words.knob_play, false);
  };
  name(words.knob_play, false);
  return press;
}

/** @param {LessonBench} bench @param {KnobGroup} group @param {KnobShown} knob */
function show(bench, group, knob) {
  group.knob = knob;
  if (knob.press) {
    const press = /** @type {HTMLButtonElement} */ (group.querySelector("button"));
    press.dataset.value = String(knob.value);
    press.disabled = knob.value >= (knob.most ?? Infinity);
  } else if (knob.options) markRadio(group, knob.value);
  else if (group.wanted === undefined) {
    const input = /** @type {HTMLInputElement} */ (group.querySelector("input"));
    const output = /** @type {HTMLOutputElement} */ (group.querySelector("output"));
    const value = knob.values ? knob.values.indexOf(knob.value) : knob.value;
    if (Number(input.value) !== value) input.value = String(value);
    output.textContent = written(knob.value);
    input.setAttribute("aria-valuetext", written(knob.value));
  }
}

/** @param {number} value */
const written = (value) => (Number.isInteger(value) ? write(value, 0) : brief(value, 6));
