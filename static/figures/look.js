// @ts-check
// How figures look on this page: its letters, its colours, its language, and the width there is.

/** @import { Figure } from "./fill.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/numbers.js")} */
const { separators } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./fill.js")} */
const { fill } = await import(`./fill.js${own}`);

const SIDES = 48; // pixels left and right of a figure

// How much larger than usual the page's letters are: figures, which count in pixels, follow.
export const enlargement = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
const GROWING = new Set(["height", "l", "r", "t", "b", "size", "yshift", "standoff"]);

/** @param {any} part @param {number} by @param {string} [name] @returns {any} */
function enlarged(part, by, name = "") {
  if (typeof part === "number") return GROWING.has(name) ? part * by : part;
  if (part === null || typeof part !== "object" || ["x", "y", "z"].includes(name)) return part;
  if (Array.isArray(part)) return part.map((one) => enlarged(one, by));
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, enlarged(one, by, key)]));
}

/** @param {HTMLElement} host */
export const widthOf = (host) => Math.max(220, (host.clientWidth || 380) / enlargement() - SIDES);
/** @param {Bench} bench */
export const themeOf = (bench) => {
  const style = getComputedStyle(bench.root);
  return (/** @type {string} */ name) => style.getPropertyValue(name).trim();
};

// With what every figure of its kind has, in the letters and colours of the page.
/** @param {Bench} bench @param {HTMLElement} host @param {Figure} figure */
export function withLook(bench, host, figure) {
  const by = enlargement();
  const kind = bench.outline.figures[figure.layout.meta.kind];
  const template = { ...kind, layout: fill({ data: [], layout: kind.layout }, {}, { colour: themeOf(bench) }).layout };
  const { data, layout } = by === 1 ? figure : enlarged(figure, by);
  const font = { family: getComputedStyle(host).fontFamily };
  return { data, layout: { ...layout, template: enlarged(template, by), font, separators: separators() } };
}

// Plotly's own bar has buttons that would send the chart to somebody else; ours has none but these.
/** @param {Bench} bench */
export function config(bench) {
  const { words } = bench.outline;
  const dictionary = { Zoom: words.zoom, Pan: words.pan, "Zoom in": words.zoom_in, "Zoom out": words.zoom_out, "Reset axes": words.zoom_reset };
  const { language } = bench.data;
  const modeBarButtons = [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]];
  const touch = matchMedia("(hover: none)").matches; // where the bar would cover the figure all the time
  const bar = { displaylogo: false, displayModeBar: touch ? false : "hover", modeBarButtons };
  const locale = { locale: language, locales: { [language]: { dictionary, format: {} } } };
  return { ...bar, ...locale, responsive: true, scrollZoom: false, showTips: false };
}
