// @ts-check
// What is shown at once and what the server then says: what is learned from an answer, and whether both agree.

/** @import { LiveOutline } from "../message/assemble.js" */
/** @import { Outline } from "../message/message.js" */
/** @import { Given } from "../engine/trace.js" */
/** @import { Bench, PageData } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../state/play.js")} */
const { computationOf, played } = await import(`../state/play.js${own}`);
/** @type {typeof import("../message/assemble.js")} */
const { assembled } = await import(`../message/assemble.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { useMarks } = await import(`../message/numbers.js${own}`);

const NEAR = 1e-6; // numbers are sent with seven digits

// What the server says; where the learner has gone on in the meantime, what they did since is played on it.
/** @param {Bench} bench @param {PageData} told */
export function takeAnswer(bench, told) {
  const outline = bench.known.outlineOf(told) ?? bench.outline;
  learn(bench, told, outline);
  bench.told = told;
  if (bench.isNews && !told.sentence) compareAnswer(bench, told, outline);
  const found = played(told, bench.known, bench.acts);
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
  const act = acts.lastDone.length === 1 ? acts.lastDone[0].act : null;
  const earlier = act && before && !told.sentence ? computationOf(before, known.outlines.get(before.outline)) : null;
  if (act && earlier) known.learn(earlier, act, now);
}

// The server's answer is what stays. That it is another than what was computed here should not happen: it is counted.
/** @param {Bench} bench @param {PageData} told @param {Outline} outline */
function compareAnswer(bench, told, outline) {
  const after = bench.acts.lastDone.at(-1)?.after;
  if (after?.outline !== told.outline || !outline.plan) return; // played to no end; or prose follows numbers such as the scale
  const shown = assembled(told, told.outline, /** @type {LiveOutline} */ (outline), after.given, told.view);
  if (!shown || !differs(shown, told)) return;
  bench.differences += 1;
  bench.root.dataset.differences = String(bench.differences);
  console.warn(`What was computed here differs from the server's answer: ${location.href}`);
}

// Whether two messages of the same matrices differ by more than rounding.
/** @param {PageData} one @param {PageData} other */
function differs(one, other) {
  const flat = (/** @type {PageData} */ { values }) => values.flat(2);
  const others = flat(other);
  const top = Math.max(...Object.values(other.tops));
  return flat(one).some((value, place) => {
    const [a, b] = [value, others[place]];
    if (a === null || b === null) return a !== b;
    return Math.abs(a - b) > NEAR * (Math.max(Math.abs(a), Math.abs(b)) + top / 1000);
  });
}
