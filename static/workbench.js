// The workbench: rail, board, step in focus and arithmetic in one component.
//
// `paint` is called again with new data after every run. Numbers go to the board first; the figure follows when
// they are on the screen. Steps are walked here, without waiting for the server, which is told.

const own = new URL(import.meta.url).search;
const load = (file) => import(`./${file}.js${own}`);
const inOneFile = import.meta.url.startsWith("data:"); // of a handout, which has the styles too
const styled = inOneFile ? null : addStyles();
// Every page's are asked for at once, also those that only others of them need; below each is at hand already.
const EVERY = [
  ...["text", "numbers"].map((name) => `message/${name}`),
  "state/state",
  ...["board", "cells", "lens", "spoken", "typing"].map((name) => `board/${name}`),
  ...["axes", "figures", "fill", "look", "parts", "tables", "zoom"].map((name) => `figures/${name}`),
  ...["arithmetic", "choices", "comparing", "corner", "focus", "formula", "keys", "present", "rail", "wide"].map((name) => `page/${name}`),
];
// What only a lesson needs, or only the home page.
const LESSON = [...["lesson", "blocks", "grid", "knobs", "moves", "paper", "prose"].map((name) => `course/${name}`), "state/progress"];
const COURSE = ["course/course", "state/progress"];
await Promise.all(EVERY.map(load));
/** @type {typeof import("./message/text.js")} */
const { button, element } = await import(`./message/text.js${own}`);
/** @type {typeof import("./message/numbers.js")} */
const { useMarks } = await import(`./message/numbers.js${own}`);
/** @type {typeof import("./state/state.js")} */
const { Store } = await import(`./state/state.js${own}`);
/** @type {typeof import("./board/board.js")} */
const { drawBoard } = await import(`./board/board.js${own}`);
/** @type {typeof import("./page/choices.js")} */
const { buildChoices, drawChoices } = await import(`./page/choices.js${own}`);
/** @type {typeof import("./page/rail.js")} */
const rail = await import(`./page/rail.js${own}`);
/** @type {typeof import("./page/focus.js")} */
const focus = await import(`./page/focus.js${own}`);
/** @type {typeof import("./page/corner.js")} */
const { buildCorner, drawCorner } = await import(`./page/corner.js${own}`);
/** @type {typeof import("./page/keys.js")} */
const { openKeys } = await import(`./page/keys.js${own}`);
/** @type {typeof import("./page/present.js")} */
const present = await import(`./page/present.js${own}`);
/** @type {typeof import("./page/wide.js")} */
const { watchWide } = await import(`./page/wide.js${own}`);

const outlines = new Map(); // every outline this page was sent, by id
let store = null; // of the page that is shown
const MOST_OUTLINES = 30;
const KEEP_LETTERS = "input, select, textarea, [contenteditable], [role=combobox], [role=option]";
const KEEP_ARROWS = `${KEEP_LETTERS}, [role=radio], [role=slider], [role=tab], [role=menuitem], [role=grid], .js-plotly-plot`;
const KEEP_ESCAPE = "select, textarea, [role=combobox], [role=listbox]"; // it closes their lists
const PANEL = ".st-key-lab_panel"; // in the fields of which it closes the panel
let benches = 0;

// An answer of the server: `id` says to which request, 0 that the page is being opened.
export async function paint({ data, parentElement, setStateValue }) {
  if (store?.page !== data.page) {
    store?.end();
    store = new Store(data.page);
  }
  const own = store;
  own.report = setStateValue;
  own.isThere = () => parentElement.isConnected && store === own;
  const first = !parentElement.bench;
  const isAnswer = own.take(data);
  if (first || isAnswer) {
    own.outline = data.message.outline;
    const bench = await show(parentElement, own, data.message, isAnswer && data.trail.length > 0);
    own.hearsServer = (there) => bench.serverIs(there);
    own.hearsAct = () => bench.countWaiting();
    if (first && !isAnswer) own.arrive(data, data.message.lesson ? bench.parts.doneSections(data.message.lesson.id) : []);
  }
  if (data.leave && isAnswer) own.leave(data.leave);
  if (!first && !isAnswer && own.asked.size) own.repeat(); // a server that began anew
  const sentence = own.doOnce(data.asked);
  if (sentence) (await parentElement.bench).say(sentence);
}

// The bench in a place of the page, made or drawn anew; `acts` takes what the learner does.
export async function show(host, acts, data, isNews = false) {
  host.bench ??= start(host, acts, data); // a promise, so that two calls at once share one bench
  const bench = await host.bench;
  bench.take(data, isNews);
  bench.draw();
  return bench;
}

class Bench {
  constructor(root, acts, withFigure, parts) {
    this.acts = acts;
    this.withFigure = withFigure;
    this.parts = parts;
    this.number = benches += 1;
    this.root = root;
    this.matrices = new Map();
    this.step = "";
    this.picked = {}; // by stage: which of its steps is pictured
    this.playing = null;
    this.sentence = element("p", "sentence");
    this.sentence.hidden = true;
    this.away = element("p", "away");
    this.away.hidden = true;
    this.news = []; // what is heard next
    this.heard = element("div", "heard");
    this.heard.setAttribute("role", "status");
    root.append(this.heard);
    parts.buildLesson?.(this);
    buildChoices(this);
    root.append(this.sentence);
    if (this.lesson) root.append(this.lesson.knobs);
    rail.buildRail(this);
    this.tools = element("div", "tools");
    root.append(this.tools);
    rail.buildChoosers(this);
    rail.buildActions(this);
    this.columns = element("div", "columns");
    this.board = element("section", "board");
    this.columns.append(this.board);
    root.append(this.columns);
    focus.buildFocus(this);
    if (this.lesson) root.append(this.lesson.blocks);
    root.append(this.actions.how);
    root.append(this.away);
    buildCorner(this);
    new ResizeObserver(() => this.fit()).observe(root);
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  // What the server says; `isNews`: in answer to something the learner did. Where they have gone on in the meantime,
  // their own view stays.
  take(data, isNews) {
    if (data.new_outline) {
      outlines.set(data.outline, data.new_outline);
      if (outlines.size > MOST_OUTLINES) outlines.delete(outlines.keys().next().value);
    }
    this.outline = outlines.get(data.outline) ?? this.outline;
    useMarks(this.outline.marks);
    this.isNews = isNews;
    this.answered = isNews && isSameView(data.view, this.data?.view);
    this.edited = this.answered && data.outline === this.data?.outline;
    if (this.acts.settled && !this.playing) this.step = data.view.step;
    this.data = data;
    this.canRename = data.may?.rename ?? false;
    const sentence = data.sentence ?? "";
    if (isNews || sentence) this.say(sentence, data.instead);
  }

  draw() {
    const { words } = this.outline;
    this.board.setAttribute("aria-label", words.label);
    this.root.classList.toggle("only-board", !this.outline.stages);
    drawChoices(this);
    rail.drawRail(this);
    rail.drawChoosers(this);
    drawBoard(this);
    focus.drawFocus(this);
    rail.drawActions(this);
    this.parts.drawLesson?.(this);
    this.parts.drawCourse?.(this);
    this.countWaiting();
    drawCorner(this);
    watchWide(this);
    this.edited = this.answered = this.isNews = false;
  }

  // How much of what was done is not answered yet.
  countWaiting() {
    this.root.dataset.waiting = this.acts.waiting.length;
  }

  // Figures are made for a width; where that changes, they are made anew.
  fit() {
    const width = this.root.clientWidth;
    if (this.width !== undefined && width && width !== this.width && this.outline) this.draw();
    this.width = width;
  }

  // A notice, with what can be done instead of what was refused.
  say(text, instead) {
    const said = [text];
    if (instead) {
      const [label, act] = instead;
      said.push(" ", button("", label, () => this.acts.add(...act)));
    }
    this.sentence.replaceChildren(...said);
    this.sentence.hidden = text === "";
    if (text) this.hear(this.sentence.textContent);
  }

  // Without a server the learner goes on: what they do is kept, and said again when there is one.
  serverIs(there) {
    const { words } = this.outline;
    if (this.away.hidden !== there) this.hear(there ? words.server_back : words.away);
    this.away.textContent = words.away;
    this.away.hidden = there;
    if (there) this.draw(); // what could not be loaded is asked for again
  }

  // For those who listen: the one place that speaks. What happens in one repaint is said together, once.
  hear(text) {
    if (!this.news.length) queueMicrotask(() => this.heard.replaceChildren(element("span", "", this.news.splice(0).join(" "))));
    this.news.push(text);
  }

  stagePlace() {
    return Math.max(0, this.outline.stages.findIndex((stage) => stage.id === this.step));
  }

  get stage() {
    return this.outline.stages?.[this.stagePlace()];
  }

  // Whether a matrix has to do with the step in focus or with the open cell.
  concerns(matrix) {
    const named = this.stage?.steps.some((step) => step.id === matrix.id || step.from?.includes(matrix.id));
    return named || Boolean(this.data.lit?.[matrix.key]) || !this.stage;
  }

  inFocus(id) {
    return this.stage?.steps.some((step) => step.id === id) ?? false;
  }

  show(id) {
    this.step = id;
    this.draw();
  }

  goTo(id) {
    rail.stop(this);
    if (id === this.stage?.id) return;
    this.show(id);
    this.acts.add("step", id);
  }

  // Whether there was somewhere to walk: the steps of the Lab; in a lesson its sections, while presenting.
  walk(by) {
    if (this.data.lesson && present.isPresenting()) present.walkLesson(this, by);
    else if (!this.outline.stages) return false;
    const stage = this.outline.stages?.[this.stagePlace() + by];
    if (stage) {
      this.goTo(stage.id);
      this.hear(stage.title);
    }
    return true;
  }

  onKey(event) {
    if (!this.root.isConnected || !this.outline || event.defaultPrevented || event.target.closest?.("dialog")) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && !keepsEscape(event.target)) this.leave();
    const action = event.target.closest?.(KEEP_LETTERS) ? null : this.actionOf(event.key.toLowerCase());
    if (action && !event.repeat) action();
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (action || (by && !event.shiftKey && !event.target.closest?.(KEEP_ARROWS) && this.walk(by))) event.preventDefault();
  }

  actionOf(key) {
    if (key === "?") return () => openKeys(this);
    return key === "p" && present.canPresent(this) ? () => present.togglePresent(this) : null;
  }

  // Escape closes what is open: the panel, or the projector view.
  leave() {
    if (this.data.panel) {
      this.choices.panels.querySelector('[aria-expanded="true"]')?.focus(); // where it was opened from
      this.acts.add("panel", this.data.panel);
    } else if (present.isPresenting()) present.togglePresent(this);
  }

  // What the learner guessed in a matrix, by cell; "later" for what comes after the step in focus; null: no guessing.
  guesses(matrix) {
    if (this.data.covered?.includes(matrix.id)) return "later"; // a lesson asks for it first
    if (!this.data.view.predict || !this.outline.stages) return null;
    const place = this.outline.stages.findIndex((stage) => stage.steps.some((step) => step.id === matrix.id));
    if (place > this.stagePlace()) return "later";
    const step = this.outline.stages[place]?.steps.find((one) => one.id === matrix.id);
    if (place !== this.stagePlace() || !step.algebra) return null;
    return new Map((this.data.guesses?.[matrix.key] ?? []).map(([row, column, text, state]) => [`${row},${column}`, this.guess(text, state)]));
  }

  guess(text, state) {
    const { words } = this.outline;
    const verdict = state.replace("open", "").trim();
    if (state.startsWith("open")) return { open: true, verdict };
    const spoken = `${text}, ${state === "right" ? words.right : words.wrong}`;
    return { text: `${text} ${state === "right" ? "\u2713" : "\u2715"}`, spoken, right: state === "right" };
  }
}

const keepsEscape = (target) => target.closest?.(KEEP_ESCAPE) || (target.closest?.("input") && !target.closest(PANEL));

// Whether the same heads and batch item are shown: where others are, no number has changed.
const isSameView = (one, other) => ["head", "batch", "all"].every((name) => one[name] === other?.[name]);

async function start(parentElement, acts, data) {
  const root = element("div", "qkv-bench");
  parentElement.append(root);
  const files = data.lesson ? LESSON : data.course ? COURSE : [];
  const [, parts] = await Promise.all([styled, ...files.map(load)]); // nothing is shown before it can be shown right
  return new Bench(root, acts, Boolean(data.new_outline?.stages), parts ?? {});
}

function addStyles() {
  return Promise.all(["page/frame", "workbench", "page/class"].map(addSheet));
}

function addSheet(name) {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL(`${name}.css${own}`, import.meta.url).href;
  document.head.append(sheet);
  return new Promise((resolve) => (sheet.onload = sheet.onerror = resolve));
}
