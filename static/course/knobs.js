// The controls of a section: sliders, options, and buttons that count. A slider may be played.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, showSign } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { brief, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { radioGroup, markRadio } = await import(`../page/choices.js${own}`);

export function drawKnobs(bench, knobs) {
  const host = bench.lesson.knobs;
  const wanted = JSON.stringify([bench.lesson.section, knobs.map(({ value, ...shape }) => shape)]);
  host.hidden = !knobs.length;
  if (host.dataset.of !== wanted) {
    host.dataset.of = wanted;
    clearInterval(bench.lesson.playing);
    bench.lesson.playing = null;
    host.replaceChildren(...knobs.map((knob) => made(bench, knob)));
  }
  knobs.forEach((knob, number) => show(bench, host.children[number], knob));
}

function made(bench, knob) {
  if (knob.press) return pressKnob(bench, knob);
  if (knob.options) return optionsKnob(bench, knob);
  return sliderKnob(bench, knob);
}

function optionsKnob(bench, knob) {
  const options = knob.options.map((label, place) => [place, label]);
  return radioGroup(knob.label, options, (place) => bench.acts.add("knob", knob.name, place));
}

function pressKnob(bench, knob) {
  const group = element("div", "group knob");
  const press = button("press", knob.label, () => bench.acts.add("knob", knob.name, Number(press.dataset.value) + 1));
  group.append(press);
  return group;
}

// While it is dragged, the last place counts: one message is on its way at a time.
function sliderKnob(bench, knob) {
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
    output.textContent = written(valueOf(group.knob, input));
    input.setAttribute("aria-valuetext", output.textContent);
    group.wanted = valueOf(group.knob, input);
    sendWhenSettled(bench, group);
  });
  if (knob.play) group.append(playButton(bench, group, input, knob));
  return group;
}

function sendWhenSettled(bench, group) {
  if (group.wanted === undefined || !group.isConnected) return; // it belongs to another section or page
  if (!bench.acts.settled) {
    clearTimeout(group.later);
    group.later = setTimeout(() => sendWhenSettled(bench, group), 15);
    return;
  }
  const value = group.wanted;
  group.wanted = undefined;
  bench.acts.add("knob", group.knob.name, value);
}

const valueOf = (knob, input) => (knob.values ? knob.values[Number(input.value)] : Number(input.value));

function playButton(bench, group, input, knob) {
  const { words } = bench.outline;
  const press = button("walk", "\u25B6", () => {
    if (bench.lesson.playing) return stop();
    if (Number(input.value) >= Number(input.max)) move(input.min);
    bench.lesson.playing = setInterval(() => {
      if (!group.isConnected || Number(input.value) >= Number(input.max)) return stop();
      if (bench.acts.settled) move(Number(input.value) + Number(input.step));
    }, knob.play);
    name(words.pause, true);
  });
  const name = (label, isPlaying) => {
    press.setAttribute("aria-label", label);
    showSign(press, isPlaying);
  };
  const move = (value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  };
  const stop = () => {
    clearInterval(bench.lesson.playing);
    bench.lesson.playing = null;
    name(words.knob_play, false);
  };
  name(words.knob_play, false);
  return press;
}

function show(bench, group, knob) {
  group.knob = knob;
  if (knob.press) {
    const press = group.querySelector("button");
    press.dataset.value = knob.value;
    press.disabled = knob.value >= knob.most;
  } else if (knob.options) markRadio(group, knob.value);
  else if (group.wanted === undefined) {
    const input = group.querySelector("input");
    const value = knob.values ? knob.values.indexOf(knob.value) : knob.value;
    if (Number(input.value) !== value) input.value = value;
    group.querySelector("output").textContent = written(knob.value);
    input.setAttribute("aria-valuetext", written(knob.value));
  }
}

const written = (value) => (Number.isInteger(value) ? write(value, 0) : brief(value, 6));
