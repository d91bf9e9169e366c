// @ts-check
// A large matrix as a whole, beside the window of its numbers: a map to press, what its colours say, and the weights of one
// query on the patches of an image.

/** @import { StepOutline } from "../message/message.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../figures/parts.js")} */
const { keyOf } = await import(`../figures/parts.js${own}`);

const LEAST_PATCHES = 16;

export function buildWhole() {
  const host = element("section", "whole");
  const map = element("div", "map");
  const legend = element("p", "legend");
  const ramp = element("span", "ramp");
  const text = element("span");
  const token = element("div", "class-token");
  const patches = element("div", "patches");
  legend.append(ramp, text);
  host.append(map, legend);
  return { host, map, ramp, text, token, patches };
}

// Whether the step is large, so that this stands in place of a picture.
/** @param {LabBench} bench @param {StepOutline} step */
export function drawWhole(bench, step) {
  const { whole } = bench.lab.meaning;
  const { words } = bench.outline;
  const key = keyOf(bench, step.id);
  const large = bench.data.large?.[key];
  const drawn = bench.matrices.get(key);
  whole.host.hidden = whole.token.hidden = whole.patches.hidden = true;
  if (!large || !drawn?.canvas || bench.data.view.predict || step.stand.kind === "input") return; // there is no room beside the input
  whole.host.hidden = false;
  if (whole.map.firstElementChild !== drawn.canvas) whole.map.replaceChildren(drawn.canvas);
  whole.ramp.className = `ramp ${drawn.matrix.scale}`;
  const facts = { top: write(large.top, 3), count: large.above, all: large.shape[0] * large.shape[1] };
  put(whole.text, fillIn(words.legend_top, facts));
  drawPatches(bench, step, large.at[0], large.shape);
}

// The row of weights on the image that its keys are patches of: CLS apart, the others as a square.
/** @param {LabBench} bench @param {StepOutline} step @param {number} first @param {number[]} shape */
function drawPatches(bench, step, first, [rows, columns]) {
  const { whole } = bench.lab.meaning;
  const { words } = bench.outline;
  const row = bench.data.shares?.[step.id];
  const side = Math.sqrt(columns - 1);
  if (!row || rows !== columns || !Number.isInteger(side) || columns < LEAST_PATCHES) return;
  whole.token.hidden = whole.patches.hidden = false;
  const top = Math.max(...row.shares.slice(1).map(Number), 1e-12);
  if (whole.patches.children.length !== columns - 1) {
    whole.patches.style.gridTemplateColumns = `repeat(${side}, 1fr)`;
    whole.patches.style.width = `${Math.min(22 * side, 300)}px`;
    whole.patches.setAttribute("role", "group");
    const patches = Array.from({ length: columns - 1 }, (_, place) => patch(bench, step, place + 1));
    for (const [place, made] of patches.entries()) made.tabIndex = place ? -1 : 0;
    whole.patches.replaceChildren(...patches);
    whole.patches.addEventListener("keydown", (event) => walk(event, whole.patches, side));
    whole.token.replaceChildren(patch(bench, step, 0), element("span"));
  }
  whole.patches.setAttribute("aria-label", fillIn(words.patches, { row: row.name }));
  row.shares.forEach((share, place) => {
    const made = /** @type {HTMLElement} */ (place ? whole.patches.children[place - 1] : whole.token.firstElementChild);
    const at = place ? { row: Math.floor((place - 1) / side), column: (place - 1) % side } : {};
    const weight = write(share, 4);
    const label = place ? fillIn(words.press_patch, { ...at, weight }) : fillIn(words.class_token, { weight });
    made.style.setProperty("--strength", `${Math.round(100 * Math.min(1, Number(share) / top))}%`);
    made.ariaLabel = made.title = label;
    made.setAttribute("aria-pressed", String(place === row.row));
    if (!place) put(/** @type {HTMLElement} */ (whole.token.lastElementChild), label);
  });
}

// Pressing a patch makes it the query: the window goes to its row.
/** @param {LabBench} bench @param {StepOutline} step @param {number} place */
function patch(bench, step, place) {
  return button("patch", undefined, () => bench.acts.add("cell", keyOf(bench, step.id), place, place));
}

/** @param {KeyboardEvent} event @param {HTMLElement} patches @param {number} side */
function walk(event, patches, side) {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -side, ArrowDown: side }[event.key];
  const all = /** @type {HTMLElement[]} */ ([...patches.children]);
  const next = by && all[all.indexOf(/** @type {HTMLElement} */ (event.target)) + by];
  if (!next) return;
  for (const one of all) one.tabIndex = one === next ? 0 : -1;
  next.focus();
  event.preventDefault();
  event.stopPropagation();
}
