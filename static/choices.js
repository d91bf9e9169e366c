// The choices above the board: example, heads, mask, scale, decimals. On a phone they fold away.

const own = new URL(import.meta.url).search;
const { button, element } = await import(`./text.js${own}`);

const FINER = ["free_mask", "left", "right", "own_scale"];

export function buildChoices(bench) {
  const head = element("header", "head");
  const title = element("h1");
  const panels = element("div", "panels");
  head.append(title, panels);
  const place = element("section", "choices");
  const fold = button("fold", undefined, () => {
    const open = place.classList.toggle("open");
    fold.setAttribute("aria-expanded", open);
  });
  fold.setAttribute("aria-expanded", false);
  const about = element("p", "about");
  const groups = element("div", "groups");
  // What depends on another choice stands in a line that is always there, so that nothing jumps.
  const line = element("div", "about-line");
  const finer = element("div", "groups finer");
  line.append(about, finer);
  place.append(fold, groups, line);
  bench.choices = { head, title, panels, place, fold, about, groups, finer, of: null, panelsOf: null };
  bench.root.append(head, place);
}

export function drawChoices(bench) {
  const { place, fold, about, groups, finer } = bench.choices;
  const { outline, data } = bench;
  drawHead(bench);
  place.hidden = !outline.choices;
  if (!outline.choices) return;
  fold.textContent = outline.words.settings;
  if (about.textContent !== outline.about) about.textContent = outline.about;
  const wanted = JSON.stringify(outline.choices);
  if (bench.choices.of !== wanted) {
    // A group that stays keeps its place and its focus.
    const focused = document.activeElement?.closest?.("[data-choice]")?.dataset;
    bench.choices.of = wanted;
    const made = outline.choices.map((choice) => [choice, groupOf(bench, choice)]);
    groups.replaceChildren(...made.filter(([choice]) => !FINER.includes(choice.id)).map(([, group]) => group));
    finer.replaceChildren(...made.filter(([choice]) => FINER.includes(choice.id)).map(([, group]) => group));
    if (focused) place.querySelector(`[data-choice="${focused.choice}"] [tabindex="0"]`)?.focus();
  }
  for (const choice of outline.choices) mark(place.querySelector(`[data-choice="${choice.id}"]`), data.choices[choice.id]);
}

// The name of the page, and what opens a panel above it.
function drawHead(bench) {
  const { head, title, panels } = bench.choices;
  const { data, outline } = bench;
  head.hidden = !data.panels;
  if (!data.panels) return;
  title.textContent = outline.words.title;
  const wanted = JSON.stringify(data.panels);
  if (bench.choices.panelsOf !== wanted) {
    bench.choices.panelsOf = wanted;
    panels.replaceChildren(...data.panels.map(([id, label]) => button("panel", label, () => bench.acts.add("panel", id))));
  }
  data.panels.forEach(([id, , locked], number) => {
    panels.children[number].setAttribute("aria-expanded", id === data.panel);
    panels.children[number].disabled = locked;
  });
}

function groupOf(bench, choice) {
  if (!choice.options) return numberOf(bench, choice);
  return choice.options.length > 8 ? listOf(bench, choice) : radiosOf(bench, choice);
}

function labelled(choice, tag) {
  const group = element(tag, "group");
  group.dataset.choice = choice.id;
  group.append(element("span", "label", choice.label));
  return group;
}

function listOf(bench, choice) {
  const group = labelled(choice, "label");
  const select = element("select");
  select.tabIndex = 0;
  select.disabled = choice.locked;
  select.setAttribute("aria-label", choice.label);
  choice.options.forEach(([id, label]) => select.append(new Option(label, id)));
  select.addEventListener("change", () => bench.acts.add("choose", choice.id, select.value));
  group.append(select);
  return group;
}

function numberOf(bench, choice) {
  const group = labelled(choice, "label");
  const input = element("input");
  Object.assign(input, { type: "number", min: choice.least, max: choice.most, step: choice.step, disabled: choice.locked, tabIndex: 0 });
  input.addEventListener("change", () => {
    const value = Math.min(choice.most, Math.max(choice.least, Number(input.value)));
    if (input.value !== "" && Number.isFinite(value)) bench.acts.add("choose", choice.id, choice.step < 1 ? value : Math.round(value));
  });
  group.append(input);
  return group;
}

// As a group of radio buttons: one stop for the Tab key, arrows choose.
function radiosOf(bench, choice) {
  const group = labelled(choice, "div");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", choice.label);
  const row = element("div", "radios");
  for (const [id, label, reason] of choice.options) {
    const press = button("radio", label, () => choose(bench, group, choice.id, id));
    press.setAttribute("role", "radio");
    press.value = JSON.stringify(id);
    if (reason) {
      press.setAttribute("aria-disabled", true);
      press.title = reason;
      press.setAttribute("aria-label", `${label}: ${reason}`);
    }
    press.disabled = choice.locked;
    row.append(press);
  }
  row.addEventListener("keydown", (event) => walk(event, row));
  group.append(row);
  return group;
}

function choose(bench, group, id, option) {
  const press = [...group.querySelectorAll("button")].find((one) => one.value === JSON.stringify(option));
  if (press.ariaDisabled === "true") return bench.say(press.title);
  mark(group, option); // at once; the server agrees a moment later
  bench.acts.add("choose", id, option);
}

function walk(event, row) {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const able = [...row.children].filter((press) => press.ariaDisabled !== "true" && !press.disabled);
  const next = able[(able.indexOf(event.target) + by + able.length) % able.length];
  next?.focus();
  next?.click();
}

function mark(group, value) {
  const select = group.querySelector("select");
  const input = group.querySelector("input");
  if (select && select.value !== value) select.value = value;
  if (input && document.activeElement !== input) input.value = value;
  for (const press of group.querySelectorAll("[role=radio]")) {
    const on = press.value === JSON.stringify(value);
    press.ariaChecked = on;
    press.tabIndex = on ? 0 : -1;
  }
}
