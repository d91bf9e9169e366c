// @ts-check
// The rail of steps, the choice of head and batch item, and the row of things to do.

/** @import { StageOutline } from "../message/message.js" */
/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element, fillIn, ownAddress, put, showSign } = await import(`../message/text.js${own}`);

const STEP_STAYS = 1800; // milliseconds a step stays while playing

/** @param {Bench} bench */
export function buildRail(bench) {
  const rail = element("nav", "rail");
  const back = button("walk", "\u2190", () => bench.walk(-1));
  const ahead = button("walk", "\u2192", () => bench.walk(1));
  const play = button("walk", "\u25B6", () => playOrPause(bench));
  const steps = element("ol");
  rail.append(back, ahead, play, steps);
  bench.root.append(rail);
  /** @type {Map<string, ReturnType<typeof stageButton>>} */
  const buttons = new Map();
  return { rail, back, ahead, play, steps, buttons, shown: "" };
}

/** @param {Bench} bench */
export function drawRail(bench) {
  const { rail, back, ahead, play, steps, buttons } = bench.rail;
  const { stages, words } = bench.outline;
  rail.hidden = !stages;
  if (!stages) return;
  rail.setAttribute("aria-label", words.steps);
  const place = bench.stagePlace();
  name(back, words.back);
  name(ahead, words.ahead);
  back.disabled = place === 0;
  ahead.disabled = place === stages.length - 1;
  name(play, bench.playing ? words.pause : words.play);
  showSign(play, bench.playing);
  const wanted = new Set(stages.map((stage) => stage.id));
  for (const [id, made] of buttons) if (!wanted.has(id)) made.item.remove(), buttons.delete(id);
  stages.forEach((stage, number) => {
    const made = buttons.get(stage.id) ?? stageButton(bench, stage);
    buttons.set(stage.id, made);
    const { item, press, title, shape } = made;
    if (steps.children[number] !== item) steps.insertBefore(item, steps.children[number] ?? null);
    put(title, stage.title);
    put(shape, stage.shape);
    if (number === place) press.setAttribute("aria-current", "step");
    else press.removeAttribute("aria-current");
    item.classList.toggle("done", number < place);
  });
  const shown = stages[place].id;
  const item = buttons.get(shown)?.item;
  if (item && bench.rail.shown !== shown) reveal(steps, item);
  bench.rail.shown = shown;
}

// The present step stays in sight where the rail is wider than the screen; the page itself does not move.
/** @param {HTMLElement} steps @param {HTMLElement} item */
function reveal(steps, item) {
  const [around, inside] = [steps.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inside.left < around.left || inside.right > around.right) steps.scrollLeft += inside.left - around.left - around.width / 3;
}

/** @param {Bench} bench @param {StageOutline} stage */
function stageButton(bench, stage) {
  const item = element("li");
  const press = button("stage", undefined, () => bench.goTo(stage.id));
  const title = element("span", "title");
  const shape = element("span", "shape");
  press.append(title, " ", shape);
  item.append(press);
  return { item, press, title, shape };
}

/** @param {HTMLElement} made @param {string} label */
function name(made, label) {
  made.setAttribute("aria-label", label);
  made.title = label;
}

// While playing, only the last step is told to the server: the way there is not worth a place in the history.
/** @param {Bench} bench */
function playOrPause(bench) {
  if (bench.playing) return stop(bench);
  const next = () => bench.outline.stages?.[bench.stagePlace() + 1];
  const playing = setInterval(() => {
    const stage = next();
    if (!bench.root.isConnected) clearInterval(playing);
    else if (stage) bench.show(stage.id);
    else stop(bench);
  }, STEP_STAYS);
  bench.playing = playing;
  if (!next() && bench.outline.stages) bench.show(bench.outline.stages[0].id);
  else bench.draw();
}

/** @param {Bench} bench */
export function stop(bench) {
  if (!bench.playing) return;
  clearInterval(bench.playing);
  bench.playing = null;
  bench.acts.add("step", bench.step);
  bench.draw();
}

/** @param {Bench} bench */
export function buildChoosers(bench) {
  const choosers = element("div", "choosers");
  bench.tools.append(choosers);
  /** @type {Map<string, { group: HTMLElement, count: number, label: string }>} */
  const made = new Map();
  return { choosers, made, all: /** @type {ReturnType<typeof allHeads> | null} */ (null) };
}

// Batch item and head, where there is more than one; all heads side by side where they are few.
/** @param {Bench} bench */
export function drawChoosers(bench) {
  const { choosers } = bench.choosers;
  const { view } = bench.data;
  const { words } = bench.outline;
  choosers.hidden = view.heads === 1 && view.batches === 1;
  if (choosers.hidden || !bench.outline.stages) return (choosers.hidden = true);
  chooser(bench, "batch", words.batch, view.batches, view.batch);
  chooser(bench, "head", words.head, view.all ? 1 : view.heads, view.head);
  bench.choosers.all ??= allHeads(bench);
  const { all } = bench.choosers;
  all.label.hidden = view.heads === 1 || view.heads > 8 || Boolean(bench.data.offline);
  all.box.checked = view.all;
  put(all.text, words.all_heads);
}

/** @param {Bench} bench */
function allHeads(bench) {
  const label = element("label", "switch");
  const box = element("input");
  box.type = "checkbox";
  box.addEventListener("change", () => bench.acts.add("all_heads", box.checked));
  const text = element("span");
  label.append(box, text);
  bench.choosers.choosers.append(label);
  return { label, box, text };
}

/** @param {Bench} bench @param {string} kind @param {string} label @param {number} count @param {number} chosen */
function chooser(bench, kind, label, count, chosen) {
  const { choosers, made } = bench.choosers;
  const known = made.get(kind) ?? { group: element("div", "chooser"), count: 0, label: "" };
  if (!made.has(kind)) {
    known.group.setAttribute("role", "group");
    choosers.append(known.group);
    made.set(kind, known);
  }
  known.group.hidden = count === 1;
  known.group.setAttribute("aria-label", label);
  if (known.count !== count || known.label !== label) {
    Object.assign(known, { count, label });
    known.group.replaceChildren(element("span", "label", label), ...choices(bench, kind, count));
  }
  const select = known.group.querySelector("select");
  if (select) select.value = String(chosen);
  known.group.querySelectorAll("button").forEach((press, place) => press.setAttribute("aria-pressed", String(place === chosen)));
}

// Few places are buttons, many a list.
/** @param {Bench} bench @param {string} kind @param {number} count */
function choices(bench, kind, count) {
  if (count <= 8) {
    return Array.from({ length: count }, (_, place) => button("choice", place, () => bench.acts.add(kind, place)));
  }
  const select = element("select");
  select.setAttribute("aria-label", bench.outline.words[kind]);
  for (let place = 0; place < count; place += 1) select.append(new Option(String(place), String(place)));
  select.addEventListener("change", () => bench.acts.add(kind, Number(select.value)));
  return [select];
}

/** @param {Bench} bench */
export function buildActions(bench) {
  const actions = element("div", "actions");
  /** @type {Record<string, HTMLButtonElement>} */
  const made = {};
  for (const kind of ["predict", "reveal_one", "reveal", "keep", "swap", "forget", "undo", "redo", "reset", "link"]) {
    made[kind] = button("action", undefined, () => act(bench, kind));
    actions.append(made[kind]);
  }
  const score = element("span", "score");
  made.predict.after(score);
  const how = element("p", "how");
  bench.tools.append(actions);
  return { actions, made, how, score };
}

/** @param {Bench} bench @param {string} kind */
async function act(bench, kind) {
  if (kind === "predict") bench.acts.add("predict", !bench.data.view.predict);
  else if (kind === "reveal_one") bench.guessedLast ? bench.acts.add("reveal", ...bench.guessedLast) : bench.say(bench.outline.words.choose_first);
  else if (kind === "link") {
    await copyText(ownAddress());
    bench.say(bench.outline.words.copied_link);
  } else bench.acts.add(kind);
}

/** @param {Bench} bench */
export function drawActions(bench) {
  const { actions, made, how, score } = bench.actions;
  const { words, stages } = bench.outline;
  const { data } = bench;
  actions.hidden = how.hidden = !stages || !data.may;
  if (actions.hidden || !data.may) return;
  put(how, words.how);
  for (const kind of ["reveal_one", "reveal", "keep", "swap", "forget", "undo", "redo", "link"]) put(made[kind], words[`do_${kind}`]);
  put(made.reset, data.may.restart ? words.do_restart : words.do_reset);
  put(made.predict, data.view.predict ? words.do_predict_end : words.do_predict);
  made.predict.setAttribute("aria-pressed", String(data.view.predict));
  for (const { press, allowed } of [{ press: made.predict, allowed: data.may.predict }, { press: made.keep, allowed: data.may.compare }]) {
    press.hidden = allowed === "hidden";
    press.disabled = allowed === "locked";
  }
  made.reveal.hidden = made.reveal_one.hidden = !data.view.predict;
  score.hidden = !data.view.predict || !data.score;
  if (data.score) put(score, fillIn(words.score, { right: data.score[0], tried: data.score[1] }));
  made.keep.hidden ||= data.compare !== undefined;
  made.forget.hidden = data.compare === undefined;
  made.swap.hidden = data.compare === undefined || data.compare.refused !== undefined;
  made.undo.disabled = !bench.acts.undo.length;
  made.redo.disabled = !bench.acts.redo.length;
}
