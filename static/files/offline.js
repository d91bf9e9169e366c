// A handout: the workbench in one file, without a server. Its book (ui/files/handout.py) has what each place shows and the
// arithmetic of its cells; this desk answers what the learner does from there.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../course/judging.js")} */
const { judged } = await import(`../course/judging.js${own}`);
/** @type {typeof import("../workbench.js")} */
const { show } = await import(`../workbench.js${own}`);

export async function open(book, host) {
  const desk = new Desk(book);
  desk.bench = await show(host, desk, desk.data);
  desk.bench.root.classList.add("offline");
  if (book.title) desk.bench.root.prepend(element("h1", "handout-title", book.title));
  desk.bench.root.append(aboutOf(book, desk.bench.outline.words));
}

function aboutOf(book, words) {
  const about = element("p", "how about-handout", words.offline);
  if (!book.address) return about;
  const live = element("a", "", words.offline_live);
  live.href = book.address;
  about.append(" ", live);
  return about;
}

// Takes the place of what sends acts to the server.
class Desk {
  constructor(book) {
    this.book = book;
    this.at = book.first;
    this.waiting = [];
    this.settled = true;
    this.begin();
    this.cell = book.cell;
  }

  begin() {
    const { view } = this.place.shows;
    this.step ??= view.step;
    this.decimals ??= view.decimals;
    this.cell = null; // the number of its arithmetic
    this.answer = null; // what was said to the learner's answer
    this.told = !this.place.told; // whether the answer of a section is told
  }

  get place() {
    return this.book.places[this.at];
  }

  get data() {
    const { place } = this;
    const shows = this.told && place.told ? place.told : place.shows;
    const found = { ...shows, offline: true };
    found.view = { ...shows.view, step: this.step, decimals: this.decimals };
    if (shows.choices) found.choices = { ...shows.choices, decimals: this.decimals };
    if (this.cell !== null) Object.assign(found, { lit: place.lit[this.cell], lines: this.book.lines[this.cell] });
    if (this.answer && shows.lesson) found.lesson = { ...shows.lesson, ask: { ...shows.lesson.ask, ...this.answer } };
    return found;
  }

  // Each act is answered from the book, and the bench drawn anew.
  add(kind, ...details) {
    const done = ACTS[kind]?.(this, ...details) ?? false;
    this.bench.take(this.data);
    this.bench.draw();
    const { words } = this.bench.outline;
    if (!done) this.bench.say(kind === "cell" || kind === "open" ? words.offline_cell : words.offline_fixed);
  }
}

// What can be done with a handout; each says whether it was done.
const ACTS = {
  cell(desk, key, row, column) {
    const number = key === undefined ? null : desk.place.cells[key]?.[row]?.[column] ?? undefined;
    if (number === undefined) return false;
    desk.cell = number;
    return true;
  },
  open(desk, step, index) {
    const number = desk.book.ids[`${desk.place.group}:${step}:${index}`];
    const has = (place) => place.group === desk.place.group && number in place.lit;
    const at = has(desk.place) ? desk.at : desk.book.places.findIndex(has);
    if (number === undefined || at < 0) return false;
    Object.assign(desk, { at, cell: number });
    return true;
  },
  step(desk, id) {
    desk.step = id;
    return true;
  },
  head(desk, head) {
    const chosen = placeOf(desk.place.cells, desk.cell);
    desk.at = head;
    desk.cell = chosen ? desk.place.cells[chosen[0]]?.[chosen[1]][chosen[2]] ?? null : null; // the same cell of that head
    return true;
  },
  choose(desk, choice, value) {
    if (choice === "decimals") desk.decimals = value;
    return choice === "decimals";
  },
  section(desk, place) {
    desk.at = place;
    desk.begin();
    return true;
  },
  reset(desk) {
    desk.begin();
    return true;
  },
  show(desk) {
    desk.told = true;
    return true;
  },
  answer(desk, given) {
    if (!desk.place.judge) return false;
    const { right, hint } = judged(desk.place.judge, given);
    desk.told ||= right;
    desk.answer = { given, right, hint };
    return true;
  },
};

// The matrix, row and column of a cell, by the number of its arithmetic.
function placeOf(cells, number) {
  for (const [key, rows] of number === null ? [] : Object.entries(cells)) {
    const row = rows.findIndex((line) => line.includes(number));
    if (row >= 0) return [key, row, rows[row].indexOf(number)];
  }
  return null;
}
