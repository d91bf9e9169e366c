// @ts-check
// What is shown at once: the acts that have no answer yet, played on what the server said last.
//
// This computes what `step` of ui/state/step.py and `assemble` of ui/message/assemble.py will say, for small computations
// and for acts that change numbers or where one looks. An act it does not know ends the play: the server answers from there.

/** @import { Message, Outline, View } from "../message/message.js" */
/** @import { Given } from "../engine/trace.js" */
/** @import { LiveOutline } from "../message/assemble.js" */
/** @import { Computation, Known } from "./known.js" */
/** @import { Acts } from "./state.js" */

/** @typedef {{ known: Known, now: Computation, outline: LiveOutline, page: string, undo: Past[], redo: Past[] }} Play */
/** @typedef {string | Computation} Past a link, or what has none yet */
/** @typedef {{ outline: Outline, message: Message, given: Given }} Played what it comes to, and the numbers that it was made from */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../engine/trace.js")} */
const { carryOut } = await import(`../engine/trace.js${own}`);
/** @type {typeof import("../board/matrices.js")} */
const { indexOf, isOfWords, matricesOf, placeOf, shownPlaces } = await import(`../board/matrices.js${own}`);
/** @type {typeof import("../message/assemble.js")} */
const { assembled, givenOf } = await import(`../message/assemble.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { parseBlock } = await import(`../message/numbers.js${own}`);

const LINK_DIGITS = 9; // that a link has of each number: what it says is what holds
const SCALE_BOUND = 10; // of a scale of one's own

// Acts that change neither numbers nor where one looks at them.
const ELSEWHERE = new Set(["step", "panel", "guess", "reveal", "answer", "show", "more", "stop", "knob", "keep", "forget", "go"]);

const DRAGGING = new Set(["drag", "on", "back"]); // in front of acts while a number is dragged

// What a message says that the server sent, as a computation.
/** @param {Message} message @param {Outline | undefined} outline @returns {Computation | null} */
export function computationOf(message, outline) {
  if (!outline?.plan) return null;
  const given = givenOf(message, /** @type {LiveOutline} */ (outline));
  return { outline: message.outline, given, view: message.view, choices: message.choices, language: message.language };
}

// The last message with the acts played on it that have no answer yet; null where the last message is all that is known.
// Every act that was played is told what it came to.
/** @param {Message} told @param {Known} known @param {Acts} acts @returns {Played | null} */
export function played(told, known, acts) {
  const outline = known.outlines.get(told.outline);
  const now = acts.waiting.length ? computationOf(told, outline) : null;
  if (!now) return null;
  /** @type {Play} */
  const play = { known, now, outline: /** @type {LiveOutline} */ (outline), page: acts.page, undo: [...acts.undo], redo: [...acts.redo] };
  let isPlayed = false;
  for (const waiting of acts.waiting) {
    const part = DRAGGING.has(waiting.act[0]) ? waiting.act[0] : "";
    const [kind, ...details] = part ? waiting.act.slice(1) : waiting.act;
    if (ELSEWHERE.has(kind)) continue;
    const before = play.now;
    const next = PLAYS[kind]?.(play, ...details);
    if (!next || !turnTo(play, next)) break;
    if (before.given !== next.given) remember(play, part || kind, before);
    waiting.after = next;
    isPlayed = true;
  }
  if (!isPlayed) return null;
  const message = assembled({ ...told, choices: play.now.choices }, play.now.outline, play.outline, play.now.given, play.now.view);
  return message && { outline: play.outline, given: play.now.given, message: { ...message, outline: play.now.outline, new_outline: undefined } };
}

// As `after_act` of ui/state/step.py.
/** @param {Play} play @param {string} kind @param {Computation} before */
function remember(play, kind, before) {
  if (kind === "undo") play.redo.push(before);
  else if (kind === "redo") play.undo.push(before);
  else if (kind === "back") play.undo.pop();
  else if (kind !== "on") Object.assign(play, { undo: [...play.undo, before], redo: [] });
}

// Whether this browser can carry out what is next.
/** @param {Play} play @param {Computation} next */
function turnTo(play, next) {
  const outline = play.known.outlines.get(next.outline);
  if (!outline?.plan || next.language !== play.now.language) return false;
  Object.assign(play, { now: next, outline });
  return true;
}

/** @type {Record<string, (play: Play, ...details: any[]) => Computation | null>} */
const PLAYS = {
  edit: edited,
  choose: chosen,
  /** @param {Play} play @param {string} [key] @param {number} [row] @param {number} [column] */
  cell({ now, outline }, key, row, column) {
    if (key === undefined) return looking(now, { cell: [] });
    const trace = carriedOut(outline, now.given);
    const shown = shownPlaces(now.view, trace);
    const id = outline.matrices.find((matrix) => matrix.key === key)?.id;
    const matrix = id === undefined ? null : matricesOf(trace.step(id), shown).find((one) => one.key === key);
    if (!matrix || row === undefined || column === undefined) return null;
    return looking(now, placeOf(trace, matrix.step.name, indexOf(matrix, row, column)));
  },
  /** @param {Play} play @param {string} name @param {number[]} index */
  open({ now, outline }, name, index) {
    if (!outline.matrices.some(({ id }) => id === name)) return null; // the board gets another matrix
    return looking(now, placeOf(carriedOut(outline, now.given), name, index));
  },
  /** @param {Play} play @param {number} row */
  focus({ now, outline }, row) {
    const [name, , ...place] = now.view.cell;
    const moves = name !== undefined && isOfWords(lineOf(outline, name));
    return looking(now, { focus: row, cell: moves ? [name, row, ...place] : now.view.cell });
  },
  head: ({ now }, head) => looking(now, { head }),
  batch: ({ now }, batch) => looking(now, { batch }),
  undo: (play) => back(play, play.undo),
  redo: (play) => back(play, play.redo),
  // Back and Forward through the history of the browser.
  follow: ({ known, page, now }, link) => {
    const found = known.at(page, link);
    return found ? { ...found, view: { ...found.view, step: now.view.step } } : null;
  },
};

/** @param {LiveOutline} outline @param {Given} given */
const carriedOut = (outline, given) => carryOut(outline.plan, given);

/** @param {Computation} now @param {Partial<View>} view @returns {Computation} */
const looking = (now, view) => ({ ...now, view: { ...now.view, ...view } });

// A number or a block was typed or pasted with its upper left corner at a cell.
/** @param {Play} play @param {string} key @param {number} row @param {number} column @param {string} text @returns {Computation | null} */
function edited({ now, outline }, key, row, column, text) {
  const place = outline.matrices.findIndex((matrix) => matrix.key === key && matrix.editable);
  if (place < 0) return null;
  const { id } = outline.matrices[place];
  const block = parseBlock(text, id === "attn_mask");
  const [matrix] = matricesOf({ ...lineOf(outline, id), value: new Float64Array() }, { heads: 1, head: 0, batch: now.view.batch, all: false });
  const given = now.given[id];
  if (!block || key !== id || given === undefined || row + block.length > matrix.rows) return null;
  if (block.some((numbers) => column + numbers.length > matrix.columns)) return null;
  const array = Float64Array.from(/** @type {ArrayLike<number>} */ (given));
  block.forEach((numbers, down) =>
    numbers.forEach((number, right) => {
      array[matrix.start + (row + down) * matrix.columns + column + right] = id === "visible" ? Number(number !== 0) : asLinked(number);
    }),
  );
  return { ...now, given: { ...now.given, [id]: array }, choices: { ...now.choices, preset: "" } };
}

/** @param {LiveOutline} outline @param {string} name */
function lineOf(outline, name) {
  const found = outline.plan.find((line) => line.name === name);
  if (!found) throw new RangeError(name);
  return found;
}

/** @param {number} number */
const asLinked = (number) => (Number.isFinite(number) ? Number(number.toPrecision(LINK_DIGITS)) : number);

// One of the choices above the board: the scale, how many decimals, or a structure that was seen before.
/** @param {Play} play @param {string} choice @param {any} value @returns {Computation | null} */
function chosen({ known, now, outline }, choice, value) {
  const choices = { ...now.choices, [choice]: value };
  if (choice === "decimals") return { ...looking(now, { decimals: value }), choices };
  if (choice === "own_scale" && now.choices?.scale === "own" && Math.abs(value) <= SCALE_BOUND && outline.plan.some(({ name }) => name === "scale"))
    return { ...now, given: { ...now.given, scale: value }, choices };
  const found = known.after(now, ["choose", choice, value]);
  if (!found) return null;
  const { decimals, step, predict } = now.view;
  return { ...found, view: { ...found.view, decimals, step, predict } };
}

// An earlier or later computation; where the learner looks stays.
/** @param {Play} play @param {Past[]} past @returns {Computation | null} */
function back({ known, page, now }, past) {
  const last = past.pop();
  const found = typeof last === "string" ? known.at(page, last) : last;
  if (!found) return null;
  const { heads, batches, all } = found.view;
  return { ...found, view: { ...now.view, heads, batches, all: all && now.view.all } };
}
