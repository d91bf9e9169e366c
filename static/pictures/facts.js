// @ts-check
// What the picture of a step is made of: the numbers that the page holds, and the sentence about them.

/** @import { Stand } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */
/** @import { Facts } from "./picture.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, prose } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../figures/fill.js")} */
const { labelOf } = await import(`../figures/fill.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);

const OF_TOKENS = new Set(["token", "query", "key", "new_key", "past", "source"]);
const FROM = 4; // letters of "row_", by which words of pictures begin

// A sentence with its facts in bold: names are the learner's, and plain text.
/** @param {string} sentence @param {Record<string, string>} facts */
export function said(sentence, facts) {
  const made = element("span");
  for (const piece of sentence.split(/(\{\w+\})/)) {
    const fact = /^\{(\w+)\}$/.exec(piece)?.[1];
    made.append(fact === undefined ? prose(piece, "span") : element("strong", "", facts[fact] ?? ""));
  }
  return made;
}

// What the picture of a step is made of: the numbers that the page holds.
/** @param {Bench} bench @param {string} id of the matrix that shows the step @param {Stand} stand @param {number} [focus] @returns {Facts} */
export function factsOf(bench, id, stand, focus = bench.data.view.focus) {
  const { outline, data } = bench;
  // With a row for each token; an image, which lies channels first, is turned.
  /** @param {string} name */
  const matrix = (name) => {
    const key = keyOf(bench, name);
    const place = outline.matrices.findIndex((one) => one.key === key);
    if (place < 0 || data.large?.[key]) return null;
    const { rows = [], columns = [], axes } = outline.matrices[place];
    const values = data.values[place];
    if (OF_TOKENS.has(axes[0])) return { values, rows, columns };
    if (!OF_TOKENS.has(axes[1])) return null;
    return { values: columns.map((_, column) => values.map((line) => line[column])), rows: columns, columns: rows };
  };
  const at = (/** @type {string} */ name) => Math.min(focus, (matrix(name)?.values.length ?? 1) - 1);
  /** @param {string} name */
  const row = (name) => {
    const found = matrix(name);
    return found && { values: found.values[at(name)], labels: found.columns };
  };
  const own = row(id);
  const [name, , column] = data.view.cell;
  const values = own?.values.map((value) => value ?? -Infinity) ?? [];
  const largest = Math.max(0, values.indexOf(Math.max(...values)));
  const isChosen = name === id && own && column < own.values.length;
  const from = [...stand.left, ...stand.above];
  const named = (/** @type {RegExp} */ pattern) => from.find((one) => pattern.test(one)) ?? "";
  const hidden = (data.hidden?.[keyOf(bench, id)] ?? []).filter(([down]) => down === at(id)).map(([, right]) => right);
  const words = Object.fromEntries(
    Object.entries(outline.words)
      .filter(([key]) => key.startsWith("row_"))
      .map(([key, text]) => [key.slice(FROM), text]),
  );
  for (const one of outline.matrices) words[one.id] ??= one.name;
  return {
    ...{ step: id, from, query: named(/^q/), keys: named(/^(k|present_key)/) },
    ...{ weights: named(/^(weights|dropped)$/), values: named(/^(v|present_value)/) },
    ...{ focus: at(id), key: isChosen ? column : largest, heads: data.view.heads, hidden: new Set(hidden), words, row, matrix },
    word: matrix(id)?.rows[at(id)] ?? "",
    setting: (setting) => /** @type {number | null} */ (data.given?.[setting] ?? null),
    write: (value, places = data.view.decimals) => write(value, Number.isInteger(value) ? 0 : places, CELL),
    plain: (text) => labelOf(text),
  };
}
