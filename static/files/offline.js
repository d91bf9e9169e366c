// @ts-check
// A handout: the workbench in one file, without a server. It (ui/files/handout.py) has what each place shows and the
// arithmetic of its cells; this desk answers what the learner does from there.

/** @import { Judge } from "../course/judging.js" */
/** @import { Ask, Line, Message } from "../message/message.js" */
/** @import { Acts } from "../state/state.js" */
/** @import { Bench, PageData } from "../page/bench.js" */

/** @typedef {Array<Array<number | null>>} CellIds of a matrix: the number of each cell's arithmetic */

/**
 * A place of a handout: what it shows, and which cells open.
 * @typedef {{ shows: Message, told?: Message, group: number, cells: Record<string, CellIds>, lit: Record<number, Message["lit"]>,
 *   judge?: Judge }} Place
 */
/**
 * @typedef {{ address: string, title: string, first: number, cell: number | null, ids: Record<string, number>, places: Place[],
 *   lines: Line[][] }} Handout
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../course/judging.js")} */
const { judged } = await import(`../course/judging.js${own}`);
/** @type {typeof import("../workbench.js")} */
const { show } = await import(`../workbench.js${own}`);

/** @param {Handout} handout @param {HTMLElement} host */
export async function open(handout, host) {
  const desk = new Desk(handout);
  const bench = await show(host, desk, desk.data);
  desk.bench = bench;
  bench.root.classList.add("offline");
  // In the Lab's frame the title stands in the header and what is said of the file at the foot.
  const { lab } = bench;
  if (handout.title) (lab?.header.host ?? bench.root).prepend(element("h1", "handout-title", handout.title));
  (lab?.bar.host ?? bench.root).append(aboutOf(handout, bench.outline.words));
}

/** @param {Handout} handout @param {Record<string, string>} words */
function aboutOf(handout, words) {
  const about = element("p", "how about-handout", words.offline);
  if (!handout.address) return about;
  const live = element("a", "", words.offline_live);
  live.href = handout.address;
  about.append(" ", live);
  return about;
}

// Takes the place of what sends acts to the server.
class Desk {
  /** @type {Bench} */ bench; // which begins with a desk
  /** @type {number | null} */ cell = null; // the number of its arithmetic
  /** @type {Partial<Ask> | null} */ answer = null; // what was said to the learner's answer
  /** @type {Acts["waiting"]} */ waiting = []; // nothing ever does, and nothing is undone
  /** @type {string[]} */ undo = [];
  /** @type {string[]} */ redo = [];
  settled = true;
  count = 0;
  done = 0;
  page = "";
  link = "";
  hold() {}
  drop() {}
  release() {
    return false;
  }
  /** @type {Acts["waiting"]} */ lastDone = [];

  /** @param {Handout} handout */
  constructor(handout) {
    this.handout = handout;
    this.at = handout.first;
    const { view } = this.place.shows;
    this.step = view.step;
    this.decimals = view.decimals;
    this.focus = view.focus;
    this.picture = view.picture === "shapes" ? view.picture : ""; // the heads stand in places of their own
    this.told = false;
    this.begin();
    this.cell = handout.cell;
  }

  begin() {
    this.cell = null;
    this.answer = null;
    this.told = !this.place.told; // whether the answer of a section is told
  }

  get place() {
    return this.handout.places[this.at];
  }

  get data() {
    const { place } = this;
    const shows = this.told && place.told ? place.told : place.shows;
    /** @type {PageData} */
    const found = { ...shows, offline: true };
    found.view = { ...shows.view, step: this.step, decimals: this.decimals, focus: this.focus, picture: this.picture };
    if (shows.choices) found.choices = { ...shows.choices, decimals: this.decimals };
    if (this.cell !== null) Object.assign(found, { lit: place.lit[this.cell], lines: this.handout.lines[this.cell] });
    if (this.answer && shows.lesson?.ask) found.lesson = { ...shows.lesson, ask: { ...shows.lesson.ask, ...this.answer } };
    return found;
  }

  // Each act is answered from the handout, and the bench drawn anew.
  /** @param {string} kind @param {...any} details */
  add(kind, ...details) {
    const done = ACTS[kind]?.(this, ...details) ?? false;
    this.bench.take(this.data, false);
    this.bench.draw();
    const { words } = this.bench.outline;
    if (!done) this.bench.say(kind === "cell" || kind === "open" ? words.offline_cell : words.offline_fixed);
  }
}

// What can be done with a handout; each says whether it was done.
/** @type {Record<string, (desk: Desk, ...details: any[]) => boolean>} */
const ACTS = {
  /** @param {Desk} desk @param {string} key @param {number} row @param {number} column */
  cell(desk, key, row, column) {
    const number = key === undefined ? null : desk.place.cells[key]?.[row]?.[column] ?? undefined;
    if (number === undefined) return false;
    desk.cell = number;
    return true;
  },
  /** @param {Desk} desk @param {string} step @param {number[]} index */
  open(desk, step, index) {
    const number = desk.handout.ids[`${desk.place.group}:${step}:${index}`];
    /** @param {Place} place */
    const has = (place) => place.group === desk.place.group && number in place.lit;
    const at = has(desk.place) ? desk.at : desk.handout.places.findIndex(has);
    if (number === undefined || at < 0) return false;
    Object.assign(desk, { at, cell: number });
    return true;
  },
  /** @param {Desk} desk @param {string} id */
  step(desk, id) {
    desk.step = id;
    return true;
  },
  /** @param {Desk} desk @param {number} row */
  focus(desk, row) {
    desk.focus = row;
    return true;
  },
  /** @param {Desk} desk @param {string} view */
  picture(desk, view) {
    desk.picture = view;
    return true;
  },
  /** @param {Desk} desk @param {number} head */
  head(desk, head) {
    const chosen = placeOf(desk.place.cells, desk.cell);
    desk.at = head;
    desk.cell = chosen ? desk.place.cells[chosen[0]]?.[chosen[1]][chosen[2]] ?? null : null; // the same cell of that head
    return true;
  },
  /** @param {Desk} desk @param {string} choice @param {number} value */
  choose(desk, choice, value) {
    if (choice === "decimals") desk.decimals = value;
    return choice === "decimals";
  },
  /** @param {Desk} desk @param {number} place */
  section(desk, place) {
    desk.at = place;
    desk.begin();
    return true;
  },
  /** @param {Desk} desk */
  reset(desk) {
    desk.begin();
    return true;
  },
  /** @param {Desk} desk */
  show(desk) {
    desk.told = true;
    return true;
  },
  /** @param {Desk} desk @param {string} given */
  answer(desk, given) {
    if (!desk.place.judge) return false;
    const { right, hint } = judged(desk.place.judge, given);
    desk.told ||= Boolean(right);
    desk.answer = { given, right, hint };
    return true;
  },
};

// The matrix, row and column of a cell, by the number of its arithmetic.
/** @param {Record<string, CellIds>} cells @param {number | null} number @returns {[string, number, number] | null} */
function placeOf(cells, number) {
  for (const [key, rows] of Object.entries(number === null ? {} : cells)) {
    const row = rows.findIndex((line) => line.includes(number));
    if (row >= 0) return [key, row, rows[row].indexOf(number)];
  }
  return null;
}
