// @ts-check
// What can be done with a whole matrix at the input: paste one, set it to 0, or draw new random numbers.

/** @import { Drawn } from "../board/cells.js" */
/** @import { Mark } from "../pictures/marks.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../pictures/marks.js")} */
const { box, drawing, word } = await import(`../pictures/marks.js${own}`);

const MOST_SEED = 9999;
/** @param {number} cx @param {number} cy @returns {Mark} */
const dot = (cx, cy) => ({ tag: "circle", at: { cx, cy, r: 1.6 } });
/** @type {Record<string, Mark[]>} */
const SIGNS = {
  paste: [box(3, 4, 14, 14, "line"), box(7, 2, 6, 4, "line")],
  clear: [box(3, 3, 14, 14, "line"), word(10, 14, "0")],
  random: [box(3, 3, 14, 14, "line"), dot(7, 7), dot(13, 7), dot(10, 10), dot(7, 13), dot(13, 13)],
};

/** @param {LabBench} bench @param {Drawn} drawn @param {boolean} isInput */
export function drawFills(bench, drawn, isInput) {
  const known = drawn.figure.querySelector(".fills");
  const isOffered = isInput && drawn.editable && drawn.id !== "attn_mask";
  if (!isOffered) return known?.remove();
  if (known) return;
  const host = element("div", "fills");
  for (const kind of ["paste", "clear", "random"]) {
    const press = button("fill", undefined, () => fill(bench, drawn, kind));
    const label = fillIn(bench.outline.words[`fill_${kind}`], { matrix: drawn.matrix.name });
    press.setAttribute("aria-label", label);
    press.title = label;
    press.append(drawing(SIGNS[kind], [20, 20]));
    host.append(press);
  }
  drawn.figure.append(host);
}

/** @param {LabBench} bench @param {Drawn} drawn @param {string} kind */
async function fill(bench, drawn, kind) {
  if (kind === "clear") bench.acts.add("fill", drawn.key, "zeros", 0);
  else if (kind === "random") bench.acts.add("fill", drawn.key, "integers", Math.floor(Math.random() * (MOST_SEED + 1)));
  else {
    const text = await navigator.clipboard?.readText().catch(() => "");
    if (text) bench.acts.add("edit", drawn.key, 0, 0, text);
    else bench.say(bench.outline.words.fill_how);
  }
}
