// @ts-check
// Two numbers are an arrow in a plane: the query among the keys, and values laid tip to tail.

/** @import { Figure } from "../figures/fill.js" */
/** @import { Draw } from "./picture.js" */

const MOST = 12; // arrows that can be told apart
const INK = "var(--st-text-color)";
const [QUERY, KEY, VALUE] = ["var(--st-blue-color)", "var(--st-orange-color)", "var(--st-green-color)"];
const [KEY_TEXT, VALUE_TEXT, QUERY_TEXT] = ["var(--st-orange-text-color)", "var(--st-green-text-color)", "var(--st-blue-text-color)"];
const GRID = "rgba(128,128,128,0.35)";

/** @typedef {[number, number]} Point */

// The query points up; how far a key reaches up, times the query's length, is its score. Keys at the same height have
// the same score.
/** @type {Draw} */
export function queryAmongKeys({ row, step, matrix, query: ofQueries, keys: ofKeys, key, word, write, plain }) {
  const query = row(ofQueries);
  const keys = matrix(ofKeys);
  const scores = row(step);
  if (!query || !keys || !scores || query.values.length !== 2 || keys.values.length > MOST) return null;
  const [a, b] = /** @type {Point} */ (query.values);
  const length = Math.hypot(a, b);
  if (!length) return null;
  // Along the query, and to its right.
  const turned = keys.values.map(
    ([x, y]) => /** @type {Point} */ ([(Number(x) * b - Number(y) * a) / length, (Number(x) * a + Number(y) * b) / length]),
  );
  /** @type {any[]} */
  const data = [];
  const reach = Math.max(length, ...turned.flat().map(Math.abs)) * 1.12;
  for (const group of grouped(turned)) {
    const isChosen = group.includes(key);
    const [right, up] = turned[group[0]];
    // Beside the query, where it would lie under it.
    const shift = Math.abs(right) < reach / 50 && up > 0 ? reach / 40 : 0;
    if (Math.hypot(right, up) > reach / 100) data.push(arrow([shift, 0], [right + shift, up], KEY, isChosen ? 3.5 : 1.8));
    data.push(label([right + shift, up], group.map((place) => plain(keys.rows[place])).join(", "), KEY_TEXT, isChosen, reach));
  }
  data.push(arrow([0, 0], [0, length], QUERY, 4));
  data.push(label([0, length], `<b>${plain(word)}: q</b>`, QUERY_TEXT, true, reach));
  const heights = [...new Set(turned.map(([, up]) => Number((up * length).toFixed(6))))];
  const shown = heights.length > 6 ? [0, Number((turned[key][1] * length).toFixed(6))] : heights;
  const ticks = { tickvals: shown.map((score) => score / length), ticktext: shown.map((score) => write(score)) };
  const chosen = turned[key][1];
  const across = { type: "line", x0: -reach, x1: reach, y0: chosen, y1: chosen, line: { color: INK, width: 1.5, dash: "dot" } };
  return {
    figure: planeOf("plane", data, ticks, [across], reach),
    says: "scores",
    facts: { word, key: keys.rows[key], reach: write(chosen), length: write(length), score: write(scores.values[key]) },
  };
}

// Each value, shortened to its weight, set tip to tail: they lead to the output, which lies within the hull of the values.
/** @type {Draw} */
export function tipToTail({ row, step, matrix, weights: ofWeights, values: ofValues, word, write, plain }) {
  const weights = row(ofWeights);
  const values = matrix(ofValues);
  const output = row(step);
  if (!weights || !values || !output || output.values.length !== 2 || weights.values.length > MOST) return null;
  const shares = weights.values.map(Number);
  const points = values.values.map((value) => /** @type {Point} */ (value.map(Number)));
  /** @type {any[]} */
  const data = [];
  const isMean = Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-3;
  const hull = hullOf(points);
  if (isMean && hull.length > 2) {
    const ring = [...hull, hull[0]];
    const fill = { fill: "toself", fillcolor: "rgba(128,128,128,0.12)", line: { color: VALUE, width: 1.2, dash: "dash" } };
    data.push({ type: "scatter", mode: "lines", x: ring.map(([x]) => x), y: ring.map(([, y]) => y), hoverinfo: "skip", ...fill });
  }
  const reach = (Math.max(...points.flat().map(Math.abs)) || 1) * 1.1;
  for (const group of grouped(points)) {
    const [x, y] = points[group[0]];
    const mark = { symbol: "circle-open", size: 9, color: VALUE, line: { width: 2 } };
    data.push({ type: "scatter", mode: "markers", x: [x], y: [y], marker: mark, hoverinfo: "skip" });
    data.push(label([x, y], group.map((place) => plain(values.rows[place])).join(", "), VALUE_TEXT, false, reach));
  }
  /** @type {Point} */
  let at = [0, 0];
  const order = shares.map((share, place) => ({ share, place })).filter(({ share }) => share !== 0);
  for (const { share, place } of order) {
    /** @type {Point} */
    const next = [at[0] + share * points[place][0], at[1] + share * points[place][1]];
    const long = Math.hypot(next[0] - at[0], next[1] - at[1]);
    if (long > reach / 200) data.push(arrow(at, next, VALUE, 3));
    if (long > reach / 5)
      data.push(
        label([(at[0] + next[0]) / 2, (at[1] + next[1]) / 2], `${write(share, 2)}\u00B7${plain(values.rows[place])}`, INK, false, reach),
      );
    at = next;
  }
  const end = /** @type {Point} */ (output.values.map(Number));
  data.push({ type: "scatter", mode: "markers", x: [end[0]], y: [end[1]], marker: { size: 12, color: INK }, hoverinfo: "skip" });
  const ends = `[${end.map((number) => write(number)).join(" ")}]`;
  data.push(label(end, `<b>${plain(word)} ${ends}</b>`, INK, true, reach));
  return { figure: planeOf("mix", data, {}, [], reach, points), says: isMean ? "mix_plane" : "mix_sum", facts: { word, output: ends } };
}

/**
 * @param {string} of
 * @param {any[]} data
 * @param {Record<string, any>} ticks
 * @param {any[]} shapes
 * @param {number} reach
 * @param {Point[]} [points]
 * @returns {Figure}
 */
function planeOf(of, data, ticks, shapes, reach, points) {
  const xs = data.flatMap(({ x }) => x);
  const ys = data.flatMap(({ y }) => y);
  const room = reach * 0.3;
  const [low, high] = [Math.min(0, ...xs) - room, Math.max(0, ...xs) + room * 1.6];
  const [down, up] = [Math.min(0, ...ys) - room * 0.5, Math.max(0, ...ys) + room * 0.5];
  const axis = {
    showgrid: Boolean(ticks.tickvals) || Boolean(points),
    gridcolor: GRID,
    zeroline: true,
    zerolinecolor: GRID,
    fixedrange: true,
  };
  const layout = {
    xaxis: { ...axis, showgrid: Boolean(points), showticklabels: Boolean(points), range: [low, high], nticks: 6 },
    yaxis: { ...axis, range: [down, up], scaleanchor: "x", nticks: 6, ...ticks },
    shapes,
    height: 400,
    showlegend: false,
    margin: { l: 44, r: 8, t: 8, b: 28 },
    meta: { kind: "curves", of },
  };
  return { data, layout };
}

/** @param {Point} from @param {Point} to @param {string} color @param {number} width */
const arrow = (from, to, color, width) => ({
  ...{ type: "scatter", mode: "lines+markers", x: [from[0], to[0]], y: [from[1], to[1]], hoverinfo: "skip" },
  line: { color, width },
  marker: { symbol: "arrow", angleref: "previous", size: [0, 9 + width], color, opacity: 1 },
});

// A name beside a point, on the side where there is room.
/** @param {Point} at @param {string} text @param {string} color @param {boolean} strong @param {number} reach */
const label = ([x, y], text, color, strong, reach) => ({
  ...{
    type: "scatter",
    mode: "text",
    x: [x],
    y: [y],
    text: [strong ? `<b>${text.replaceAll(/<\/?b>/g, "")}</b>` : text],
    hoverinfo: "skip",
  },
  textposition: x < -reach / 20 ? (y < 0 ? "bottom left" : "top left") : y < reach / 50 ? "bottom right" : "top right",
  textfont: { color, size: 14 },
  cliponaxis: false,
});

// Places with the same point, together.
/** @param {Point[]} points */
function grouped(points) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  points.forEach((point, place) => {
    const key = point.map((number) => number.toPrecision(9)).join();
    found.set(key, [...(found.get(key) ?? []), place]);
  });
  return [...found.values()];
}

// The corners of the smallest area that holds all points, around it (Andrew's monotone chain).
/** @param {Point[]} points @returns {Point[]} */
export function hullOf(points) {
  const sorted = [...new Map(points.map((point) => [String(point), point])).values()].sort(
    (one, other) => one[0] - other[0] || one[1] - other[1],
  );
  if (sorted.length < 3) return sorted;
  /** @param {Point} o @param {Point} a @param {Point} b */
  const turns = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  /** @param {Point[]} half */
  const chain = (half) => {
    /** @type {Point[]} */
    const found = [];
    for (const point of half) {
      while (found.length > 1 && turns(found[found.length - 2], found[found.length - 1], point) <= 0) found.pop();
      found.push(point);
    }
    return found.slice(0, -1);
  };
  return [...chain(sorted), ...chain([...sorted].reverse())];
}
