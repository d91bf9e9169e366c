// @ts-check
// What the storage of this tab keeps of each page.

/** @import { Act, State } from "./state.js" */

/**
 * What the storage of a tab has of a page. It may have been written by an older version.
 * @typedef {{ state?: State | null, did?: string, waiting?: Act[], address?: string, undo?: string[], redo?: string[],
 *   links?: Array<[number, string]> }} Kept
 */

const MOST_KEPT = 400000; // characters of undo and redo

/** @param {string[]} [links] */
const fitting = (links) => (links && JSON.stringify(links).length > MOST_KEPT ? links.slice(-10) : links);

/** @param {string} name */
const storage = (name) => `qkv-lab:${name}`;

/** @param {string} name @returns {Kept} */
export function keptOf(name) {
  try {
    return JSON.parse(sessionStorage.getItem(storage(name)) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** @param {string} name @param {Kept} value */
export function keep(name, value) {
  const [undo, redo] = [fitting(value.undo), fitting(value.redo)];
  try {
    sessionStorage.setItem(storage(name), JSON.stringify({ ...value, undo, redo }));
  } catch {
    // A browser that keeps nothing still shows the page; only a reload loses more.
  }
}

/** @param {string} name */
export const linkOfPage = (name) => keptOf(name).state?.link ?? "";

// The course is begun anew: what was answered in lessons is forgotten, where they were left is not.
/** @param {string[]} names */
export function forgetSections(names) {
  for (const name of names) {
    const kept = keptOf(name);
    if (kept.state) keep(name, { ...kept, state: { ...kept.state, sections: undefined } });
  }
}
