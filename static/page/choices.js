// @ts-check
// The choices above the board: example, heads, mask, scale, decimals.

/** @import { Bench } from "./bench.js" */

/**
 * @typedef {{ id: string, label: string, locked: boolean, options?: Array<[any, string, string?]>, least: number, most: number,
 *   step: number, otherwise?: string }} Choice
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { asTyped, parseNumber } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../board/scrub.js")} */
const { scrubbedByKey, scrubs } = await import(`../board/scrub.js${own}`);

const FINER = ["free_mask", "left", "right", "own_scale"];

/** @param {Bench} bench */
export function buildChoices(bench) {
  const head = element("header", "head");
  const title = element("h1");
  const panels = element("div", "panels");
  head.append(title, panels);
  const host = element("section", "choices");
  const about = element("p", "about");
  const groups = element("div", "groups");
  // What depends on another choice stands in a line that is always there, so that nothing jumps.
  const line = element("div", "about-line");
  const finer = element("div", "groups finer");
  line.append(about, finer);
  host.append(groups, line);
  bench.root.append(head, host);
  return { head, title, panels, host, about, groups, finer, of: "", panelsOf: "", again: "" };
}

/** @param {Bench} bench */
export function drawChoices(bench) {
  const { host, about, groups, finer } = bench.choices;
  const { outline, data } = bench;
  drawHead(bench);
  const offered = /** @type {Choice[]} */ (outline.choices ?? []);
  host.hidden = !offered.length;
  if (host.hidden) return;
  about.hidden = Boolean(data.lesson) || data.choices?.preset === ""; // it tells of the example
  put(about, outline.about);
  const wanted = JSON.stringify(offered);
  if (bench.choices.of !== wanted) {
    // A group that stays keeps its place and its focus.
    /** @type {HTMLElement | null | undefined} */
    const focused = document.activeElement?.closest("[data-choice]");
    bench.choices.of = wanted;
    const isFiner = (/** @type {Choice} */ { id }) => FINER.includes(id);
    groups.replaceChildren(...offered.filter((choice) => !isFiner(choice)).map((choice) => groupOf(bench, choice)));
    finer.replaceChildren(...offered.filter(isFiner).map((choice) => groupOf(bench, choice)));
    bench.choices.again = focused?.dataset.choice ?? "";
  }
  for (const choice of offered) {
    // In the Lab some stand elsewhere, in its header or at their own step, and a new one takes the place of an old one there.
    /** @type {NodeListOf<HTMLElement>} */
    const made = bench.root.querySelectorAll(`[data-choice="${choice.id}"]`);
    for (const group of made) mark(group, data.choices?.[choice.id]);
  }
}

// The name of the page, and what opens a panel above it.
/** @param {Bench} bench */
function drawHead(bench) {
  const { head, title, panels } = bench.choices;
  const { data, outline } = bench;
  head.hidden = !data.panels || Boolean(data.lesson);
  if (!data.panels) return;
  if (data.lesson && panels.parentElement !== bench.corner.host) bench.corner.host.prepend(panels); // a lesson has a title of its own
  put(title, outline.words.title);
  const wanted = JSON.stringify(data.panels);
  if (bench.choices.panelsOf !== wanted) {
    bench.choices.panelsOf = wanted;
    panels.replaceChildren(...data.panels.map(([id, label]) => panelButton(bench, id, label)));
  }
  data.panels.forEach(([id, , locked]) => {
    const press = /** @type {HTMLButtonElement | null} */ (bench.root.querySelector(`[data-panel="${id}"]`));
    if (!press) return;
    press.setAttribute("aria-expanded", String(id === data.panel));
    press.disabled = locked;
  });
}

/** @param {Bench} bench @param {string} id @param {string} label */
function panelButton(bench, id, label) {
  const press = button("panel", label, () => bench.acts.add("panel", id));
  press.dataset.panel = id;
  return press;
}

/** @param {Bench} bench @param {Choice} choice */
function groupOf(bench, choice) {
  if (!choice.options) return numberOf(bench, choice);
  return choice.options.length > 8 ? listOf(bench, choice) : radiosOf(bench, choice);
}

/** @param {Choice} choice @param {'div' | 'label'} tag */
function labelled(choice, tag) {
  const group = element(tag, "group");
  group.dataset.choice = choice.id;
  group.append(element("span", "label", choice.label));
  return group;
}

/** @param {Bench} bench @param {Choice} choice */
function listOf(bench, choice) {
  const group = labelled(choice, "label");
  const select = element("select");
  select.tabIndex = 0;
  select.disabled = choice.locked;
  select.setAttribute("aria-label", choice.label);
  choice.options?.forEach(([id, label]) => select.append(new Option(label, id)));
  if (choice.otherwise) {
    const none = new Option(choice.otherwise, ""); // what is seen where none of the options holds; it cannot be chosen
    none.hidden = none.disabled = true;
    select.prepend(none);
  }
  select.addEventListener("change", () => bench.acts.add("choose", choice.id, select.value));
  group.append(select);
  return group;
}

/** @param {Bench} bench @param {Choice} choice */
function numberOf(bench, choice) {
  const group = labelled(choice, "label");
  const input = element("input");
  const whole = choice.step >= 1;
  // A browser reads fractions by its own language, not the learner's, so these are read here: comma or point.
  if (whole) Object.assign(input, { type: "number", min: choice.least, max: choice.most, step: choice.step });
  else Object.assign(input, { type: "text", inputMode: "decimal", autocomplete: "off", role: "spinbutton" });
  Object.assign(input, { disabled: choice.locked, tabIndex: 0 });
  const typed = () => parseNumber(input.value);
  input.addEventListener("change", () => {
    const value = typed();
    if (choice.least <= value && value <= choice.most) return bench.acts.add("choose", choice.id, whole ? Math.round(value) : value);
    const facts = { name: choice.label, least: asTyped(choice.least), most: asTyped(choice.most) };
    bench.say(fillIn(bench.outline.words.bounds, facts));
    input.value = asTyped(bench.data.choices?.[choice.id]);
  });
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: choice.step, ArrowDown: -choice.step }[event.key];
    if (!by || whole || event.altKey) return;
    event.preventDefault();
    input.value = asTyped(typed() + by);
    input.dispatchEvent(new Event("change"));
  });
  if (choice.id === "own_scale" && !choice.locked) scrubsOn(bench, choice, input);
  group.append(input);
  return group;
}

// The field of a number can be dragged as a cell can.
/** @param {Bench} bench @param {Choice} choice @param {HTMLInputElement} input */
function scrubsOn(bench, choice, input) {
  const { least, most } = choice;
  const dragged = () => ({
    ...{ value: Number(bench.data.choices?.[choice.id]), place: input, least, most },
    /** @param {number} value */
    act: (value) => ["choose", choice.id, value],
    ended: () => (input.value = asTyped(bench.data.choices?.[choice.id])),
  });
  scrubs(bench, input, (event) => (event.pointerType === "mouse" || input === document.activeElement ? dragged() : null));
  input.addEventListener("keydown", (event) => scrubbedByKey(bench, event, dragged) && event.preventDefault());
}

/** @param {Bench} bench @param {Choice} choice */
function radiosOf(bench, choice) {
  const group = radioGroup(choice.label, choice.options ?? [], (id, press) => {
    if (press.ariaDisabled === "true") return bench.say(press.title);
    markRadio(group, id); // at once; the server agrees a moment later
    bench.acts.add("choose", choice.id, id);
  });
  group.dataset.choice = choice.id;
  for (const press of group.querySelectorAll("button")) press.disabled = choice.locked;
  return group;
}

// A group of radio buttons: one stop for the Tab key, arrows choose.
/** @param {string} name @param {any[]} options @param {(id: any, press: HTMLButtonElement) => void} chosen */
export function radioGroup(name, options, chosen) {
  const group = element("div", "group");
  group.append(element("span", "label", name));
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", name);
  const row = element("div", "radios");
  for (const [id, label, reason] of options) {
    const press = button("radio", label, () => chosen(id, press));
    press.setAttribute("role", "radio");
    press.value = JSON.stringify(id);
    if (reason) {
      press.setAttribute("aria-disabled", "true");
      press.title = reason;
      press.setAttribute("aria-label", `${label}: ${reason}`);
    }
    row.append(press);
  }
  row.addEventListener("keydown", (event) => walk(event, row));
  group.append(row);
  return group;
}

/** @param {KeyboardEvent} event @param {HTMLElement} row */
function walk(event, row) {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const radios = /** @type {HTMLButtonElement[]} */ ([...row.children]);
  const able = radios.filter((press) => press.ariaDisabled !== "true" && !press.disabled);
  const next = able[(able.indexOf(/** @type {HTMLButtonElement} */ (event.target)) + by + able.length) % able.length];
  next?.focus();
  next?.click();
}

/** @param {HTMLElement} group @param {any} value */
function mark(group, value) {
  const select = group.querySelector("select");
  const input = group.querySelector("input");
  if (select && select.value !== value) select.value = value;
  const typedIn = input !== null && input === document.activeElement && !input.classList.contains("dragged");
  if (input && !typedIn) input.value = input.type === "text" ? asTyped(value) : value;
  markRadio(group, value);
}

/** @param {HTMLElement} group @param {any} value */
export function markRadio(group, value) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const radios = group.querySelectorAll("[role=radio]");
  for (const press of radios) {
    const on = press.value === JSON.stringify(value);
    press.ariaChecked = String(on);
    press.tabIndex = on ? 0 : -1;
  }
}
