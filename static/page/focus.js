// Beside the board: the arithmetic of the chosen cell, and the step in focus with its figure, shapes and code.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element, fillIn, prose } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./formula.js")} */
const { drawFormula, isMoved, piecesOf } = await import(`./formula.js${own}`);
/** @type {typeof import("../figures/axes.js")} */
const { drawAxes } = await import(`../figures/axes.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);

const LONGEST_HEARD = 160; // letters of a sum that are read aloud
const LANGUAGES = { numpy: "NumPy", torch: "PyTorch" };

export function buildFocus(bench) {
  if (bench.withFigure) figures.fetchAhead();
  const aside = element("aside", "beside");
  const parting = element("section", "parting");
  const arithmetic = element("section", "arithmetic");
  const panel = element("section", "focus");
  const parts = {
    title: element("h2"),
    why: element("div", "why"),
    formula: element("p", "set"),
    predict: element("div", "predict"),
    tabs: element("div", "tabs"),
    figure: element("div", "figure"),
    save: element("p", "save"),
    facts: element("p", "facts"),
    axes: element("div", "tensors"),
    code: element("div", "code"),
    compare: element("div", "compare"),
  };
  parts.tabs.setAttribute("role", "group");
  parts.figure.setAttribute("role", "figure");
  panel.append(...Object.values(parts));
  aside.append(parting, arithmetic, panel);
  bench.columns.append(aside);
  bench.focus = { aside, parting, arithmetic, panel, ...parts, language: "numpy", turn: 0 };
  for (const format of ["PNG", "SVG"]) parts.save.append(button("saving", format, () => figures.save(parts.figure, format.toLowerCase())));
}

export function drawFocus(bench) {
  drawParting(bench);
  drawArithmetic(bench);
  const { focus, outline } = bench;
  focus.panel.hidden = !outline.stages;
  if (!outline.stages) return;
  const { stage } = bench;
  const step = pictured(bench, stage);
  if (focus.why.dataset.shown !== stage.why) {
    focus.why.dataset.shown = stage.why; // one title may have several stories
    focus.title.textContent = stage.title;
    focus.why.replaceChildren(prose(stage.why));
  }
  drawTabs(bench, stage, step);
  drawSetFormula(bench, step);
  drawPredict(bench, step);
  drawFacts(bench, step);
  drawCode(bench, step);
  drawAxesOf(bench, step);
  drawCompare(bench, step);
  figures.drawLater(bench, step);
}

// Which step of a stage is pictured: the learner's choice, else the one of the chosen cell, else the last.
export function pictured(bench, stage) {
  const chosen = stage.steps.find((step) => (bench.data.lit?.[step.id] ?? []).some(([, , mark]) => mark === "chosen"));
  const picked = stage.steps.find((step) => step.id === bench.picked[stage.id]);
  const first = ["project", "split", "share", "input"].includes(stage.id);
  return picked ?? chosen ?? stage.steps.at(first ? 0 : -1);
}

function drawTabs(bench, stage, shown) {
  const { tabs } = bench.focus;
  tabs.hidden = stage.steps.length < 2;
  const wanted = stage.steps.map((step) => [step.id, step.name]).join();
  if (tabs.dataset.of !== wanted) {
    tabs.dataset.of = wanted;
    tabs.setAttribute("aria-label", bench.outline.words.which);
    const made = stage.steps.map((step) => {
      const press = button("choice", step.name, () => {
        bench.picked[bench.stage.id] = step.id;
        bench.draw();
      });
      press.dataset.ink = step.ink;
      return press;
    });
    tabs.replaceChildren(...made);
  }
  stage.steps.forEach((step, place) => tabs.children[place].setAttribute("aria-pressed", step === shown));
}

function drawSetFormula(bench, step) {
  const { formula } = bench.focus;
  formula.hidden = !step.latex;
  if (!step.latex || formula.dataset.shown === step.latex) return;
  formula.dataset.shown = step.latex;
  formula.replaceChildren(...piecesOf(step.latex));
}

function drawPredict(bench, step) {
  const { predict } = bench.focus;
  const { words } = bench.outline;
  predict.hidden = !bench.data.view.predict;
  if (predict.hidden) return predict.replaceChildren();
  predict.replaceChildren(element("p", "how", step.algebra ? words.predict_how : words.predict_none));
}

function drawFacts(bench, step) {
  const { words } = bench.outline;
  const facts = step.algebra ? [step.algebra] : [];
  const shares = bench.data.shares?.[step.id];
  if (shares && !bench.data.view.predict) {
    facts.push(fillIn(words.row_sum, { row: shares.name, sum: write(shares.sum, 3) }));
    if (shares.bits !== undefined) facts.push(fillIn(words.entropy, { bits: write(shares.bits, 2) }));
  }
  bench.focus.facts.replaceChildren(...facts.map((fact) => element("span", "fact", fact)));
}

// The line that computes the step, in NumPy and in PyTorch.
function drawCode(bench, step) {
  const { focus } = bench;
  focus.code.hidden = !step.numpy;
  if (!step.numpy) return;
  const text = step[focus.language];
  if (focus.code.dataset.shown === text) return;
  focus.code.dataset.shown = text;
  const choices = Object.entries(LANGUAGES).map(([language, label]) => {
    const press = button("language", label, () => {
      focus.language = language;
      drawCode(bench, step);
      focus.code.querySelector(`[data-language=${language}]`).focus();
    });
    press.dataset.language = language;
    press.setAttribute("aria-pressed", language === focus.language);
    return press;
  });
  const line = element("pre");
  line.append(element("code", "", text));
  line.tabIndex = 0;
  focus.code.replaceChildren(...choices, line);
}

function drawAxesOf(bench, step) {
  const wanted = JSON.stringify(step.axes);
  if (bench.focus.axes.dataset.of === wanted) return;
  bench.focus.axes.dataset.of = wanted;
  bench.focus.axes.replaceChildren(element("span", "label", fillIn(bench.outline.words.axes_of, { name: step.name })), drawAxes(step.axes, step.ink));
}

// What differs from the result that was kept: a figure of this step, and the largest change of every step.
function drawCompare(bench, step) {
  const { compare } = bench.focus;
  const { words } = bench.outline;
  const found = bench.data.compare;
  compare.hidden = !found?.largest.length;
  if (compare.hidden) return;
  let [title, place, list] = compare.children;
  if (!title) {
    title = element("h3");
    place = element("div", "figure");
    place.setAttribute("role", "figure");
    list = element("ol", "changes");
    compare.append(title, place, list);
  }
  title.textContent = words.compare_largest;
  const decimals = Math.max(2, bench.data.view.decimals);
  const rows = found.largest.map((change) => {
    const item = element("li");
    const facts = { from: write(change.from, decimals), to: write(change.to, decimals), change: signed(change.change, decimals) };
    item.append(
      button("back", change.name, () => bench.acts.add("open", change.step, change.index)),
      ` ${fillIn(words.compare_change, facts)}`,
    );
    return item;
  });
  list.replaceChildren(...rows);
  figures.drawDifference(bench, place, step);
}

// Where two results part: the first number that differs, and how each of them comes about. Or why nothing does.
function drawParting(bench) {
  const place = bench.focus.parting;
  const { words } = bench.outline;
  const found = bench.data.compare;
  place.hidden = !found;
  if (!found) return;
  const { first, reading, refused, other, count } = found;
  const decimals = Math.max(2, bench.data.view.decimals);
  const shown = JSON.stringify([first, reading, refused, other, count, decimals, bench.data.language]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const title = element("h2", "", reading ? fillIn(words.compare_with, { reading }) : words.compare_title);
  if (!first) {
    const same = reading ? fillIn(words.compare_alike, { count }) : words.compare_same;
    place.replaceChildren(title, element("p", "", refused ?? (other ? words.compare_other : same)));
    return;
  }
  const sentence = element("p", "", `${words.compare_first} `);
  const press = button("back", first.name, () => bench.acts.add("open", first.step, first.index));
  const facts = { here: write(first.here, decimals), there: write(first.there, decimals) };
  sentence.append(press, ` ${fillIn(words.compare_both, facts)}`);
  const lines = element("dl");
  [words.compare_here, words.compare_there].forEach((name, number) => lines.append(element("dt", "", name), element("dd", "", first.lines[number])));
  place.replaceChildren(title, sentence, lines);
}

const signed = (value, decimals) => (value > 0 ? "+" : "") + write(value, decimals);

// What scrolls is told how high the arithmetic stands over it, so that nothing with the focus hides there. (The same by
// :has() in the styles would cost every repaint some milliseconds.)
function makeRoom(bench, isOpen) {
  const scrolls = bench.root.closest('[data-testid="stMain"]');
  const sheet = bench.outline.stages ? (isOpen ? "phone" : "") : isOpen ? "high" : "low";
  if (scrolls && scrolls.dataset.sheet !== sheet) scrolls.dataset.sheet = sheet;
}

function drawArithmetic(bench) {
  const { arithmetic } = bench.focus;
  const { words } = bench.outline;
  const covered = coveredMatrix(bench);
  const lines = covered ? [] : bench.data.lines ?? [];
  const notes = covered ? [fillIn(words.covered, { matrix: covered.name })] : bench.data.notes ?? []; // what wrong predictions forgot
  const isOpen = lines.length + notes.length > 0;
  arithmetic.classList.toggle("open", isOpen);
  makeRoom(bench, isOpen);
  const shown = JSON.stringify([lines, notes, bench.data.language]);
  if (arithmetic.dataset.shown === shown) return;
  arithmetic.dataset.shown = shown;
  tellArithmetic(bench, lines, notes);
  const focused = arithmetic.contains(document.activeElement);
  if (!lines.length) return arithmetic.replaceChildren(...(notes.length ? notes.map((note) => element("p", "note", note)) : [element("p", "invitation", words.invitation)]));
  const close = button("close", "\u00D7", () => bench.acts.add("cell"));
  close.setAttribute("aria-label", words.close);
  arithmetic.replaceChildren(close, element("h2", "", words.explained), ...lines.map((line) => lineOf(bench, line)));
  if (focused) (arithmetic.querySelector("button.back") ?? close).focus(); // one goes on from where one was
}

// The matrix of the chosen cell, where a lesson asks for its number first: what it is made of is lit, no more.
function coveredMatrix({ data, outline }) {
  const isChosen = ({ key }) => data.lit?.[key]?.some(([, , mark]) => mark === "chosen");
  return outline.matrices.find((matrix) => data.covered?.includes(matrix.id) && isChosen(matrix));
}

// Heard when a cell is opened, not when an edit changes the sum of the one that is open.
function tellArithmetic(bench, [line], notes) {
  const { arithmetic } = bench.focus;
  const about = line?.name ?? notes.at(-1) ?? "";
  if (arithmetic.dataset.about === about) return;
  arithmetic.dataset.about = about;
  const isGiven = line && !line.back.length; // a number of the learner's own: its label says it all
  if (bench.isNews && about && !isGiven) bench.hear(line?.text.length <= LONGEST_HEARD ? `${line.text}.` : `${about}.`);
}

function lineOf(bench, line) {
  const { words } = bench.outline;
  const made = element("div", "line");
  const formula = element("div", "formula");
  const right = isMoved(line.latex) ? [element("span", "", line.text.slice(line.text.indexOf(" = ") + 3))] : drawFormula(line.latex);
  const name = element("span", "cell", `${line.name} =`);
  name.dataset.ink = line.ink;
  formula.append(name, ...right);
  const copy = button("latex", "LaTeX", async () => {
    await copyText(line.latex);
    bench.say(words.copied_latex);
  });
  copy.title = words.copy_latex;
  formula.append(copy);
  made.append(formula, element("p", "text", line.text));
  if (line.back.length) {
    const back = element("p", "backs", `${words.step_back} `);
    for (const [name, step, index, ink] of line.back) {
      const press = button("back", name, () => bench.acts.add("open", step, index));
      press.dataset.ink = ink;
      back.append(press, " ");
    }
    made.append(back);
  }
  return made;
}
