// @ts-check
// What a message says in numbers, made from the plan in the browser: the same as `assemble` of ui/message/assemble.py, for
// all that follows from the plan. The rest of a message stays as the server said it last.

/** @import { Message, Outline, PlanLine, Row, SectionShown, View } from "./message.js" */
/** @import { Matrix, Shown } from "../board/matrices.js" */
/** @import { Operand } from "../engine/explain.js" */
/** @import { Given, Trace } from "../engine/trace.js" */

/** @typedef {Outline & { plan: PlanLine[] }} LiveOutline of a computation that the browser can carry out */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./arithmetic.js")} */
const { explainThroughMoves, labelOf, latexOf, shownOperand, writtenLines } = await import(`./arithmetic.js${own}`);
/** @type {typeof import("../board/matrices.js")} */
const board = await import(`../board/matrices.js${own}`);
/** @type {typeof import("../engine/trace.js")} */
const { carryOut } = await import(`../engine/trace.js${own}`);
/** @type {typeof import("../engine/explain.js")} */
const { explainCell } = await import(`../engine/explain.js${own}`);
/** @type {typeof import("./numbers.js")} */
const { listed, write } = await import(`./numbers.js${own}`);

const SUM_IS_1 = 1e-4; // as far as rows of weights come from 1

/** @type {[string, Given, Trace] | null} */
let last = null; // computed, for when only the view changes

// Every step, from what is given.
/** @param {string} id @param {LiveOutline} outline @param {Given} given */
export function traceOf(id, outline, given) {
  if (last?.[0] !== id || last[1] !== given) last = [id, given, carryOut(outline.plan, given)];
  return last[2];
}

// What is given to a plan: what a message brings, and what stands on its board.
/** @param {Message} message @param {LiveOutline} outline @returns {Given} */
export function givenOf(message, outline) {
  /** @param {number | null} value */
  const finite = (value) => value ?? -Infinity;
  /** @type {Given} */
  const found = {};
  for (const { name, op, shape } of outline.plan) {
    if (op !== "input" && op !== "parameter" && op !== "number") continue;
    const sent = message.given?.[name];
    const place = outline.matrices.findIndex((matrix) => matrix.key === name);
    if (sent !== undefined) found[name] = Array.isArray(sent) ? Float64Array.from(sent, finite) : finite(sent);
    else found[name] = Float64Array.from((message.values[place] ?? []).flat(), finite);
    const needed = shape.reduce((size, one) => size * one, 1);
    if (op !== "number" && /** @type {Float64Array} */ (found[name]).length !== needed) throw new RangeError(name);
  }
  return found;
}

// The message that shows these numbers from there, or null where the server has to say it.
/** @param {Message} told @param {string} id @param {LiveOutline} outline @param {Given} given @param {View} view @returns {Message | null} */
export function assembled(told, id, outline, given, view) {
  const trace = traceOf(id, outline, given);
  if (trace.failed) return null;
  const shown = board.shownPlaces(view, trace);
  const names = new Set(outline.matrices.map((matrix) => matrix.id));
  const drawn = [...names].flatMap((name) => board.matricesOf(trace.step(name), shown));
  if (drawn.some(({ key }, place) => key !== outline.matrices[place]?.key)) return null; // other matrices
  const seen = { ...view, head: shown.head, batch: shown.batch };
  const chosen = board.chosenMatrix(seen, trace, names, shown);
  if (!chosen) seen.cell = [];
  const [, row, column] = /** @type {[string, number, number]} */ (seen.cell);
  const lines = chosen ? explainThroughMoves(trace, chosen.step.name, board.indexOf(chosen, row, column), view.decimals) : [];
  const isShown = (/** @type {Operand} */ operand) => shownOperand(trace, operand, names);
  const hidden = drawn.map((matrix) => /** @type {const} */ ([matrix.key, board.hiddenCells(trace, matrix)])).filter(([, cells]) => cells.length);
  return {
    ...told,
    values: drawn.map(board.written),
    tops: board.topsOf(drawn),
    view: seen,
    hidden: hidden.length ? Object.fromEntries(hidden) : undefined,
    lit: lines.length ? board.litCells(lines, drawn, isShown) : undefined,
    lines: lines.length ? writtenLines(outline, lines, isShown) : undefined,
    shares: outline.stages ? sharesOf(outline, trace, seen, shown) : undefined,
    lesson: told.lesson && retold(told.lesson, trace, seen),
  };
}

// The row of weights that is shown as bars: its name, shares and their sum; if that is 1, its entropy.
/** @param {LiveOutline} outline @param {Trace} trace @param {View} view @param {Shown} shown */
function sharesOf(outline, trace, view, shown) {
  /** @type {Record<string, Row>} */
  const found = {};
  for (const name of ["weights", "dropped"]) {
    if (!trace.byName.has(name)) continue;
    const [matrix] = board.matricesOf(trace.step(name), { ...shown, all: false });
    const row = Math.min(view.cell[0] === name ? view.cell[1] : view.focus, matrix.rows - 1);
    const shares = rowOf(matrix, row);
    const sum = shares.reduce((all, share) => all + share, 0);
    const axis = matrix.step.axes[matrix.step.axes.length - 2];
    found[name] = { row, name: labelOf(outline, axis, row), shares: shares.map(board.numberOf), sum: board.numberOf(sum) };
    const bits = shares.reduce((all, share) => (share > 0 ? all - share * Math.log2(share) : all), 0);
    if (Math.abs(sum - 1) < SUM_IS_1) found[name].bits = /** @type {number} */ (board.numberOf(bits));
  }
  return found;
}

/** @param {Matrix} matrix @param {number} row */
const rowOf = ({ numbers, start, columns }, row) => Array.from(numbers.slice(start + row * columns, start + (row + 1) * columns));

// The words of a section with the present numbers of the board in them: as `live_piece` of ui/course/engine/prose.py.
// Facts that Python computes stay as they were said.
/** @param {SectionShown} section @param {Trace} trace @param {View} view @returns {SectionShown} */
function retold(section, trace, view) {
  const { decimals } = view;
  const shown = { ...board.shownPlaces(view, trace), all: false };
  /** @param {string} name */
  const slice = (name) => board.matricesOf(trace.step(name), shown)[0];
  /** @param {any} piece @returns {any} */
  const again = (piece) => {
    if (!Array.isArray(piece)) return piece;
    const [kind, name, row, column] = piece;
    if (kind === "bold") return [kind, ...piece.slice(1).map(again)];
    if (!LIVE.has(kind) || !trace.byName.has(name)) return piece;
    const matrix = slice(name);
    const numbers = rowOf(matrix, row);
    if (kind === "value") return [...piece.slice(0, 4), write(numbers[column], decimals), ...piece.slice(5)];
    if (kind === "row") return [kind, name, row, `[${listed(numbers.map((value) => write(value, decimals)))}]`, ...piece.slice(4)];
    if (kind === "sum") return [kind, name, row, write(numbers.reduce((sum, value) => sum + value, 0), decimals)];
    const latex = latexOf(explainCell(trace, name, board.indexOf(matrix, row, column), decimals));
    return [kind, name, row, column, latex.slice(latex.indexOf(" = ") + 3)];
  };
  /** @param {Array<Array<any>> | null | undefined} texts */
  const all = (texts) => texts?.map((pieces) => pieces.map(again)) ?? null;
  const ask = section.ask && { ...section.ask, text: all(section.ask.text) ?? [] };
  return { ...section, text: all(section.text), ask, try: all(section.try), why: all(section.why) };
}

const LIVE = new Set(["value", "row", "sum", "line"]); // pieces of prose that are numbers of the plan
