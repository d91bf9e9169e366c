// @ts-check
// The formula bar: the arithmetic of the chosen cell, always in view, and the line of code that does the step.

/** @import { StepOutline } from "../message/message.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element } = await import(`../message/text.js${own}`);

/** @typedef {"numpy" | "torch"} Language of code */
/** @type {Array<[Language, string]>} */
const LANGUAGES = [["numpy", "NumPy"], ["torch", "PyTorch"]];
const REMEMBERED = "qkv.code"; // which language was chosen, in this browser

/** @param {Bench} bench */
export function buildBar(bench) {
  const host = element("footer", "bar");
  const code = element("div", "code");
  host.append(bench.explained.arithmetic, code);
  bench.explained.aside.remove();
  return { host, code, language: /** @type {Language} */ (remembered()) };
}

/** @returns {Language} */
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) === "torch" ? "torch" : "numpy";
  } catch {
    return "numpy"; // a browser that keeps nothing
  }
}

/** @param {LabBench} bench @param {StepOutline} step */
export function drawBar(bench, step) {
  const { bar } = bench.lab;
  bar.code.hidden = !step.numpy;
  const text = step[bar.language];
  const wanted = JSON.stringify([text, bench.data.language]);
  if (!step.numpy || bar.code.dataset.shown === wanted) return;
  bar.code.dataset.shown = wanted;
  const choices = LANGUAGES.map(([language, label]) => {
    const press = button("language", label, () => choose(bench, step, language));
    press.dataset.language = language;
    press.setAttribute("aria-pressed", String(language === bar.language));
    return press;
  });
  const copy = button("copy-code", bench.outline.words.copy, async () => {
    await copyText(text ?? "");
    bench.say(bench.outline.words.copied_code);
  });
  copy.title = bench.outline.words.copy_code;
  const line = element("pre");
  line.append(element("code", "", text));
  line.tabIndex = 0;
  bar.code.replaceChildren(...choices, copy, line);
}

/** @param {LabBench} bench @param {StepOutline} step @param {Language} language */
function choose(bench, step, language) {
  bench.lab.bar.language = language;
  try {
    localStorage.setItem(REMEMBERED, language);
  } catch {
    // it is chosen for now
  }
  drawBar(bench, step);
  /** @type {HTMLElement | null} */ (bench.lab.bar.code.querySelector(`[data-language=${language}]`))?.focus();
}
