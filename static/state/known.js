// @ts-check
// What this browser has seen: outlines, what was computed at a link, and what a choice led to. All of it only saves time:
// what is not known, the server says.

/** @import { Data, Message, Outline, View } from "../message/message.js" */
/** @import { Given } from "../engine/trace.js" */
/** @import { Act } from "./state.js" */

/** @typedef {{ outline: string, given: Given, view: View, choices: Message["choices"], language: string }} Computation and from where it is seen */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../engine/trace.js")} */
const { canCarryOut } = await import(`../engine/trace.js${own}`);

const MOST = 100; // of each

export class Known {
  /** @type {Map<string, Outline>} */ outlines = new Map();
  /** @type {Map<string, Computation>} */ computations = new Map(); // by page and link
  /** @type {Map<string, Computation>} */ choices = new Map(); // by outline and act

  /** @template T @param {Map<string, T>} all @param {string} key @param {T} value */
  static put(all, key, value) {
    all.delete(key);
    all.set(key, value);
    if (all.size > MOST) all.delete([...all.keys()][0]);
  }

  // A plan that cannot be carried out here is left to the server.
  /** @param {Message} message */
  outlineOf({ outline: id, new_outline: sent }) {
    if (sent) Known.put(this.outlines, id, sent.plan && !canCarryOut(sent.plan) ? { ...sent, plan: undefined } : sent);
    return this.outlines.get(id);
  }

  /** @param {string} page @param {string} link @param {Computation} computation */
  keep(page, link, computation) {
    Known.put(this.computations, `${page} ${link}`, computation);
  }

  /** @param {string} page @param {string} link */
  at(page, link) {
    return this.computations.get(`${page} ${link}`) ?? null;
  }

  // A choice leads from one structure to another, whatever the numbers are, unless it made other numbers of the
  // learner's own.
  /** @param {Computation} before @param {Act} act @param {Computation} after */
  learn(before, act, after) {
    if (act[0] !== "choose") return;
    const own = this.editable(before.outline);
    const isAnExample = act[1] === "preset";
    if (!isAnExample && own.some((name) => String(before.given[name]) !== String(after.given[name]))) return;
    Known.put(this.choices, keyOf(before, act), after);
  }

  /** @param {Computation} before @param {Act} act @returns {Computation | null} */
  after(before, act) {
    const found = this.choices.get(keyOf(before, act));
    if (!found || act[1] === "preset") return found ?? null;
    const given = { ...found.given };
    for (const name of this.editable(before.outline)) given[name] = before.given[name];
    return { ...found, given, choices: { ...found.choices, preset: before.choices?.preset } };
  }

  // The matrices that the learner may change.
  /** @param {string} outline */
  editable(outline) {
    return (this.outlines.get(outline)?.matrices ?? []).filter((matrix) => matrix.editable).map(({ id }) => id);
  }
}

// The settings too: one may have been changed since the outline was made.
/** @param {Computation} before @param {Act} act */
const keyOf = ({ outline, given }, act) => JSON.stringify([outline, Object.entries(given).filter(([, value]) => typeof value === "number"), act]);
