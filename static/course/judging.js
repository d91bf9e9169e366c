// Whether an answer is right where no server can be asked, as ui/course/engine/sections.py judges it; ui/course/engine/handout.py
// says what it is compared with.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { answers, readSizes } = await import(`../message/numbers.js${own}`);

export function judged(judge, given) {
  if (judge.replies) {
    const [right, hint] = judge.replies[given];
    return { right, hint };
  }
  if (judge.sizes) {
    const right = readSizes(given).join() === judge.sizes.join();
    return { right, hint: right ? "" : judge.hint };
  }
  const [first, ...others] = answers(given);
  if (first === undefined) return { right: false, hint: judge.no_number };
  const value = judge.value ?? -Infinity; // which JSON does not have
  const right = first === value || Math.abs(first - value) <= judge.off || (judge.thousands && others.includes(value));
  return { right, hint: right ? "" : judge.hint };
}
