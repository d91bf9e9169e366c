// @ts-check
// The arithmetic of a chosen cell, followed through steps that only move numbers, in the learner's names: as
// ui/message/arithmetic.py, with its names and in its order.

/** @import { Line, Outline, PlanLine } from "./message.js" */
/** @import { Explanation, Operand } from "../engine/explain.js" */
/** @import { Trace } from "../engine/trace.js" */

/** @typedef {Pick<Outline, "labels"> & { plan: PlanLine[] }} Named what says how steps and places are called */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../engine/explain.js")} */
const { explainCell } = await import(`../engine/explain.js${own}`);
/** @type {typeof import("../engine/expressions.js")} */
const { asLatex } = await import(`../engine/expressions.js${own}`);
/** @type {typeof import("../engine/origins.js")} */
const { isMoved } = await import(`../engine/origins.js${own}`);
/** @type {typeof import("./numbers.js")} */
const { inMarks } = await import(`./numbers.js${own}`);

const MOST_BACK = 24; // numbers a line offers to step back to
const CELL = /(?<!\w)([a-z_]+)\[((?:\d+|:)(?:, (?:\d+|:))*)\]/g;

// Why the number is what it is: where it was moved from, step by step, and how it was computed there.
/** @param {Trace} trace @param {string} name @param {number[]} index @param {number} decimals */
export function explainThroughMoves(trace, name, index, decimals) {
  const lines = [explainCell(trace, name, index, decimals)];
  for (let [last] = lines; isMoved(trace.step(last.step)); last = lines[lines.length - 1]) {
    const [operand] = last.operands;
    lines.push(explainCell(trace, operand.step, operand.index, decimals));
  }
  return lines;
}

// The operand itself, or the number it was moved from, on a matrix that is shown.
/** @param {Trace} trace @param {Operand} operand @param {Set<string>} names @returns {Operand} */
export function shownOperand(trace, operand, names) {
  while (!names.has(operand.step) && isMoved(trace.step(operand.step))) [operand] = explainCell(trace, operand.step, operand.index, 0).operands;
  return operand;
}

// The names of the places along an axis: the learner's, or numbers.
/** @param {Named} outline @param {string} axis @param {number} place */
export const labelOf = ({ labels }, axis, place) => labels?.[axis]?.[place] ?? String(place);

/** @param {Named} outline @param {string} name */
const planned = (outline, name) => outline.plan.find((line) => line.name === name);

// A cell in the learner's names: weights[p1, p3]; head and batch item only where there are several.
/** @param {Named} outline @param {string} name @param {Array<number | ":">} index @param {boolean} [asOnBoard] */
export function named(outline, name, index, asOnBoard = false) {
  const line = planned(outline, name);
  if (!line) return name;
  const called = asOnBoard ? line.called : name;
  const places = index.flatMap((place, along) => {
    const axis = line.axes[along];
    if (line.shape[along] === 1 && ["batch", "head", "kv_head"].includes(axis)) return [];
    return [place === ":" ? place : labelOf(outline, axis, place)];
  });
  return places.length ? `${called}[${places.join(", ")}]` : called;
}

// A text that speaks of cells by number, in the learner's names: q_heads[0, 1, 0] as q_heads[p1, 0].
/** @param {Named} outline @param {string} text */
function inNames(outline, text) {
  return text.replace(CELL, (whole, name, places) => {
    /** @type {Array<number | ":">} */
    const index = places.split(", ").map((/** @type {string} */ place) => (place === ":" ? place : Number(place)));
    const shape = planned(outline, name)?.shape;
    const isInside = shape?.length === index.length && index.every((place, along) => place === ":" || place < shape[along]);
    return isInside ? named(outline, name, index) : whole;
  });
}

// Each line as text in the learner's names and as LaTeX, with the numbers to step back to: where they are shown.
/** @param {Named} outline @param {Explanation[]} lines @param {(operand: Operand) => Operand} shown @returns {Line[]} */
export function writtenLines(outline, lines, shown) {
  return lines.map((line) => {
    const places = line.operands.map(shown).filter(({ index }) => index.length);
    const operands = new Map(places.map((operand) => [`${operand.step},${operand.index}`, operand]));
    /** @param {string} name */
    const inkOf = (name) => planned(outline, name)?.ink ?? "";
    /** @type {Line["back"]} */
    const back = [...operands.values()].slice(0, MOST_BACK).map(({ step, index }) => [named(outline, step, index, true), step, index, inkOf(step)]);
    return { name: named(outline, line.step, line.index, true), text: lineInNames(outline, line), latex: latexOf(line), back, ink: inkOf(line.step) };
  });
}

/** @param {Named} outline @param {Explanation} line */
const lineInNames = (outline, { pieces }) =>
  inNames(outline, pieces.map((piece) => (typeof piece === "string" ? piece : inMarks(piece.numeral))).join(""));

// A line as LaTeX, a comma in a number without the room that one in a list has.
/** @param {Explanation} line */
export const latexOf = ({ latexPieces }) =>
  latexPieces.map((piece) => (typeof piece === "string" ? piece : asLatex(inMarks(piece.numeral)))).join("");
