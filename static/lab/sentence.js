// @ts-check
// The sentence: typing or pasting words makes them the tokens.

/** @import { StepOutline } from "../message/message.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, put } = await import(`../message/text.js${own}`);

/** @param {Bench} bench */
export function buildSentence(bench) {
  const host = element("label", "sentence-field");
  const label = element("span", "label");
  const input = element("input");
  Object.assign(input, { type: "text", autocomplete: "off", spellcheck: false });
  const send = () => {
    const words = input.value.trim();
    if (words && words !== input.dataset.shown) bench.acts.add("sentence", words);
    else if (!words) input.value = input.dataset.shown ?? "";
  };
  input.addEventListener("change", send);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = input.dataset.shown ?? "";
    if (event.key === "Enter" || event.key === "Escape") input.blur();
  });
  host.append(label, input);
  return { host, label, input };
}

// Only where the learner gives X, and only at the input.
/** @param {LabBench} bench @param {StepOutline} step */
export function drawSentence(bench, step) {
  const { host, label, input } = bench.lab.stage.sentence;
  const x = bench.outline.matrices.find(({ id }) => id === "x");
  host.hidden = step.stand.kind !== "input" || !x?.editable || x.axes[0] !== "token" || !bench.canRename;
  if (host.hidden) return;
  put(label, bench.outline.words.sentence_field);
  const shown = (x?.rows ?? []).join(" ");
  if (input.dataset.shown === shown) return;
  input.dataset.shown = shown;
  if (document.activeElement !== input) input.value = shown;
}
