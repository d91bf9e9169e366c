// @ts-check
// What a step means, as a picture of one row: that of the word in focus. A picture is a function of the row's numbers
// (`Facts`) that gives a Plotly figure, or marks to draw at once, and a sentence with the numbers in it. Which picture a
// step has stands in PICTURES; where one cannot be exact it gives null, and the next in line is drawn.

/** @import { Figure } from "../figures/fill.js" */
/** @import { Mark } from "./marks.js" */

/** @typedef {{ values: Array<number | null>, labels: string[] }} Row numbers with their names; null is −∞ */
/**
 * What a picture is made of.
 * @typedef {object} Facts
 * @property {string} step whose matrix shows the result
 * @property {string[]} from the steps that it is made from, as they stand on the stage
 * @property {string} query among them the queries, "" where there are none
 * @property {string} keys
 * @property {string} weights
 * @property {string} values
 * @property {string} word in focus
 * @property {number} focus its row
 * @property {number} key the column that is chosen, or that of the largest number
 * @property {(name: string) => Row | null} row of the word in focus in the matrix of a step
 * @property {(name: string) => { values: Array<Array<number | null>>, rows: string[], columns: string[] } | null} matrix
 * @property {(name: string) => number | null} setting such as the scale
 * @property {Set<number>} hidden columns of the row that the mask hides
 * @property {number} heads
 * @property {(value: number | null, places?: number) => string} write a number, as the page writes it
 * @property {(name: string) => string} plain a name, for Plotly
 * @property {Record<string, string>} words inside pictures
 */
/** @typedef {{ figure?: Figure, marks?: Mark[], size?: [number, number], says: string, facts: Record<string, string> }} Picture */
/** @typedef {(facts: Facts) => Picture | null} Draw */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./projection.js")} */
const { projection } = await import(`./projection.js${own}`);
/** @type {typeof import("./plane.js")} */
const { queryAmongKeys, tipToTail } = await import(`./plane.js${own}`);
/** @type {typeof import("./lines.js")} */
const { scoreLines, curtain } = await import(`./lines.js${own}`);
/** @type {typeof import("./number_line.js")} */
const { numberLine } = await import(`./number_line.js${own}`);
/** @type {typeof import("./ladder.js")} */
const { ladder, holes } = await import(`./ladder.js${own}`);
/** @type {typeof import("./bricks.js")} */
const { bricks } = await import(`./bricks.js${own}`);
/** @type {typeof import("./strips.js")} */
const { beforeAndAfter, cards } = await import(`./strips.js${own}`);

// By the name of the step: the pictures to try, in order.
/** @type {Record<string, Draw[]>} */
export const PICTURES = {
  q: [projection],
  k: [projection],
  v: [projection],
  q_heads: [cards],
  k_heads: [cards],
  v_heads: [cards],
  scores: [queryAmongKeys, scoreLines],
  scaled: [numberLine],
  softcapped: [numberLine],
  masked: [curtain],
  weights: [ladder],
  dropped: [holes],
  head_outputs: [tipToTail, bricks],
  merged: [cards],
  output: [beforeAndAfter],
  residual: [beforeAndAfter],
};

// The picture of a step, or null where it has none.
/** @param {Facts} facts @param {string} step @returns {Picture | null} */
export function pictureOf(facts, step) {
  for (const draw of PICTURES[step] ?? []) {
    const found = draw(facts);
    if (found) return found;
  }
  return null;
}
