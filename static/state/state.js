// @ts-check
// The state of a page, owned by this browser: what the learner has, what was done since, undo and redo, the address.
//
// A request carries the state and the acts that are not answered yet; it is repeated until it is answered. The server
// is a function of it: the same request gives the same answer from any server at any time. State and acts are in the
// browser's storage in the same turn as the key press, so that neither a reload nor a server that dies loses them.

/** @import { Data, Leaving } from "../message/message.js" */
/** @import { Trail } from "./trail.js" */

/** @typedef {any[]} Act its kind, and details that the server checks */
/**
 * An act without an answer; `entry` of the browser's history, and what it came to where it could be played at once.
 * @typedef {{ act: Act, entry: number, after?: import("./known.js").Computation }} Waiting
 */
/** @typedef {Record<string, any>} State as the server reads and writes it */

/**
 * What takes the acts of the learner: a store, or the desk of a handout.
 * @typedef {{ add: (kind: string, ...details: any[]) => void, hold: (part: string, act: Act) => void, release: () => boolean,
 *   drop: () => void, waiting: Waiting[], page: string, settled: boolean, undo: string[], redo: string[],
 *   count: number, done: number, link: string, lastDone: Waiting[] }} Acts
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./tab.js")} */
const { keep, keptOf, linkOfPage } = await import(`./tab.js${own}`);
/** @type {typeof import("./address.js")} */
const { addressWith, entryOfHistory, linkInAddress, turnToPage } = await import(`./address.js${own}`);
/** @type {typeof import("./trail.js")} */
const { afterTrail, last } = await import(`./trail.js${own}`);

const REPEAT_AFTER = 1500; // milliseconds without an answer
const AWAY = 2500; // milliseconds without an answer after which it is said that nobody answers
const MOST_ACTS = 500; // in one request
// Acts that change nothing in the address: Back does not return to before them.
const STAYS = new Set(["panel", "guess", "reveal", "answer", "show", "more", "stop", "go", "follow"]);

// A browser that loads a page again may do so at the address before the last, which it is told a little later. Only the
// first page of a document can be loaded again: the others are turned to.
const [arrival] = globalThis.performance?.getEntriesByType?.("navigation") ?? [];
let isReload = /** @type {PerformanceNavigationTiming | undefined} */ (arrival)?.type === "reload";

export class Store {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
  /** @type {ReturnType<typeof setTimeout> | null} */ silence = null; // which is told of when it has lasted
  /** @type {number | null} */ blank = null; // the entry of the history to which an act led that changed nothing
  /** @type {Waiting | null} */ held = null; // the last act of a drag, which is not sent yet
  dragEntry = 0; // of the history, of the present drag
  entries = 0; // of the history, so far
  moved = false; // through the history, while an act was on its way

  /** @param {string} page */
  constructor(page) {
    const kept = keptOf(page);
    this.page = page;
    this.path = location.pathname;
    this.state = /** @type {State} */ (kept.state ?? null); // null only until the page has arrived
    this.undo = kept.undo ?? [];
    this.redo = kept.redo ?? [];
    this.done = 0; // how many acts the state has
    /** @type {Waiting[]} */
    this.lastDone = []; // by the last answer
    /** @type {Waiting[]} */
    this.waiting = (kept.waiting ?? []).map((act) => ({ act, entry: 0 })); // those without an answer
    /** @type {Map<number, string>} */
    this.links = new Map(kept.links ?? []); // of entries of the browser's history whose address came too late
    this.did = kept.did ?? ""; // what a panel asked for last, and was done
    // At the address that this tab was left at, it shows what it had, also where that was not written there yet.
    this.trusted = Boolean(this.state) && (isReload || kept.address === linkInAddress());
    isReload = false;
    /** @type {Map<number, { before: number, after: number }>} */
    this.unanswered = new Map(); // requests, by id: how many acts were done before, and would be after
    this.lastId = 0;
    this.outline = ""; // the one that is here
    /** @type {(name: string, request: object) => void} */
    this.report = () => {};
    this.isThere = () => true;
    /** @type {(there: boolean) => void} */
    this.hearsServer = () => {};
    this.hearsAct = () => {};
    /** @type {(link: string, computation: import("./known.js").Computation) => void} */
    this.hearsLink = () => {}; // of what was played
    /** @type {(event: PopStateEvent) => void} */
    this.onPop = (event) => this.pop(event);
    window.addEventListener("popstate", this.onPop, true); // before Streamlit, which would run the page again
    document.addEventListener("visibilitychange", () => (document.hidden ? this.release() : this.repeat())); // a tab that slept
    window.addEventListener("pagehide", () => this.release());
  }

  // What the learner does.
  /** @param {string} kind @param {...any} details */
  add(kind, ...details) {
    this.release();
    if (kind === "go") details = [details[0], details[1] ?? linkOfPage(details[0])];
    this.put([kind, ...details], STAYS.has(kind) ? 0 : this.newEntry());
    this.save();
    this.send();
  }

  /** @param {Act} act @param {number} [entry] */
  put(act, entry = 0) {
    this.waiting.push({ act, entry });
    this.hearsAct();
  }

  // While a number is dragged, its last act waits here until it is released: it is shown, and sent when the drag pauses.
  // `part` is "drag" for the first of a drag, "on" for those that follow, "back" for the return to its beginning.
  /** @param {string} part @param {Act} act */
  hold(part, act) {
    if (part === "drag" && !this.held) this.dragEntry = this.newEntry();
    if (this.held) this.held.act = [part, ...act];
    else this.waiting.push((this.held = { act: [part, ...act], entry: this.dragEntry }));
    this.hearsAct();
  }

  // Whether something was held.
  release() {
    if (!this.held) return false;
    this.held = null;
    this.save();
    this.send();
    return true;
  }

  drop() {
    if (!this.held) return;
    this.waiting.splice(this.waiting.indexOf(this.held), 1);
    if (this.held.act[0] === "drag") this.blank = this.held.entry; // its place in the history is free
    this.held = null;
    this.hearsAct();
  }

  // A place for Back to return to, made at once: its address follows with the answer.
  newEntry() {
    const now = entryOfHistory();
    if (now && now === this.blank) return now; // the last act led nowhere: its place is free
    this.entries = Math.max(this.entries, now, ...this.links.keys()) + 1;
    history.pushState({ ...history.state, qkv: this.entries }, "", location.href);
    return this.entries;
  }

  // The page is shown: what this tab has is asked for, where it is more than the address says.
  /** @param {Data} answer @param {string[]} progress */
  arrive(answer, progress) {
    const known = this.state ?? answer.state;
    const link = this.links.get(entryOfHistory()) ?? linkInAddress();
    if (known.link !== link && !this.trusted) this.put(["follow", link]);
    this.trusted = true; // shown once more for a server that began anew: what was done since is newer than the address
    const sections = { ...known.sections };
    for (const id of progress) sections[id] ??= { answered: true, tried: true, done: true };
    this.state = Object.keys(sections).length ? { ...known, sections } : known;
    if (!this.waiting.length) this.agreeWithAddress();
    this.save();
    if (this.waiting.length || JSON.stringify(this.state) !== JSON.stringify(answer.state)) this.send();
  }

  send() {
    const acts = this.waiting.filter((waiting) => waiting !== this.held).slice(0, MOST_ACTS);
    /** @param {...string} kinds */
    const count = (...kinds) => acts.filter(({ act }) => kinds.includes(act[0])).length;
    this.lastId = Math.max(Date.now(), this.lastId + 1);
    const { state, undo, redo, outline, lastId: id } = this;
    const sent = { id, state, acts: acts.map(({ act }) => act), undo: last(undo, count("undo", "back")), redo: last(redo, count("redo")), outline };
    this.unanswered.set(id, { before: this.done, after: this.done + acts.length });
    for (const first of [...this.unanswered.keys()].slice(0, -50)) this.unanswered.delete(first);
    this.report("request", sent);
    this.waitForAnswer();
  }

  waitForAnswer() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.repeat(), REPEAT_AFTER);
    this.silence ??= setTimeout(() => this.isThere() && this.hearsServer(false), AWAY);
  }

  repeat() {
    if (this.unanswered.size && this.isThere()) this.send();
    else if (this.unanswered.size) this.waitForAnswer(); // the page is being drawn anew
  }

  // Whether an answer is one that was waited for; then it is what holds. Acts are done in their order, so an answer that
  // comes later or twice has nothing new, or only its end.
  /** @param {Data} answer */
  take({ id, state, trail }) {
    const request = this.unanswered.get(id);
    if (!request) return false;
    this.unanswered.delete(id);
    const news = trail.slice(this.done - request.before); // without the acts that another answer has told of
    const isNews = news.length > 0 || request.before === this.done; // a state alone was asked for, and none is newer
    if (isNews) this.adopt(state, news);
    if (this.waiting.some((waiting) => waiting !== this.held) && !this.unanswered.size) this.send(); // what there was no time for
    return isNews;
  }

  /** @param {State} state @param {Trail} trail */
  adopt(state, trail) {
    let { link } = this.state;
    const { undo, redo } = afterTrail({ link, undo: this.undo, redo: this.redo }, trail);
    const done = this.waiting.splice(0, trail.length);
    this.lastDone = done;
    Object.assign(this, { state, undo, redo, done: this.done + trail.length });
    for (const [id, { after }] of this.unanswered) if (after <= this.done) this.unanswered.delete(id);
    done.forEach(({ entry, after }, place) => {
      const [next] = trail[place];
      if (after && next !== link) this.hearsLink(next, after);
      if (entry) this.settleEntry(entry, next, link);
      link = next;
    });
    clearTimeout(this.silence ?? undefined);
    this.silence = null;
    this.hearsServer(true);
    if (!this.waiting.length) this.agreeWithAddress();
    this.save();
  }

  // The address of a place in the browser's history is known.
  /** @param {number} entry @param {string} link @param {string} before */
  settleEntry(entry, link, before) {
    this.links.set(entry, link);
    if (this.links.size > 50) this.links.delete([...this.links.keys()][0]);
    if (entryOfHistory() !== entry) return; // the learner has gone on or back in the meantime
    this.blank = link === before ? entry : null;
    this.writeAddress(link);
  }

  /** @param {string} link */
  writeAddress(link) {
    const entry = entryOfHistory();
    if (entry) this.links.set(entry, link);
    if (linkInAddress() !== link) history.replaceState(history.state, "", addressWith(link));
  }

  // Where the learner moved through the history while an act was on its way, the place they are at decides.
  agreeWithAddress() {
    const wanted = this.links.get(entryOfHistory()) ?? linkInAddress();
    const moved = this.moved; // once: a link that cannot be read stays in the address
    this.moved = false;
    if (moved && wanted !== this.state.link) this.follow(wanted);
    else if (!moved && this.state.link) this.writeAddress(this.state.link);
  }

  /** @param {PopStateEvent} event */
  pop(event) {
    if (!this.isThere() || location.pathname !== this.path) return; // another page: Streamlit turns to it
    event.stopImmediatePropagation();
    const link = this.links.get(entryOfHistory()) ?? linkInAddress();
    this.writeAddress(link);
    this.moved = this.waiting.length > 0;
    this.follow(link);
  }

  /** @param {string} link */
  follow(link) {
    this.put(["follow", link]);
    this.save();
    this.send();
  }

  // A panel of the page asks for something to be done, once.
  /** @param {Data["asked"]} asked */
  doOnce(asked) {
    if (!asked || asked.token === this.did) return null;
    this.did = asked.token;
    for (const act of asked.acts) this.add(act[0], ...act.slice(1));
    if (!asked.acts.length) this.save();
    return asked.sentence ?? null;
  }

  /** @param {Leaving} leaving */
  leave(leaving) {
    this.save();
    turnToPage(leaving);
  }

  end() {
    clearTimeout(this.timer);
    clearTimeout(this.silence ?? undefined);
    window.removeEventListener("popstate", this.onPop, true);
  }

  save() {
    const { state, did } = this;
    const waiting = this.waiting.map(({ act }) => act).filter(([kind]) => kind !== "go" && kind !== "more");
    keep(this.page, { state, did, waiting, address: linkInAddress(), undo: this.undo, redo: this.redo, links: [...this.links].slice(-10) });
  }

  get link() {
    return /** @type {string} */ (this.state?.link ?? ""); // empty for how the page opens
  }
  // How many acts there were, answered or not.
  get count() {
    return this.done + this.waiting.length;
  }

  // Whether nothing that the learner did is on its way; that an experiment goes on is not their doing.
  get settled() {
    return this.waiting.every(({ act }) => act[0] === "more");
  }
}
