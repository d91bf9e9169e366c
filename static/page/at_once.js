// @ts-check
// What is shown at once and what the server then says: what is learned from an answer, and whether both agree.

/** @import { Outline } from "../message/message.js" */
/** @import { Given } from "../engine/trace.js" */
/** @import { Bench, PageData } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../state/play.js")} */
const { computationOf, played } = await import(`../state/play.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { useMarks } = await import(`../message/numbers.js${own}`);

const NEAR = 1e-6; // numbers are sent with seven digits

// What the server says; where the learner has gone on in the meantime, what they did since is played on it.
/** @param {Bench} bench @param {PageData} told */
export function takeAnswer(bench, told) {
  const outline = bench.known.outlineOf(told) ?? bench.outline;
  learn(bench, told, outline);
  bench.told = told;
  const found = played(told, bench.known, bench.acts);
  if (bench.isNews && bench.isPlayed && !found) compareAnswer(bench, told);
  turnTo(bench, found ?? { outline, message: told }, Boolean(found));
}

// Whether there was something to play, or to take back.
/** @param {Bench} bench */
export function playActs(bench) {
  const { told, known, acts } = bench;
  const found = played(told, known, acts);
  if (!found && !bench.isPlayed) return false;
  turnTo(bench, found ?? { outline: known.outlines.get(told.outline) ?? bench.outline, message: told }, Boolean(found));
  return true;
}

/** @param {Bench} bench @param {{ outline: Outline, message: PageData, given?: Given }} shown @param {boolean} isPlayed */
function turnTo(bench, { outline, message, given }, isPlayed) {
  Object.assign(bench, { outline, data: message, given, isPlayed });
  useMarks(outline.marks);
}

// What an answer says is computed here when it is asked for again: at this link, or after this choice.
/** @param {Bench} bench @param {PageData} told @param {Outline} outline */
function learn({ acts, known, told: before }, told, outline) {
  const now = computationOf(told, outline);
  if (!now) return;
  known.keep(acts.page, acts.link, now);
  const act = acts.lastDone;
  const earlier = act && before && !told.sentence ? computationOf(before, known.outlines.get(before.outline)) : null;
  if (act && earlier) known.learn(earlier, act, now);
}

// The server's answer is what stays. That it is another than what was shown should not happen: it is counted.
/** @param {Bench} bench @param {PageData} told */
function compareAnswer(bench, told) {
  if (told.sentence || !differs(bench.data, told)) return;
  bench.differences += 1;
  bench.root.dataset.differences = String(bench.differences);
  console.warn(`What was computed here differs from the server's answer: ${location.href}`);
}

// Whether two messages of the same matrices differ by more than rounding.
/** @param {PageData} one @param {PageData} other */
function differs(one, other) {
  if (one.outline !== other.outline) return false; // prose follows numbers such as the scale; the next answer compares
  const flat = (/** @type {PageData} */ { values }) => values.flat(2);
  const others = flat(other);
  const top = Math.max(...Object.values(other.tops));
  return flat(one).some((value, place) => {
    const [a, b] = [value, others[place]];
    if (a === null || b === null) return a !== b;
    return Math.abs(a - b) > NEAR * (Math.max(Math.abs(a), Math.abs(b)) + top / 1000);
  });
}
