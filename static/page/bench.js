// @ts-check
// What a page shows: its matrices and the arithmetic of the chosen cell, in the frame of the page: the Lab's stage, or a
// lesson. Steps are walked here, without waiting for the server, which is told.

/** @import { Change, Drawn } from "../board/cells.js" */
/** @import { LessonBench } from "../course/lesson.js" */
/** @import { MatrixOutline, Message, Outline, View } from "../message/message.js" */
/** @import { Acts } from "../state/state.js" */

/** @typedef {Message & { offline?: boolean }} PageData */
/** @typedef {{ open?: boolean, verdict?: string, text?: string, spoken?: string, right?: boolean }} Guess */
/** @typedef {"later" | Map<string, Guess> | null} Guesses of a matrix; "later" where it is not its turn, null where nothing is guessed */
/** @typedef {typeof import("../course/lesson.js") & typeof import("../lab/lab.js")} WorkParts */
/** @typedef {WorkParts & typeof import("../heads/heads.js") & typeof import("../home/home.js")} EveryPart */
/** @typedef {Partial<EveryPart>} Parts what only some pages have */
/** @typedef {import("../lab/lab.js").Lab} Lab */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../board/board.js")} */
const { drawBoard } = await import(`../board/board.js${own}`);
/** @type {typeof import("./choices.js")} */
const { buildChoices, drawChoices } = await import(`./choices.js${own}`);
/** @type {typeof import("../board/spoken.js")} */
const { changesBetween, tell } = await import(`../board/spoken.js${own}`);
/** @type {typeof import("./arithmetic.js")} */
const { buildArithmetic, drawArithmetic } = await import(`./arithmetic.js${own}`);
/** @type {typeof import("./corner.js")} */
const { buildCorner, drawCorner } = await import(`./corner.js${own}`);
/** @type {typeof import("./keys.js")} */
const { openKeys } = await import(`./keys.js${own}`);
/** @type {typeof import("./present.js")} */
const present = await import(`./present.js${own}`);
/** @type {typeof import("./wide.js")} */
const { watchWide } = await import(`./wide.js${own}`);
/** @type {typeof import("./at_once.js")} */
const { playActs, takeAnswer } = await import(`./at_once.js${own}`);
/** @type {typeof import("../state/known.js")} */
const { Known } = await import(`../state/known.js${own}`);

const KEEP_LETTERS = "input, select, textarea, [contenteditable], [role=combobox], [role=option]";
const KEEP_ARROWS = `${KEEP_LETTERS}, [role=radio], [role=slider], [role=tab], [role=menuitem], [role=grid], .js-plotly-plot`;
const KEEP_ESCAPE = "select, textarea, [role=combobox], [role=listbox]"; // it closes their lists
const PANEL = ".st-key-lab_panel"; // in the fields of which it closes the panel
const known = new Known(); // all that this page was sent
let made = 0; // benches of this page so far

// Its parts are made once, each by the file that also draws it.
export class Bench {
  /** @type {Outline} */ outline;
  /** @type {PageData} */ told; // by the server, last
  /** @type {PageData} */ data; // what is shown: that, with the acts played on it that have no answer yet
  /** @type {Map<string, Drawn>} */ matrices = new Map();
  /** @type {Change[]} */ changed = []; // cells, by the last edit
  /** @type {Map<string, Change>} */ untold = new Map(); // cells that changed since the last answer
  /** @type {Lab | undefined} */ lab;
  /** @type {ReturnType<typeof setInterval> | null} */ playing = null;
  /** @type {string[]} */ news = []; // what is heard next
  /** @type {{ wanted: string, number: number, key: string, place: number[] } | null} */ typed = null; // last, by act
  /** @type {[string, number, number] | null} */ guessedLast = null; // the cell that is guessed at
  /** @type {number | undefined} */ width;
  /** @type {HTMLAnchorElement | undefined} */ wayOut;
  /** @type {import("../engine/trace.js").Given | undefined} */ given; // what is shown was played from
  step = "";
  canRename = false;
  isNews = false; // the message answers something the learner did
  answered = false; // and shows the same heads
  edited = false; // and the same outline
  isPlayed = false; // what is shown goes further than what was told
  differences = 0; // how often the server's answer was another than what was played
  known = known;
  scrubbing = false; // a number is being dragged
  /** @type {ReturnType<typeof setTimeout> | undefined} */ figureWaits; // while it is

  /** @param {HTMLElement} root @param {Acts} acts @param {Parts} parts */
  constructor(root, acts, parts) {
    this.acts = acts;
    this.parts = parts;
    this.number = made += 1;
    this.root = root;
    this.sentence = element("p", "sentence");
    this.sentence.hidden = true;
    this.away = element("p", "away");
    this.away.hidden = true;
    this.heard = element("div", "heard");
    this.heard.setAttribute("role", "status");
    root.append(this.heard);
    this.lesson = parts.buildLesson?.(root);
    this.choices = buildChoices(this);
    root.append(this.sentence);
    if (this.lesson) root.append(this.lesson.knobs);
    this.columns = element("div", "columns");
    this.board = element("section", "board");
    this.columns.append(this.board);
    root.append(this.columns);
    this.explained = buildArithmetic(this);
    if (this.lesson) root.append(this.lesson.blocks);
    root.append(this.away);
    this.corner = buildCorner(this);
    this.lab = parts.buildLab?.(this); // takes these parts into its own frame
    this.home = parts.buildHome?.(this); // which has a frame of its own
    this.heads = parts.buildHeads?.(this); // and so has this one
    new ResizeObserver(() => this.fit()).observe(root);
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  // What the server says; `isNews`: in answer to something the learner did. Where they have gone on in the meantime,
  // their own view stays.
  /** @param {PageData} told @param {boolean} isNews */
  take(told, isNews) {
    const { data: before, outline } = this;
    this.isNews = isNews;
    takeAnswer(this, told);
    this.answered = isNews && isSameView(this.data.view, before?.view);
    this.edited = this.answered && this.data.outline === before?.outline;
    this.noteChanges(before, outline);
    if (this.acts.settled && !this.playing) this.step = told.view.step;
    this.canRename = told.may?.rename ?? false;
    const sentence = told.sentence ?? "";
    if (isNews || sentence) this.say(sentence, told.instead);
  }

  // What the learner just did is shown in the same frame, where the browser can compute it.
  play() {
    const { data: before, outline } = this;
    if (!playActs(this)) return this.countWaiting();
    this.edited = isSameView(this.data.view, before.view) && this.data.outline === before.outline;
    this.noteChanges(before, outline);
    this.draw();
  }

  // Which numbers changed, also those of matrices that do not stand on the stage. Those of an edit are marked.
  /** @param {PageData | undefined} before @param {Outline} earlier */
  noteChanges(before, earlier) {
    const found = before && isSameView(this.data.view, before.view) ? changesBetween(before, earlier, this.data, this.outline) : [];
    this.changed = this.edited ? found : [];
    for (const change of found) this.untold.set(`${change.key} ${change.row} ${change.column}`, change);
  }

  draw() {
    if (this.home) this.parts.drawHome?.(this);
    else if (this.heads) this.parts.drawHeads?.(this);
    else this.drawFrame();
    this.countWaiting();
    drawCorner(this);
    watchWide(this);
    this.edited = this.answered = this.isNews = false;
    this.changed = [];
  }

  drawFrame() {
    const { words } = this.outline;
    this.board.setAttribute("aria-label", words.label);
    this.root.classList.toggle("only-board", !this.outline.stages);
    drawChoices(this);
    if (this.lab) this.parts.drawLab?.(/** @type {Bench & { lab: Lab }} */ (this));
    else drawBoard(this);
    const isLate = this.typed !== null && this.typed.number > this.acts.done; // this answers something before it
    if (this.answered && !isLate) tell(this, [...this.untold.values()]);
    if (this.isNews && !isLate) this.untold.clear();
    drawArithmetic(this);
    if (this.lesson) this.parts.drawLesson?.(/** @type {LessonBench} */ (this));
  }

  // How much of what was done is not answered yet.
  countWaiting() {
    this.root.dataset.waiting = String(this.acts.waiting.length);
    this.root.classList.toggle("ahead", this.isPlayed); // of what the server said last
  }

  // Figures are made for a width; where that changes, they are made anew.
  fit() {
    const width = this.root.clientWidth;
    if (this.width !== undefined && width && width !== this.width && this.outline) this.draw();
    this.width = width;
  }

  // A notice, with what can be done instead of what was refused.
  /** @param {string} text @param {[string, any[]]} [instead] */
  say(text, instead) {
    /** @type {Array<string | HTMLElement>} */
    const said = [text];
    if (instead) {
      const [label, [kind, ...details]] = instead;
      said.push(" ", button("", label, () => this.acts.add(kind, ...details)));
    }
    this.sentence.replaceChildren(...said);
    this.sentence.hidden = text === "";
    if (text) this.hear(this.sentence.textContent);
  }

  // Without a server the learner goes on: what they do is kept, and said again when there is one.
  /** @param {boolean} there */
  serverIs(there) {
    const { words } = this.outline;
    if (this.away.hidden !== there) this.hear(there ? words.server_back : words.away);
    this.away.textContent = words.away;
    this.away.hidden = there;
    if (there) this.draw(); // what could not be loaded is asked for again
  }

  // For those who listen: the one place that speaks. What happens in one repaint is said together, once.
  /** @param {string} text */
  hear(text) {
    if (!this.news.length) queueMicrotask(() => this.heard.replaceChildren(element("span", "", this.news.splice(0).join(" "))));
    this.news.push(text);
  }

  stagePlace() {
    return Math.max(0, this.outline.stages?.findIndex((stage) => stage.id === this.step) ?? 0);
  }

  get stage() {
    return this.outline.stages?.[this.stagePlace()];
  }

  // A number by its step and its place there; in the Lab one is led to where it stands.
  /** @param {string} step @param {number[]} index */
  open(step, index) {
    this.acts.add("open", step, index);
    this.lab?.leadTo(step);
  }

  /** @param {string} id */
  show(id) {
    this.step = id;
    this.draw();
  }

  // Whether there was somewhere to walk: the steps of the Lab; in a lesson its sections, while presenting.
  /** @param {number} by */
  walk(by) {
    if (this.lab) return this.lab.walk(by);
    if (this.data.lesson && present.isPresenting()) present.walkLesson(this, by);
    return false;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = event.target instanceof Element ? event.target : this.root;
    if (!this.root.isConnected || !this.outline || event.defaultPrevented || target.closest("dialog")) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && !keepsEscape(target)) this.leave();
    const action = target.closest(KEEP_LETTERS) ? null : this.actionOf(event.key.toLowerCase());
    if (action && !event.repeat) action();
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (action || (by && !event.shiftKey && !target.closest(KEEP_ARROWS) && this.walk(by))) event.preventDefault();
  }

  /** @param {string} key */
  actionOf(key) {
    if (key === "?") return () => openKeys(this);
    const own = this.lab?.actionOf(key);
    if (own) return own;
    return key === "p" && present.canPresent(this) ? () => present.togglePresent(this) : null;
  }

  // Escape closes what is open: the panel, or the projector view.
  leave() {
    if (this.data.panel) {
      /** @type {HTMLElement | null} */
      const opener = this.root.querySelector(`[data-panel="${this.data.panel}"]`);
      if (opener?.getClientRects().length) opener.focus(); // where it was opened from
      else this.lab?.header.more.focus(); // in the menu, which was closed meanwhile
      this.acts.add("panel", this.data.panel);
    } else if (this.lab?.leave()) return;
    else if (present.isPresenting()) present.togglePresent(this);
  }

  // What the learner guessed in a matrix, by cell; "later" for what comes after the step in focus; null: no guessing.
  /** @param {MatrixOutline} matrix */
  guesses(matrix) {
    if (this.data.covered?.includes(matrix.id)) return "later"; // a lesson asks for it first
    if (!this.data.view.predict || !this.outline.stages) return null;
    const place = this.outline.stages.findIndex((stage) => stage.steps.some((step) => step.id === matrix.id));
    if (place > this.stagePlace()) return "later";
    const step = this.outline.stages[place]?.steps.find((one) => one.id === matrix.id);
    if (place !== this.stagePlace() || !step?.algebra) return null;
    return new Map((this.data.guesses?.[matrix.key] ?? []).map(([row, column, text, state]) => [`${row},${column}`, this.guess(text, state)]));
  }

  /** @param {string} text @param {string} state */
  guess(text, state) {
    const { words } = this.outline;
    const verdict = state.replace("open", "").trim();
    if (state.startsWith("open")) return { open: true, verdict };
    const spoken = `${text}, ${state === "right" ? words.right : words.wrong}`;
    return { text: `${text} ${state === "right" ? "\u2713" : "\u2715"}`, spoken, right: state === "right" };
  }
}

/** @param {Element} target */
const keepsEscape = (target) => target.closest(KEEP_ESCAPE) || (target.closest("input") && !target.closest(PANEL));

// Whether the same heads and batch item are shown: where others are, no number has changed.
/** @param {View} one @param {View | undefined} other */
const isSameView = (one, other) => one.head === other?.head && one.batch === other.batch && one.all === other.all;
