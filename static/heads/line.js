// @ts-check
// The sentence: a field to type in, with a mark under each token as the tokeniser cuts them, pieces of a word joined.

/** @import { Bench } from "../page/bench.js" */
/** @import { HeadsBench, Seen } from "./heads.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, prose, put } = await import(`../message/text.js${own}`);

const LONG = 62; // signs that have room on a line

/** @param {Bench} bench @param {HTMLElement} host */
export function buildLine(bench, host) {
  const form = element("form", "line");
  const label = element("label", "unseen");
  const field = element("div", "field");
  const marks = element("div", "marks");
  marks.setAttribute("aria-hidden", "true");
  const input = element("textarea");
  input.id = `sentence-${bench.number}`;
  label.htmlFor = input.id;
  input.rows = 1;
  input.spellcheck = false;
  input.lang = "en";
  input.autocapitalize = "off";
  const show = element("button", "show");
  const examples = element("select", "examples");
  const facts = element("p", "facts");
  const note = element("p", "note");
  examples.addEventListener("change", () => examples.value && bench.acts.add("example", examples.value));
  input.addEventListener("input", () => drawTyped(bench));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    } else if (event.key === "Escape") {
      input.value = bench.outline.heads?.text ?? "";
      drawTyped(bench);
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!input.readOnly) bench.acts.add("sentence", input.value);
  });
  field.append(marks, input);
  form.append(label, field, show, examples, facts);
  host.append(form, note);
  return { form, label, field, marks, input, show, examples, facts, note, of: "" };
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawLine(bench, { all, shown, words }) {
  const { line } = bench.heads;
  put(line.label, words.own);
  put(line.show, words.show);
  line.input.readOnly = !all.can_type;
  const facts = [fillIn(words.tokens, { count: all.tokens.length }), all.model].filter(Boolean).join(" \u00B7 ");
  put(line.facts, facts);
  const note = [all.no_model, words.english].filter(Boolean).join(" ");
  if (line.note.dataset.said !== note) line.note.replaceChildren(prose((line.note.dataset.said = note), "span"));
  const of = `${bench.data.outline} ${shown.focus}`;
  if (line.of !== of) {
    const isOther = line.of.split(" ")[0] !== bench.data.outline;
    line.of = of;
    if (isOther) line.input.value = all.text;
    line.marks.replaceChildren(...markedText(all, shown.focus));
    const options = all.examples.map(([id, sentence]) => new Option(sentence, id));
    line.examples.replaceChildren(new Option(words.examples, ""), ...options);
    line.examples.setAttribute("aria-label", words.examples);
    line.examples.value = "";
    line.examples.hidden = !all.can_type;
  }
  drawTyped(bench);
}

// While something else is typed there are no marks, and a press shows it.
/** @param {Bench} bench */
function drawTyped(bench) {
  const line = bench.heads?.line;
  if (!line) return;
  const isTyped = line.input.value !== bench.outline.heads?.text;
  line.form.classList.toggle("typing", isTyped);
  line.show.hidden = !isTyped;
  line.field.classList.toggle("long", line.input.value.length > LONG);
  line.field.dataset.typed = `${line.input.value} `; // as high as its lines
}

/** @param {Seen["all"]} all @param {number} focus */
function markedText({ spans, text, token_words: wordOf, texts, words }, focus) {
  const letters = Array.from(text);
  /** @type {Array<string | HTMLElement>} */
  const found = [];
  let at = 0;
  let word = element("span");
  let last = -2;
  for (const [start, end, place] of spans) {
    const isPiece = wordOf[place] === last && start === at;
    if (!isPiece) {
      found.push(letters.slice(at, start).join(""));
      word = element("span", "word");
      found.push(word);
    }
    const mark = element("span", place === focus ? "mark here" : "mark", letters.slice(start, end).join(""));
    if (texts[place] === "[UNK]") mark.title = words.unknown;
    word.append(mark);
    word.classList.toggle("pieces", isPiece);
    [at, last] = [end, wordOf[place]];
  }
  return [...found, letters.slice(at).join("")];
}
