// @ts-check
// Which numbers of heads divide the columns of Q: each number with the columns cut into heads, and what is left over.

/** @import { StepOutline } from "../message/message.js" */
/** @import { Choice } from "../page/choices.js" */
/** @import { LabBench } from "./lab.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn } = await import(`../message/text.js${own}`);

const MOST_COLUMNS = 12; // that are drawn
const MOST_NUMBERS = 6;

export function buildDivides() {
  const host = element("div", "divides");
  host.setAttribute("role", "group");
  return host;
}

// Only at the input, and only where the columns are few enough to be counted by eye.
/** @param {LabBench} bench @param {StepOutline} step */
export function drawDivides(bench, step) {
  const host = bench.lab.stage.divides;
  const choices = bench.data.choices ?? {};
  const heads = /** @type {Choice[] | undefined} */ (bench.outline.choices)?.find(({ id }) => id === "n_heads");
  const width = Number(choices.n_heads) * Number(choices.d_key);
  const options = heads?.options ?? [];
  host.hidden = step.stand.kind !== "input" || !(width > 1 && width <= MOST_COLUMNS) || options.length < 2 || options.length > MOST_NUMBERS;
  if (host.hidden) return;
  const wanted = JSON.stringify([width, options, heads?.locked, bench.data.language]);
  if (host.dataset.of !== wanted) {
    host.dataset.of = wanted;
    host.setAttribute("aria-label", fillIn(bench.outline.words.divides, { width }));
    host.replaceChildren(...options.map(([n, , reason]) => division(bench, width, Number(n), reason, heads?.locked)));
  }
  for (const press of /** @type {Iterable<HTMLElement>} */ (/** @type {unknown} */ (host.children)))
    press.setAttribute("aria-pressed", String(Number(press.dataset.heads) === choices.n_heads));
}

/** @param {LabBench} bench @param {number} width @param {number} heads @param {string} [reason] that it cannot be chosen @param {boolean} [locked] */
function division(bench, width, heads, reason, locked = false) {
  const { words } = bench.outline;
  const [each, left] = [Math.floor(width / heads), width % heads];
  const press = button("division", undefined, () => (reason ? bench.say(reason) : bench.acts.add("choose", "n_heads", heads)));
  const label = fillIn(left ? words.division_left : words.division, { heads, each, left });
  press.dataset.heads = String(heads);
  press.disabled = locked;
  press.classList.toggle("refused", Boolean(reason));
  press.ariaLabel = label;
  press.title = reason ?? label;
  const cut = element("span", "cut");
  for (let head = 0; head < heads; head += 1) cut.append(columns(each));
  if (left) cut.append(columns(left, "left"));
  press.append(element("span", "number", heads), cut);
  return press;
}

/** @param {number} count @param {string} [kind] */
function columns(count, kind = "") {
  const made = element("span", kind);
  for (let column = 0; column < count; column += 1) made.append(element("i"));
  return made;
}
