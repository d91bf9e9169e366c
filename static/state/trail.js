// @ts-check
// Undo and redo, as lists of links: the browser keeps them, the server says for each act what it means for them.

/** @typedef {Array<[string, string]>} Trail of each act done: the link after it, and what it means for undo and redo */
/** @typedef {{ link: string, undo: string[], redo: string[] }} Base what a request began with */

const MOST_STEPS_BACK = 100;

// What an act means for undo and redo; the server says it, for each act.
/** @param {Base} base @param {Trail} trail */
export function afterTrail({ link, undo, redo }, trail) {
  let found = { link, undo: [...undo], redo: [...redo] };
  for (const [next, meaning] of trail) {
    if (meaning === "new") found = { ...found, undo: [...found.undo, found.link], redo: [] };
    if (meaning === "undo") found = { ...found, undo: found.undo.slice(0, -1), redo: [...found.redo, found.link] };
    if (meaning === "redo") found = { ...found, undo: [...found.undo, found.link], redo: found.redo.slice(0, -1) };
    if (meaning === "back") found = { ...found, undo: found.undo.slice(0, -1) };
    if (meaning === "fresh") found = { ...found, undo: [], redo: [] };
    found.link = next;
  }
  return { ...found, undo: found.undo.slice(-MOST_STEPS_BACK), redo: found.redo.slice(-MOST_STEPS_BACK) };
}

/** @param {string[]} list @param {number} count */
export const last = (list, count) => (count ? list.slice(-count) : []);
