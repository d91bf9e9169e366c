// @ts-check
// Whether an answer is right where no server can be asked, as ui/course/engine/sections.py judges it; ui/course/engine/handout.py
// says what it is compared with.

/**
 * What an answer is compared with: `replies` by option, sizes, or a number.
 * @typedef {{ replies?: Record<string, [boolean, string]>, sizes?: number[], value?: number | null, off: number, thousands?: boolean,
 *   hint: string, no_number: string }} Judge
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { answers, readSizes } = await import(`../message/numbers.js${own}`);

/** @param {Judge} judge @param {string} given */
export function judged(judge, given) {
  if (judge.replies) {
    const [right, hint] = judge.replies[given];
    return { right, hint };
  }
  if (judge.sizes) {
    const right = readSizes(given).join() === judge.sizes.join();
    return { right, hint: right ? "" : judge.hint };
  }
  const [first, ...others] = /** @type {number[]} */ (answers(given));
  if (first === undefined) return { right: false, hint: judge.no_number };
  const value = judge.value ?? -Infinity; // which JSON does not have
  const right = first === value || Math.abs(first - value) <= judge.off || (judge.thousands && others.includes(value));
  return { right, hint: right ? "" : judge.hint };
}
