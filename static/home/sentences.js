// @ts-check
// Where a word looks, in words: computed from its weights in every head.

/** @import { Seen } from "./home.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);

const NEAR = 1e-9; // weights that differ by less are equal

// Where the word looks in each head: a sentence for each.
/** @param {Pick<Seen, "focus" | "heads" | "names" | "trace" | "words" | "decimals">} seen */
export function sentencesOf({ focus, heads, names, trace, words, decimals }) {
  return Array.from({ length: heads }, (_, head) => {
    const weights = names.map((__, key) => trace.at("weights", [head, focus, key]));
    const top = Math.max(...weights);
    const looked = names.filter((__, key) => top - weights[key] < NEAR);
    const sentence = looked.length === 1 ? words.most : looked.length === names.length ? words.even : words.tied;
    const others = looked.map((name) => `\u201C${name}\u201D`).join(", ");
    return fillIn(sentence, { head, word: names[focus], other: looked[0], others, weight: write(top, decimals, CELL) });
  });
}
