// @ts-check
// Two results compared: where they differ first, and by how much each step differs.

/** @import { StepOutline } from "../message/message.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const figures = await import(`../figures/figures.js${own}`);

// Where two results part: the first number that differs, and how each of them comes about. Or why nothing does.
/** @param {LabBench} bench */
export function drawParting(bench) {
  const host = bench.lab.meaning.parting;
  const { words } = bench.outline;
  const found = bench.data.compare;
  host.hidden = !found;
  if (!found) return;
  const { first, reading, refused, other, count } = found;
  const decimals = Math.max(2, bench.data.view.decimals);
  const shown = JSON.stringify([first, reading, refused, other, count, decimals, bench.data.language]);
  if (host.dataset.shown === shown) return;
  host.dataset.shown = shown;
  const title = element("h2", "", reading ? fillIn(words.compare_with, { reading }) : words.compare_title);
  if (!first) {
    const same = reading ? fillIn(words.compare_alike, { count }) : words.compare_same;
    host.replaceChildren(title, element("p", "", refused ?? (other ? words.compare_other : same)));
    return;
  }
  const sentence = element("p", "", `${words.compare_first} `);
  const press = button("back", first.name, () => bench.open(first.step, first.index));
  const facts = { here: write(first.here, decimals), there: write(first.there, decimals) };
  sentence.append(press, ` ${fillIn(words.compare_both, facts)}`);
  const lines = element("dl");
  [words.compare_here, words.compare_there].forEach((name, number) => lines.append(element("dt", "", name), element("dd", "", first.lines[number])));
  host.replaceChildren(title, sentence, lines);
}

// What differs from the result that was kept: a figure of this step, and the largest change of every step.
/** @param {LabBench} bench @param {StepOutline} step */
export function drawCompare(bench, step) {
  const { compare } = bench.lab.meaning;
  const { words } = bench.outline;
  const found = bench.data.compare;
  compare.hidden = !found?.largest.length;
  if (!found || compare.hidden) return;
  let [title, host, list] = compare.children;
  if (!title) {
    title = element("h3");
    host = element("div", "figure");
    host.setAttribute("role", "figure");
    list = element("ol", "changes");
    compare.append(title, host, list);
  }
  title.textContent = words.compare_largest;
  const decimals = Math.max(2, bench.data.view.decimals);
  const rows = found.largest.map((/** @type {any} */ change) => {
    const item = element("li");
    const facts = { from: write(change.from, decimals), to: write(change.to, decimals), change: signed(change.change, decimals) };
    item.append(
      button("back", change.name, () => bench.open(change.step, change.index)),
      ` ${fillIn(words.compare_change, facts)}`,
    );
    return item;
  });
  list.replaceChildren(...rows);
  figures.drawDifference(bench, /** @type {HTMLElement} */ (host), step);
}

/** @param {number} value @param {number} decimals */
const signed = (value, decimals) => (value > 0 ? "+" : "") + write(value, decimals);
