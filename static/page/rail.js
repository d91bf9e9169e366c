// The rail of steps, the choice of head and batch item, and the row of things to do.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, copyText, element, fillIn, ownAddress, showSign } = await import(`../message/text.js${own}`);

const STEP_STAYS = 1800; // milliseconds a step stays while playing

export function buildRail(bench) {
  const rail = element("nav", "rail");
  const back = button("walk", "\u2190", () => bench.walk(-1));
  const ahead = button("walk", "\u2192", () => bench.walk(1));
  const play = button("walk", "\u25B6", () => playOrPause(bench));
  const steps = element("ol");
  rail.append(back, ahead, play, steps);
  bench.rail = { rail, back, ahead, play, steps, buttons: new Map() };
  bench.root.append(rail);
}

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
    if (!buttons.has(stage.id)) buttons.set(stage.id, stageButton(bench, stage));
    const { item, press, title, shape } = buttons.get(stage.id);
    if (steps.children[number] !== item) steps.insertBefore(item, steps.children[number] ?? null);
    title.textContent = stage.title;
    shape.textContent = stage.shape;
    if (number === place) press.setAttribute("aria-current", "step");
    else press.removeAttribute("aria-current");
    item.classList.toggle("done", number < place);
  });
  if (bench.rail.shown !== stages[place].id) reveal(steps, buttons.get(stages[place].id).item);
  bench.rail.shown = stages[place].id;
}

// The present step stays in sight where the rail is wider than the screen; the page itself does not move.
function reveal(steps, item) {
  const [around, inside] = [steps.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inside.left < around.left || inside.right > around.right) steps.scrollLeft += inside.left - around.left - around.width / 3;
}

function stageButton(bench, stage) {
  const item = element("li");
  const press = button("stage", undefined, () => bench.goTo(stage.id));
  const title = element("span", "title");
  const shape = element("span", "shape");
  press.append(title, " ", shape);
  item.append(press);
  return { item, press, title, shape };
}

function name(made, label) {
  made.setAttribute("aria-label", label);
  made.title = label;
}

// While playing, only the last step is told to the server: the way there is not worth a place in the history.
function playOrPause(bench) {
  if (bench.playing) return stop(bench);
  bench.playing = setInterval(() => {
    if (!bench.root.isConnected) return clearInterval(bench.playing);
    if (bench.stagePlace() === bench.outline.stages.length - 1) return stop(bench);
    bench.show(bench.outline.stages[bench.stagePlace() + 1].id);
  }, STEP_STAYS);
  if (bench.stagePlace() === bench.outline.stages.length - 1) bench.show(bench.outline.stages[0].id);
  else bench.draw();
}

export function stop(bench) {
  if (!bench.playing) return;
  clearInterval(bench.playing);
  bench.playing = null;
  bench.acts.add("step", bench.step);
  bench.draw();
}

export function buildChoosers(bench) {
  const choosers = element("div", "choosers");
  bench.choosers = { choosers, made: new Map() };
  bench.tools.append(choosers);
}

// Batch item and head, where there is more than one; all heads side by side where they are few.
export function drawChoosers(bench) {
  const { choosers } = bench.choosers;
  const { view } = bench.data;
  const { words } = bench.outline;
  choosers.hidden = view.heads === 1 && view.batches === 1;
  if (choosers.hidden || !bench.outline.stages) return (choosers.hidden = true);
  chooser(bench, "batch", words.batch, view.batches, view.batch);
  chooser(bench, "head", words.head, view.all ? 1 : view.heads, view.head);
  let all = bench.choosers.all;
  if (!all) {
    const label = element("label", "switch");
    const box = element("input");
    box.type = "checkbox";
    box.addEventListener("change", () => bench.acts.add("all_heads", box.checked));
    const text = element("span");
    label.append(box, text);
    choosers.append(label);
    all = bench.choosers.all = { label, box, text };
  }
  all.label.hidden = view.heads === 1 || view.heads > 8 || Boolean(bench.data.offline);
  all.box.checked = view.all;
  all.text.textContent = words.all_heads;
}

function chooser(bench, kind, label, count, chosen) {
  const { choosers, made } = bench.choosers;
  if (!made.has(kind)) {
    const group = element("div", "chooser");
    group.setAttribute("role", "group");
    choosers.append(group);
    made.set(kind, { group, count: 0 });
  }
  const known = made.get(kind);
  known.group.hidden = count === 1;
  known.group.setAttribute("aria-label", label);
  if (known.count !== count || known.label !== label) {
    Object.assign(known, { count, label });
    known.group.replaceChildren(element("span", "label", label), ...choices(bench, kind, count));
  }
  const select = known.group.querySelector("select");
  if (select) select.value = chosen;
  known.group.querySelectorAll("button").forEach((press, place) => press.setAttribute("aria-pressed", place === chosen));
}

// Few places are buttons, many a list.
function choices(bench, kind, count) {
  if (count <= 8) {
    return Array.from({ length: count }, (_, place) => button("choice", place, () => bench.acts.add(kind, place)));
  }
  const select = element("select");
  select.setAttribute("aria-label", bench.outline.words[kind]);
  for (let place = 0; place < count; place += 1) select.append(new Option(place, place));
  select.addEventListener("change", () => bench.acts.add(kind, Number(select.value)));
  return [select];
}

export function buildActions(bench) {
  const actions = element("div", "actions");
  const made = {};
  for (const kind of ["predict", "reveal_one", "reveal", "keep", "swap", "forget", "undo", "redo", "reset", "link"]) {
    made[kind] = button("action", undefined, () => act(bench, kind));
    actions.append(made[kind]);
  }
  made.score = element("span", "score");
  made.predict.after(made.score);
  const how = element("p", "how");
  bench.actions = { actions, made, how };
  bench.tools.append(actions);
}

async function act(bench, kind) {
  if (kind === "predict") bench.acts.add("predict", !bench.data.view.predict);
  else if (kind === "reveal_one") bench.guessedLast ? bench.acts.add("reveal", ...bench.guessedLast) : bench.say(bench.outline.words.choose_first);
  else if (kind === "link") {
    await copyText(ownAddress());
    bench.say(bench.outline.words.copied_link);
  } else bench.acts.add(kind);
}

export function drawActions(bench) {
  const { actions, made, how } = bench.actions;
  const { words, stages } = bench.outline;
  const { data } = bench;
  actions.hidden = how.hidden = !stages || data.may === undefined;
  if (actions.hidden) return;
  how.textContent = words.how;
  for (const kind of ["reveal_one", "reveal", "keep", "swap", "forget", "undo", "redo", "link"]) made[kind].textContent = words[`do_${kind}`];
  made.reset.textContent = data.may.restart ? words.do_restart : words.do_reset;
  made.predict.textContent = data.view.predict ? words.do_predict_end : words.do_predict;
  made.predict.setAttribute("aria-pressed", data.view.predict);
  for (const [kind, allowed] of [["predict", data.may.predict], ["keep", data.may.compare]]) {
    made[kind].hidden = allowed === "hidden";
    made[kind].disabled = allowed === "locked";
  }
  made.reveal.hidden = made.reveal_one.hidden = !data.view.predict;
  made.score.hidden = !data.view.predict || !data.score;
  if (data.score) made.score.textContent = fillIn(words.score, { right: data.score[0], tried: data.score[1] });
  made.keep.hidden ||= data.compare !== undefined;
  made.forget.hidden = data.compare === undefined;
  made.swap.hidden = data.compare === undefined || data.compare.refused !== undefined;
  made.undo.disabled = !bench.acts.undo.length;
  made.redo.disabled = !bench.acts.redo.length;
}
