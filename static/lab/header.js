// @ts-check
// The header of the Lab: the way home, the example, heads, what differs from the usual, undo, redo, and a menu of the rest.

/** @import { Choice } from "../page/choices.js" */
/** @import { LabBench } from "./lab.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element, fillIn, ownAddress, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { write } = await import(`../message/numbers.js${own}`);

const IN_SIGHT = ["preset", "n_heads"]; // choices that stand in the header itself
// What each choice is usually; anything else is said in the header, and a press takes it back.
/** @type {Record<string, any>} */
const USUAL = { mask: "none", scale: "auto", dropout: 0 };
const KINDS = ["predict", "reveal_one", "reveal", "keep", "swap", "forget", "reset", "link"];

/** @param {Bench} bench */
export function buildHeader(bench) {
  const host = element("header", "lab-head");
  const title = element("h1", "unseen");
  const chosen = element("div", "chosen-ones");
  const choosers = element("div", "choosers");
  const differing = element("div", "differing");
  const score = element("span", "score");
  const gap = element("span", "gap");
  const undo = signed("\u21B6", () => bench.acts.add("undo"));
  const redo = signed("\u21B7", () => bench.acts.add("redo"));
  const more = signed("\u22EF", () => toggle(bench));
  more.setAttribute("aria-expanded", "false");
  const share = element("div", "panels");
  const { menu, actions, made } = buildMenu(bench);
  // A press beside it closes the menu.
  document.addEventListener("pointerdown", (event) => {
    const target = /** @type {Node} */ (event.target);
    if (!menu.hidden && !menu.contains(target) && !more.contains(target)) toggle(bench);
  });
  host.append(bench.corner.wayHome, title, chosen, choosers, differing, score, gap, undo, redo, more, share, menu);
  return { host, title, chosen, choosers, differing, score, undo, redo, more, share, menu, actions, made, of: "", shown: "" };
}

/** @param {string} sign @param {() => void} press */
function signed(sign, press) {
  const made = button("tool", sign, press);
  return made;
}

// What is changed less often: choices, things to do, panels, and what every page has in its corner.
/** @param {Bench} bench */
function buildMenu(bench) {
  const menu = element("div", "menu");
  menu.hidden = true;
  const actions = element("div", "actions");
  /** @type {Record<string, HTMLButtonElement>} */
  const made = {};
  for (const kind of KINDS) actions.append((made[kind] = button("action", undefined, () => act(bench, kind))));
  const how = element("p", "how");
  // What a panel shows lies where the menu was; the focus, which was in it, goes to what opens it again.
  menu.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest("[data-panel]"))) return;
    toggle(bench);
    bench.lab?.header.more.focus();
  });
  menu.append(bench.choices.host, actions, bench.choices.panels, bench.corner.host, how);
  bench.choices.head.remove();
  return { menu, actions, made };
}

/** @param {Bench} bench */
function toggle(bench) {
  if (!bench.lab) return;
  const { menu, more } = bench.lab.header;
  menu.hidden = !menu.hidden;
  more.setAttribute("aria-expanded", String(!menu.hidden));
  /** @type {NodeListOf<HTMLElement>} */
  const inside = menu.querySelectorAll(":is(button, select, input):not(:disabled, [tabindex='-1'])");
  if (!menu.hidden) [...inside].find((one) => one.getClientRects().length)?.focus();
}

/** @param {Bench} bench @param {string} kind */
async function act(bench, kind) {
  const { words } = bench.outline;
  if (kind === "predict") bench.acts.add("predict", !bench.data.view.predict);
  else if (kind === "reveal_one") bench.guessedLast ? bench.acts.add("reveal", ...bench.guessedLast) : bench.say(words.choose_first);
  else if (kind === "link") {
    await copyText(ownAddress());
    bench.say(words.copied_link);
  } else bench.acts.add(kind);
}

/** @param {LabBench} bench */
export function drawHeader(bench) {
  const { header } = bench.lab;
  const { words } = bench.outline;
  put(header.title, words.title);
  drawInSight(bench);
  drawDiffering(bench);
  drawChooser(bench);
  drawActions(bench);
  for (const [press, label] of /** @type {const} */ ([[header.undo, words.do_undo], [header.redo, words.do_redo], [header.more, words.menu]])) {
    if (press.ariaLabel !== label) press.ariaLabel = press.title = label;
  }
  header.undo.disabled = !bench.acts.undo.length;
  header.redo.disabled = !bench.acts.redo.length;
  header.undo.hidden = header.redo.hidden = Boolean(bench.data.offline);
  const how = /** @type {HTMLElement} */ (header.menu.querySelector(".how"));
  put(how, words.how);
  const shared = /** @type {HTMLElement | null} */ (bench.choices.panels.querySelector('[data-panel="share"]'));
  if (shared) header.share.replaceChildren(shared);
}

// The example and the number of heads stand in sight; they are the groups of the menu, moved here.
/** @param {LabBench} bench */
function drawInSight(bench) {
  const { header } = bench.lab;
  if (header.of === bench.choices.of) return;
  header.of = bench.choices.of;
  const groups = IN_SIGHT.map((id) => bench.choices.host.querySelector(`[data-choice="${id}"]`)).filter((group) => group !== null);
  header.chosen.replaceChildren(...groups);
}

/** @param {LabBench} bench */
function drawDiffering(bench) {
  const { header } = bench.lab;
  const choices = /** @type {Choice[]} */ (bench.outline.choices ?? []);
  const differing = choices.filter(({ id }) => id in USUAL && bench.data.choices?.[id] !== USUAL[id]);
  const wanted = JSON.stringify(differing.map(({ id, locked }) => [id, bench.data.choices?.[id], locked, bench.data.language]));
  if (header.shown === wanted) return;
  header.shown = wanted;
  const { words } = bench.outline;
  const made = differing.map((choice) => {
    const text = wordOf(bench, choice);
    const press = button("differs", `${text} \u00D7`, () => bench.acts.add("choose", choice.id, USUAL[choice.id]));
    press.setAttribute("aria-label", fillIn(words.remove_setting, { setting: text }));
    press.disabled = choice.locked;
    return press;
  });
  header.differing.replaceChildren(...made);
}

/** @param {LabBench} bench @param {Choice} choice */
function wordOf(bench, { id, label, options }) {
  const value = bench.data.choices?.[id];
  const option = options?.find(([one]) => one === value)?.[1];
  if (id === "scale") return `${label}: ${value === "own" ? write(Number(bench.data.choices?.own_scale), 4) : option}`;
  return `${label}: ${option ?? write(Number(value), 2)}`;
}

// Which head and which batch item is shown, where there are several.
/** @param {LabBench} bench */
function drawChooser(bench) {
  const { choosers } = bench.lab.header;
  const { view } = bench.data;
  const { words } = bench.outline;
  const wanted = JSON.stringify([view.heads, view.batches, bench.data.language]);
  if (choosers.dataset.of !== wanted) {
    choosers.dataset.of = wanted;
    const kinds = /** @type {const} */ ([["batch", words.batch, view.batches], ["head", words.head_shown, view.heads]]);
    choosers.replaceChildren(...kinds.filter(([, , count]) => count > 1).map(([kind, label, count]) => chooser(bench, kind, label, count)));
  }
  for (const press of choosers.querySelectorAll("button")) {
    const chosen = press.dataset.kind === "head" ? view.head : view.batch;
    press.setAttribute("aria-pressed", String(Number(press.textContent) === chosen));
  }
  for (const select of choosers.querySelectorAll("select")) select.value = String(select.dataset.kind === "head" ? view.head : view.batch);
}

// Few places are buttons, many a list.
/** @param {LabBench} bench @param {string} kind @param {string} label @param {number} count */
function chooser(bench, kind, label, count) {
  const group = element("div", "chooser");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  group.append(element("span", "label", label));
  if (count > (bench.data.view.batches > 1 ? 4 : 8)) {
    const select = element("select");
    select.dataset.kind = kind;
    select.setAttribute("aria-label", label);
    for (let place = 0; place < count; place += 1) select.append(new Option(String(place), String(place)));
    select.addEventListener("change", () => bench.acts.add(kind, Number(select.value)));
    group.append(select);
    return group;
  }
  for (let place = 0; place < count; place += 1) {
    const press = button("choice", place, () => bench.acts.add(kind, place));
    press.dataset.kind = kind;
    if (kind === "head") press.dataset.head = String(place);
    group.append(press);
  }
  return group;
}

/** @param {LabBench} bench */
function drawActions(bench) {
  const { made, actions, score } = bench.lab.header;
  const { words } = bench.outline;
  const { data } = bench;
  actions.hidden = !data.may;
  score.hidden = !data.view.predict || !data.score;
  if (!data.may) return;
  for (const kind of ["reveal_one", "reveal", "keep", "swap", "forget", "link"]) put(made[kind], words[`do_${kind}`]);
  put(made.reset, data.may.restart ? words.do_restart : words.do_reset);
  put(made.predict, data.view.predict ? words.do_predict_end : words.do_predict);
  made.predict.setAttribute("aria-pressed", String(data.view.predict));
  for (const { press, allowed } of [{ press: made.predict, allowed: data.may.predict }, { press: made.keep, allowed: data.may.compare }]) {
    press.hidden = allowed === "hidden";
    press.disabled = allowed === "locked";
  }
  made.reveal.hidden = made.reveal_one.hidden = !data.view.predict;
  if (data.score) put(score, fillIn(words.score, { right: data.score[0], tried: data.score[1] }));
  made.keep.hidden ||= data.compare !== undefined;
  made.forget.hidden = data.compare === undefined;
  made.swap.hidden = data.compare === undefined || data.compare.refused !== undefined;
}
