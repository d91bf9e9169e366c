// The state of a page, owned by this browser: what the learner has, what was done since, undo and redo, the address.
//
// A request carries the state and the acts that are not answered yet; it is repeated until it is answered. The server
// is a function of it: the same request gives the same answer from any server at any time. State and acts are in the
// browser's storage in the same turn as the key press, so that neither a reload nor a server that dies loses them.

const REPEAT_AFTER = 1500; // milliseconds without an answer
const AWAY = 2500; // milliseconds without an answer after which it is said that nobody answers
const MOST_STEPS_BACK = 100;
const MOST_ACTS = 500; // in one request
const MOST_KEPT = 400000; // characters of undo and redo in the storage
// Acts that change nothing in the address: Back does not return to before them.
const STAYS = new Set(["panel", "guess", "reveal", "answer", "show", "more", "stop", "go", "follow"]);

const storage = (name) => `qkv-lab:${name}`;

function read(name) {
  try {
    return JSON.parse(sessionStorage.getItem(storage(name))) ?? {};
  } catch {
    return {};
  }
}

function write(name, value) {
  try {
    sessionStorage.setItem(storage(name), JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still shows the page; only a reload loses more.
  }
}

export const linkOfPage = (name) => read(name).state?.link ?? "";

// The course is begun anew: what was answered in lessons is forgotten, where they were left is not.
export function forgetSections(names) {
  for (const name of names) {
    const kept = read(name);
    if (kept.state) write(name, { ...kept, state: { ...kept.state, sections: undefined } });
  }
}

// A page that is loaded again shows what this tab had, also where its address was not written yet. Only the first page
// of a document can be: the others are turned to.
let isReload = globalThis.performance?.getEntriesByType?.("navigation")[0]?.type === "reload";

const entryOfHistory = () => history.state?.qkv ?? 0;

const linkInAddress = () => new URLSearchParams(location.search).get("s") ?? "";

function addressWith(link, path = location.href, language = "") {
  const address = new URL(path, document.baseURI);
  const embed = new URLSearchParams(location.search).get("embed");
  address.search = "";
  if (link) address.searchParams.set("s", link);
  else if (language) address.searchParams.set("l", language);
  if (embed) address.searchParams.set("embed", embed);
  return address.href;
}

// What an act means for undo and redo; the server says it, for each act.
export function afterTrail({ link, undo, redo }, trail) {
  let found = { link, undo: [...undo], redo: [...redo] };
  for (const [next, meaning] of trail) {
    if (meaning === "new") found = { ...found, undo: [...found.undo, found.link], redo: [] };
    if (meaning === "undo") found = { ...found, undo: found.undo.slice(0, -1), redo: [...found.redo, found.link] };
    if (meaning === "redo") found = { ...found, undo: [...found.undo, found.link], redo: found.redo.slice(0, -1) };
    if (meaning === "fresh") found = { ...found, undo: [], redo: [] };
    found.link = next;
  }
  return { ...found, undo: found.undo.slice(-MOST_STEPS_BACK), redo: found.redo.slice(-MOST_STEPS_BACK) };
}

const last = (list, count) => (count ? list.slice(-count) : []);

export class Store {
  constructor(page) {
    const kept = read(page);
    this.page = page;
    this.path = location.pathname;
    this.state = kept.state ?? null;
    this.undo = kept.undo ?? [];
    this.redo = kept.redo ?? [];
    this.done = 0; // how many acts the state has
    this.waiting = (kept.waiting ?? []).map((act) => ({ act, entry: 0 })); // those without an answer
    this.links = new Map(kept.links ?? []); // of entries of the browser's history whose address came too late
    this.did = kept.did ?? ""; // what a panel asked for last, and was done
    this.trusted = Boolean(this.state) && (isReload || (kept.entry > 0 && kept.entry === entryOfHistory()));
    isReload = false;
    this.asked = new Map(); // requests without an answer, by id: how many acts were done before and would be after
    this.lastId = 0;
    this.outline = ""; // the one that is here
    this.report = () => {};
    this.isThere = () => true;
    this.hearsServer = () => {};
    this.hearsAct = () => {};
    this.onPop = (event) => this.pop(event);
    window.addEventListener("popstate", this.onPop, true); // before Streamlit, which would run the page again
    document.addEventListener("visibilitychange", () => document.hidden || this.repeat()); // a tab that slept
  }

  // What the learner does.
  add(kind, ...details) {
    if (kind === "go") details = [details[0], linkOfPage(details[0])];
    this.put([kind, ...details], STAYS.has(kind) ? 0 : this.newEntry());
    this.save();
    this.send();
  }

  put(act, entry = 0) {
    this.waiting.push({ act, entry });
    this.hearsAct();
  }

  // A place for Back to return to, made at once: its address follows with the answer.
  newEntry() {
    const now = entryOfHistory();
    if (now && now === this.blank) return now; // the last act led nowhere: its place is free
    this.entries = Math.max(this.entries ?? 0, now, ...this.links.keys()) + 1;
    history.pushState({ ...history.state, qkv: this.entries }, "", location.href);
    return this.entries;
  }

  // The page is shown: what this tab has is asked for, where it is more than the address says.
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
    const acts = this.waiting.slice(0, MOST_ACTS);
    const count = (kind) => acts.filter(({ act }) => act[0] === kind).length;
    this.lastId = Math.max(Date.now(), this.lastId + 1);
    const { state, undo, redo, outline, did, lastId: id } = this;
    const sent = { id, state, acts: acts.map(({ act }) => act), undo: last(undo, count("undo")), redo: last(redo, count("redo")), outline, did };
    this.asked.set(id, { from: this.done, to: this.done + acts.length });
    if (this.asked.size > 50) this.asked.delete(this.asked.keys().next().value);
    this.report("request", sent);
    this.waitForAnswer();
  }

  waitForAnswer() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.repeat(), REPEAT_AFTER);
    this.silence ??= setTimeout(() => this.isThere() && this.hearsServer(false), AWAY);
  }

  repeat() {
    if (this.asked.size && this.isThere()) this.send();
    else if (this.asked.size) this.waitForAnswer(); // the page is being drawn anew
  }

  // Whether an answer is one that was waited for; then it is what holds. Acts are done in their order, so an answer that
  // comes later or twice has nothing new, or only its end.
  take({ id, state, trail }) {
    const request = this.asked.get(id);
    if (!request) return false;
    this.asked.delete(id);
    const news = trail.slice(this.done - request.from);
    const isNews = news.length > 0 || request.from === this.done;
    if (isNews) this.adopt(state, news);
    if (this.waiting.length && !this.asked.size) this.send(); // what there was no time for
    return isNews;
  }

  adopt(state, trail) {
    let { link } = this.state;
    const { undo, redo } = afterTrail({ link, undo: this.undo, redo: this.redo }, trail);
    const done = this.waiting.splice(0, trail.length);
    Object.assign(this, { state, undo, redo, done: this.done + trail.length });
    for (const [id, { to }] of this.asked) if (to <= this.done) this.asked.delete(id);
    done.forEach(({ entry }, place) => {
      const [next] = trail[place];
      if (entry) this.settleEntry(entry, next, link);
      link = next;
    });
    clearTimeout(this.silence);
    this.silence = null;
    this.hearsServer(true);
    if (!this.waiting.length) this.agreeWithAddress();
    this.save();
  }

  // The address of a place in the browser's history is known.
  settleEntry(entry, link, before) {
    this.links.set(entry, link);
    if (this.links.size > 50) this.links.delete(this.links.keys().next().value);
    if (entryOfHistory() !== entry) return; // the learner has gone on or back in the meantime
    this.blank = link === before ? entry : null;
    this.writeAddress(link);
  }

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

  pop(event) {
    if (!this.isThere() || location.pathname !== this.path) return; // another page: Streamlit turns to it
    event.stopImmediatePropagation();
    const link = this.links.get(entryOfHistory()) ?? linkInAddress();
    this.writeAddress(link);
    this.moved = this.waiting.length > 0;
    this.follow(link);
  }

  follow(link) {
    this.put(["follow", link]);
    this.save();
    this.send();
  }

  // A panel of the page asks for something to be done, once.
  doOnce(asked) {
    if (!asked || asked.token === this.did) return null;
    this.did = asked.token;
    for (const act of asked.acts) this.add(...act);
    if (!asked.acts.length) this.save();
    return asked.sentence ?? null;
  }

  // Another page, as it was left; Streamlit hears of it as it hears of Back.
  leave({ page, link, language }) {
    this.save();
    history.pushState({}, "", addressWith(link, page === "home" ? "./" : page, language));
    window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  }

  end() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    window.removeEventListener("popstate", this.onPop, true);
  }

  save() {
    const { state, did } = this;
    const waiting = this.waiting.map(({ act }) => act).filter(([kind]) => kind !== "go" && kind !== "more");
    const fitting = (links) => (JSON.stringify(links).length <= MOST_KEPT ? links : links.slice(-10));
    const [undo, redo] = [fitting(this.undo), fitting(this.redo)];
    write(this.page, { state, did, waiting, entry: entryOfHistory(), undo, redo, links: [...this.links].slice(-10) });
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
