// @ts-check
// What is done to a figure: a click opens a cell, and a large matrix is looked at from near.

/** @import { DrawnPart, Figure, Near } from "./fill.js" */
/** @import { Host } from "../message/text.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("./parts.js")} */
const { keyOf } = await import(`./parts.js${own}`);
/** @type {typeof import("./look.js")} */
const { widthOf } = await import(`./look.js${own}`);

const MOST_ZOOMED = 12; // columns in sight from which a large matrix shows its numbers

// A click opens the cell; zooming into a large matrix brings its numbers.
/** @param {Bench} bench @param {Host} host @param {any} layout @param {string} of */
export function listen(bench, host, layout, of) {
  /** @type {DrawnPart[]} */
  const drawn = layout.meta.matrices ?? [];
  host.removeAllListeners?.("plotly_click");
  host.removeAllListeners?.("plotly_relayout");
  host.on("plotly_click", (/** @type {any} */ { points: [point] }) => {
    const one = drawn[point.data.meta?.matrix];
    if (!one || bench.data.view.predict) return;
    const [row, column] = one.turned ? [point.x, point.y] : [point.y, point.x];
    const cell = one.cells ? one.cells[point.y][point.x] : [Math.round(row), Math.round(column)];
    bench.acts.add("cell", keyOf(bench, one.step, one), ...cell);
  });
  host.on("plotly_relayout", (/** @type {object} */ change) => {
    const names = Object.keys(change);
    if (!names.some((name) => /axis\d*\.(range|autorange)/.test(name))) return; // another width is no zoom
    const isReset = names.every((name) => name.endsWith("autorange"));
    host.zoom = isReset ? null : { of, ranges: rangesOf(host, layout) };
    drawn.forEach((one, number) => moveLens(bench, host, one, number));
  });
}

// The part that the learner zoomed to, kept through repaints of the same figure.
/** @param {Host} host @param {string} of */
export const zoomOf = (host, of) => (host.zoom?.of === of ? host.zoom.ranges : {});
/** @param {string} letter @param {number} number */
const axisName = (letter, number) => `${letter}axis${number ? number + 1 : ""}`;

/** @param {Host} host @param {any} layout */
function rangesOf(host, layout) {
  const names = Object.keys(layout).filter((name) => /^[xy]axis/.test(name) && !layout[name].fixedrange);
  return Object.fromEntries(names.map((name) => [name, [...host.layout[name].range]]));
}

// From near, the lens of the board goes where the learner looks.
/** @param {Bench} bench @param {Host} host @param {DrawnPart} drawn @param {number} number */
function moveLens(bench, host, drawn, number) {
  if (!bench.data.large?.[keyOf(bench, drawn.step, drawn)]) return;
  const [x0, x1] = host.layout[axisName("x", number)].range;
  const [y1, y0] = host.layout[axisName("y", number)].range;
  if (x1 - x0 > MOST_ZOOMED) return;
  const [row, column] = [Math.max(0, Math.round((y0 + y1) / 2)), Math.max(0, Math.round((x0 + x1) / 2))];
  bench.acts.add("lens", keyOf(bench, drawn.step, drawn), ...(drawn.turned ? [column, row] : [row, column]));
}

// Large matrices that are seen from near, with the width of their cells in pixels.
/** @param {Host} host @param {Figure} figure @param {string} of */
export function nearMatrices(host, { layout }, of) {
  /** @type {Near} */
  const near = {};
  for (const [name, [start, end]] of Object.entries(zoomOf(host, of))) {
    const { domain } = layout[name] ?? {};
    if (!name.startsWith("x") || !domain || end - start > MOST_ZOOMED) continue;
    near[Number(name.slice(5) || 1) - 1] = ((domain[1] - domain[0]) * widthOf(host)) / (end - start);
  }
  return near;
}

// A large matrix is a picture from far, and from near its true cells and their exact numbers.
/** @param {any} trace @param {Near} near */
export function seenFrom(trace, near) {
  const { matrix, from } = trace.meta ?? {};
  return from ? { ...trace, visible: (from === "near") === matrix in near } : trace;
}
