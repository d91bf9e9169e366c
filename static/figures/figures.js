// @ts-check
// Figures, drawn by Plotly and updated in place. Python made them (ui/figures) and the outline brought them; here they
// get the numbers of the board, the colours of the theme and the width of their place. They wait until the page has
// painted, so that the numbers on the board come first.

/** @import { Block } from "../course/blocks.js" */
/** @import { DrawnPart, Figure } from "./fill.js" */
/** @import { StepOutline } from "../message/message.js" */
/** @import { Host } from "../message/text.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("./fill.js")} */
const { asDrawn, fill, fit } = await import(`./fill.js${own}`);
/** @type {typeof import("./look.js")} */
const { config, themeOf, widthOf, withLook } = await import(`./look.js${own}`);
/** @type {typeof import("./parts.js")} */
const { matrixOf, keyOf, sharesOf } = await import(`./parts.js${own}`);
/** @type {typeof import("./tables.js")} */
const { inWords, offerNumbers } = await import(`./tables.js${own}`);
/** @type {typeof import("./zoom.js")} */
const { listen, nearMatrices, seenFrom, zoomOf } = await import(`./zoom.js${own}`);

/** @type {Window & { Plotly?: any }} */
const globals = window;
const script = () => new URL("../plotly.min.js", import.meta.url).href;
/** @type {Promise<any> | null} */
let loading = globals.Plotly ? Promise.resolve(globals.Plotly) : null; // there already, in a handout

// Fetched while the board is being built, run after it is painted.
export function fetchAhead() {
  if (loading) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "script", href: script() });
  document.head.append(link);
}

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = script();
    made.onload = () => resolve(globals.Plotly);
    made.onerror = (fault) => {
      loading = null; // the next figure asks again
      reject(fault);
    };
    document.head.append(made);
  });
  return loading;
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// Every head of a step as a heatmap, and their numbers as tables.
/** @param {Bench} bench @param {Host} host @param {StepOutline} step */
export async function drawHeatmap(bench, host, step) {
  const label = fillIn(bench.outline.words.heatmap_of, { name: step.name, numbers: inWords(bench, matrixOf(bench, { step: step.id })) });
  await drawMatrices(bench, host, step.heatmap, label, `${bench.data.outline}/heatmap/${step.id}`);
}

// The shapes of a step: blocks with their axes, or where each number goes.
/** @param {Bench} bench @param {Host} host @param {StepOutline} step @param {number} height that there is room for */
export async function drawShapes(bench, host, step, height) {
  const label = `${fillIn(bench.outline.words.shapes_of, { name: step.name })} ${step.algebra ?? ""}`;
  const of = `${bench.data.outline}/shapes/${step.id}`;
  if (step.shapes.layout.meta.matrices) return drawMatrices(bench, host, step.shapes, label, of);
  host.setAttribute("aria-label", label);
  host.numbers?.remove();
  host.numbers = undefined;
  const layout = { ...step.shapes.layout, height: Math.max(step.shapes.layout.height, height) };
  await drawAt(bench, host, of, () => fill({ ...step.shapes, layout }, {}, { colour: themeOf(bench) }));
}

// The picture of a step, as static/pictures makes it from the present numbers.
/** @param {Bench} bench @param {Host} host @param {Figure} figure @param {string} label */
export async function drawPicture(bench, host, figure, label) {
  host.setAttribute("aria-label", label);
  host.numbers?.remove();
  host.numbers = undefined;
  host.again = () => drawPicture(bench, host, figure, label);
  await drawAt(bench, host, figure.layout.meta.of, () => fill(figure, {}, { colour: themeOf(bench) }));
}

// A figure of matrices whose page places it: it says how wide a cell is, and what else it has.
/** @typedef {{ cell: number, place: (figure: Figure) => Figure }} Placing */
/** @param {Bench} bench @param {Host} host @param {Figure} figure @param {string} label @param {Placing} placing */
export async function drawPlaced(bench, host, figure, label, { cell, place }) {
  host.setAttribute("aria-label", label);
  /** @type {DrawnPart[]} */
  const drawn = figure.layout.meta.matrices;
  const matrices = drawn.map((one) => matrixOf(bench, one));
  offerNumbers(bench, host, () => drawn.map((one, number) => asDrawn(one, matrices[number])));
  await drawAt(bench, host, `${bench.data.outline}/placed`, () => {
    const view = { cell, decimals: bench.data.view.decimals, scales: bench.outline.figures.scales, colour: themeOf(bench) };
    return place(fill(figure, { matrices }, view));
  });
}

// By how much each number of the step changed since a result was kept.
/** @param {Bench} bench @param {Host} host @param {StepOutline} step */
export async function drawDifference(bench, host, step) {
  const isThere = Boolean(bench.data.compare?.differences[keyOf(bench, step.id)]);
  host.hidden = !isThere;
  if (host.numbers) host.numbers.hidden = !isThere;
  if (!isThere) return;
  const changes = matrixOf(bench, step.change.layout.meta.matrices[0]);
  await drawMatrices(bench, host, step.change, `${changes.name}. ${inWords(bench, changes)}`, `change/${step.id}`);
}

/** @param {Bench} bench @param {Host} host @param {Figure} figure @param {string} label @param {string} of */
async function drawMatrices(bench, host, figure, label, of) {
  host.setAttribute("aria-label", label);
  /** @type {DrawnPart[]} */
  const drawn = figure.layout.meta.matrices;
  offerNumbers(bench, host, () => drawn.map((one) => asDrawn(one, matrixOf(bench, one))));
  // Taken now: when it is drawn, what it shows may be over.
  const numbers = { matrices: drawn.map((one) => matrixOf(bench, one)), shares: sharesOf(bench) };
  await drawAt(bench, host, of, () => {
    const [fitted, cell] = fit(figure, widthOf(host));
    const near = nearMatrices(host, fitted, of);
    const view = { cell, near, decimals: bench.data.view.decimals, scales: bench.outline.figures.scales, colour: themeOf(bench) };
    const filled = fill(fitted, numbers, view);
    filled.data = filled.data.map((/** @type {any} */ trace) => seenFrom(trace, near));
    return filled;
  });
}

// Curves or bars over x, from a lesson.
/** @param {Bench} bench @param {Host} host @param {Block} block */
export async function drawPlot(bench, host, block) {
  host.again = () => drawAt(bench, host, block.key, () => fill(block.figure, { block }, { colour: themeOf(bench) }));
  await host.again();
}

/** @param {Bench} bench @param {Host} host @param {string} of @param {() => Figure} make */
async function drawAt(bench, host, of, make) {
  host.turn = (host.turn ?? 0) + 1;
  const { turn } = host;
  let Plotly;
  try {
    await painted();
    Plotly = await plotly();
  } catch {
    host.textContent = bench.outline.words.no_figure;
    return;
  }
  if (!host._fullLayout) host.textContent = ""; // what was said instead of a figure
  if (turn !== host.turn || !host.isConnected) return; // a newer figure is on its way, or nobody looks any more
  const { data, layout } = withLook(bench, host, make());
  if (host.room) layout.height = host.room; // where its place says how high it may be
  const height = `${layout.height}px`;
  if (host.style.minHeight !== height) host.style.minHeight = height; // nothing jumps while it is drawn
  for (const [name, range] of Object.entries(zoomOf(host, of))) layout[name] = { ...layout[name], range };
  if (host.clientWidth) layout.width = host.clientWidth; // or it keeps that of the figure before, and is drawn twice
  await Plotly.react(host, data, layout, config(bench));
  host.drawn = turn;
  listen(bench, host, layout, of);
  if (host.clientWidth && host._fullLayout.width !== host.clientWidth) await Plotly.Plots.resize(host); // its place has another size now
}

// A figure takes the height that its place now has.
/** @param {Host} host */
export function heighten(host) {
  if (host._fullLayout && Math.abs(host._fullLayout.height - host.room) > 1) host.again();
}

// Plotly keeps a figure, and looks after it, until it is told that it is gone.
/** @param {ParentNode} gone */
export function release(gone) {
  for (const host of gone.querySelectorAll(".js-plotly-plot")) globals.Plotly.purge(host);
}

// The figure as a file, as it stands.
/** @param {HTMLElement} host @param {string} format */
export async function save(host, format) {
  const Plotly = await plotly();
  await Plotly.downloadImage(host, { format, scale: format === "png" ? 2 : 1, filename: "attention" });
}
