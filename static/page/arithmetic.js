// @ts-check
// The arithmetic of the chosen cell, line by line.

/** @import { Line, MatrixOutline } from "../message/message.js" */
/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("./formula.js")} */
const { drawFormula, isMoved } = await import(`./formula.js${own}`);

const LONG = 90; // letters of a line that is written smaller where room is short
const [MOST_TERMS, KEPT_TERMS] = [8, 4]; // of a sum: more are folded, so that as many are left at its beginning
const LONGEST_HEARD = 160; // letters of a sum that are read aloud

// What scrolls is told how high the arithmetic stands over it, so that nothing with the focus hides there. (The same by
// :has() in the styles would cost every repaint some milliseconds.)
/** @param {Bench} bench @param {boolean} isOpen */
function makeRoom(bench, isOpen) {
  /** @type {HTMLElement | null} */
  const scrolls = bench.root.closest('[data-testid="stMain"]');
  const sheet = isOpen ? "high" : "low";
  if (scrolls && scrolls.dataset.sheet !== sheet) scrolls.dataset.sheet = sheet;
}

/** @param {Bench} bench */
export function buildArithmetic(bench) {
  const aside = element("aside", "beside");
  const arithmetic = element("section", "arithmetic");
  aside.append(arithmetic);
  bench.columns.append(aside);
  return { aside, arithmetic };
}

/** @param {Bench} bench */
export function drawArithmetic(bench) {
  const { arithmetic } = bench.explained;
  const { words } = bench.outline;
  const covered = coveredMatrix(bench);
  const lines = covered ? [] : bench.data.lines ?? [];
  const notes = covered ? [fillIn(words.covered, { matrix: covered.name })] : bench.data.notes ?? []; // what wrong predictions forgot
  const isOpen = lines.length + notes.length > 0;
  arithmetic.classList.toggle("open", isOpen);
  arithmetic.parentElement?.classList.toggle("open", isOpen);
  if (!bench.lab) makeRoom(bench, isOpen);
  const shown = JSON.stringify([lines, notes, bench.data.language]);
  tellArithmetic(bench, lines, notes);
  if (arithmetic.dataset.shown === shown) return;
  arithmetic.dataset.shown = shown;
  const focused = arithmetic.contains(document.activeElement);
  if (!lines.length) {
    const said = notes.map((note) => element("p", "note", note));
    arithmetic.replaceChildren(...(said.length ? said : [element("p", "invitation", words.invitation)]));
    return;
  }
  const close = button("close", "\u00D7", () => bench.acts.add("cell"));
  close.setAttribute("aria-label", words.close);
  arithmetic.replaceChildren(close, element("h2", "", words.explained), ...lines.map((line) => lineOf(bench, line)));
  if (focused) /** @type {HTMLElement} */ (arithmetic.querySelector("button.back") ?? close).focus(); // one goes on from where one was
}

// The matrix of the chosen cell, where a lesson asks for its number first: what it is made of is lit, no more.
/** @param {Bench} bench */
function coveredMatrix({ data, outline }) {
  /** @param {MatrixOutline} matrix */
  const isChosen = ({ key }) => data.lit?.[key]?.some(([, , mark]) => mark === "chosen");
  return outline.matrices.find((matrix) => data.covered?.includes(matrix.id) && isChosen(matrix));
}

// Heard when a cell is opened, not when an edit changes the sum of the one that is open.
/** @param {Bench} bench @param {Line[]} lines @param {string[]} notes */
function tellArithmetic(bench, [line], notes) {
  const { arithmetic } = bench.explained;
  const about = line?.name ?? notes.at(-1) ?? "";
  if (arithmetic.dataset.about === about || (bench.isPlayed && !bench.isNews)) return; // it is said with the answer
  arithmetic.dataset.about = about;
  const isGiven = line && !line.back.length; // a number of the learner's own: its label says it all
  if ((bench.isNews || bench.isPlayed) && about && !isGiven) bench.hear(line?.text.length <= LONGEST_HEARD ? `${line.text}.` : `${about}.`);
}

// The numbers of the first expression lead to where they come from; pointing at one lights its cell. They are the
// numbers of `back` in their order, where each of them is written once: with other numbers among them, none is.
/** @param {Bench} bench @param {Line} line @param {Element} expression */
function makeTerms(bench, line, expression) {
  const written = [...expression.querySelectorAll("mn")];
  const own = /^\\frac\{e\^/.test(line.latex.slice(line.latex.indexOf(" = ") + 3)); // softmax says the chosen one first
  const terms = own ? written.slice(1) : written;
  if (terms.length !== line.back.length) return;
  terms.forEach((term, place) => {
    const [name, step, index, ink] = line.back[place];
    term.classList.add("term");
    term.setAttribute("data-ink", ink);
    term.setAttribute("title", name);
    term.addEventListener("pointerenter", () => bench.lab?.light(step, index));
    term.addEventListener("pointerleave", () => bench.lab?.light());
    term.addEventListener("click", () => bench.open(step, index));
  });
}

// A long sum shows how it begins and ends; a press shows all of it.
/** @param {Element} expression */
function foldSums(expression) {
  let folds = 0;
  for (const row of [expression, ...expression.querySelectorAll("mrow")]) {
    const signs = [...row.children].filter((part) => part.localName === "mo" && part.textContent === "+");
    if (signs.length < MOST_TERMS) continue;
    const parts = [...row.children];
    const last = signs[signs.length - 1];
    for (const part of parts.slice(parts.indexOf(signs[KEPT_TERMS - 1]) + 1, parts.indexOf(last))) part.classList.add("in-fold");
    const dots = document.createElementNS(row.namespaceURI, "mtext");
    dots.classList.add("fold-dots");
    dots.textContent = "\u2009\u2026\u2009";
    row.insertBefore(dots, last);
    folds += 1;
  }
  return folds > 0;
}

/** @param {Bench} bench @param {Line} line */
function lineOf(bench, line) {
  const { words } = bench.outline;
  const made = element("div", "line");
  const formula = element("div", "formula");
  const right = isMoved(line.latex) ? [element("span", "", line.text.slice(line.text.indexOf(" = ") + 3))] : drawFormula(line.latex);
  if (!isMoved(line.latex)) makeTerms(bench, line, right[0]);
  const [called, where] = line.name.split(/(?=\[)/, 2);
  const name = element("span", "cell", called);
  if (where) name.append(element("span", "where", where));
  name.append(element("span", "equals", " ="));
  name.dataset.ink = line.ink;
  // Of a share the values of the powers are the middle one of three ways to write it: the first to go where room is short.
  if (right.length > 3) right[1].classList.add("folded");
  const worked = element("span", "worked");
  worked.append(...right);
  worked.classList.toggle("long", line.text.length > LONG);
  if (right.map(foldSums).some(Boolean)) {
    const unfold = button("unfold", words.all_terms, () => unfold.setAttribute("aria-pressed", String(worked.classList.toggle("unfolded"))));
    unfold.setAttribute("aria-pressed", "false");
    worked.append(unfold);
  }
  formula.append(name, worked);
  const copy = button("latex", "LaTeX", async () => {
    await copyText(line.latex);
    bench.say(words.copied_latex);
  });
  copy.title = words.copy_latex;
  worked.append(copy);
  made.append(formula, element("p", "text", line.text));
  if (line.back.length) {
    const back = element("p", "backs", `${words.step_back} `);
    for (const [name, step, index, ink] of line.back) {
      const press = button("back", name, () => bench.open(step, index));
      press.dataset.ink = ink;
      press.addEventListener("pointerenter", () => bench.lab?.light(step, index));
      press.addEventListener("pointerleave", () => bench.lab?.light());
      back.append(press, " ");
    }
    made.append(back);
  }
  return made;
}
