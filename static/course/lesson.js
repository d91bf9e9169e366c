// @ts-check
// A lesson beside the board: the section's words, its question, its controls, and the way through the lesson.

/** @import { Ask, SectionShown } from "../message/message.js" */
/** @import { Bench, PageData } from "../page/bench.js" */

/** @typedef {ReturnType<typeof buildLesson>} Lesson */
/** @typedef {Bench & { lesson: Lesson, data: PageData & { lesson: SectionShown } }} LessonBench */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("./prose.js")} */
const { paragraphs } = await import(`./prose.js${own}`);
/** @type {typeof import("./blocks.js")} */
const { drawBlocks } = await import(`./blocks.js${own}`);
/** @type {typeof import("../state/progress.js")} */
const progress = await import(`../state/progress.js${own}`);
/** @type {typeof import("./knobs.js")} */
const { drawKnobs } = await import(`./knobs.js${own}`);

export const { doneSections } = progress;

/** @param {HTMLElement} root */
export function buildLesson(root) {
  const host = element("section", "lesson");
  const parts = {
    top: element("p", "lesson-top"),
    title: element("h1"),
    dots: element("ol", "sections"),
    heading: element("h2"),
    text: element("div", "text"),
    ask: element("section", "ask"),
    tried: element("section", "try"),
    why: element("section", "why"),
    ways: element("div", "ways"),
  };
  host.append(...Object.values(parts));
  const knobs = element("div", "knobs");
  const blocks = element("div", "blocks");
  knobs.hidden = blocks.hidden = true;
  root.append(host);
  const playing = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined); // of a slider
  return { host, ...parts, knobs, blocks, playing, section: "", language: "" };
}

/** @param {LessonBench} bench */
export function drawLesson(bench) {
  const { lesson, data } = bench;
  const told = data.lesson;
  bench.root.classList.add("in-lesson");
  if (lesson.language !== data.language) {
    lesson.language = data.language;
    for (const part of lesson.host.children) part.removeAttribute("data-of"); // all of it is written anew
  }
  bench.root.classList.toggle("no-board", !bench.outline.matrices.length);
  if (told.done) progress.markDone(told.id, told.sections[told.place][0]);
  const before = progress.doneSections(told.id);
  drawTop(bench, told, before);
  const section = `${told.id} ${told.place}`;
  const arrived = lesson.section !== "" && lesson.section !== section;
  lesson.section = section;
  drawText(bench, lesson.text, told.text);
  drawAsk(bench, told);
  drawTry(bench, told);
  drawWhy(bench, told);
  drawWays(bench, told);
  drawKnobs(bench, told.knobs);
  drawBlocks(bench, lesson.blocks, told.blocks);
  if (arrived) {
    lesson.heading.focus({ preventScroll: true });
    lesson.host.scrollIntoView({ block: "start" });
  }
  if (told.working) setTimeout(() => bench.root.isConnected && !bench.acts.waiting.length && bench.acts.add("more"));
}

/** @param {LessonBench} bench @param {SectionShown} told @param {string[]} before */
function drawTop(bench, told, before) {
  const { lesson } = bench;
  const { words } = bench.outline;
  const [id, title] = told.sections[told.place];
  if (lesson.top.dataset.of !== told.id) {
    lesson.top.dataset.of = told.id;
    const home = button("link", words.to_course, () => bench.acts.add("go", "home"));
    lesson.top.replaceChildren(home, element("span", "number", fillIn(words.lesson_number, { number: told.number })));
  }
  if (lesson.title.textContent !== told.title) lesson.title.textContent = told.title;
  const heading = `${told.place + 1}. ${title}`;
  if (lesson.heading.textContent !== heading) lesson.heading.textContent = heading;
  lesson.heading.tabIndex = -1;
  lesson.heading.id = `section-${id}`;
  const wanted = JSON.stringify([told.sections, told.place, before]);
  if (lesson.dots.dataset.of === wanted) return;
  const focused = lesson.dots.contains(document.activeElement);
  lesson.dots.dataset.of = wanted;
  lesson.dots.setAttribute("aria-label", words.sections);
  const made = told.sections.map(([own, name], place) => {
    const item = element("li");
    const done = before.includes(own);
    const press = button("section", done ? "\u2713" : place + 1, () => bench.acts.add("section", place));
    press.setAttribute("aria-label", fillIn(done ? words.section_done : words.section, { number: place + 1, title: name }));
    press.title = name;
    if (place === told.place) press.setAttribute("aria-current", "step");
    press.classList.toggle("done", done);
    item.append(press);
    return item;
  });
  lesson.dots.replaceChildren(...made);
  /** @type {HTMLElement | null} */
  const current = lesson.dots.querySelector("[aria-current]");
  if (focused) current?.focus();
}

// Words are written anew only when they have changed, so that the focus and what is pointed at stay.
/** @param {Bench} bench @param {HTMLElement} host @param {SectionShown["text"]} texts */
function drawText(bench, host, texts) {
  const wanted = JSON.stringify(texts);
  if (host.dataset.of === wanted) return;
  host.dataset.of = wanted;
  host.replaceChildren(...paragraphs(bench, texts ?? []));
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawAsk(bench, told) {
  const { ask } = bench.lesson;
  const { words } = bench.outline;
  ask.hidden = !told.ask;
  if (!told.ask) return;
  const wanted = JSON.stringify([told.place, told.ask]);
  if (ask.dataset.of === wanted) return;
  const focus = focusWithin(ask)?.dataset.part;
  const about = `${bench.lesson.section} ${told.ask.about}`;
  const isSame = ask.dataset.about === about; // the question that was there before
  const beganAnew = ask.dataset.given !== undefined && told.ask.given === undefined; // so the answer is gone, too
  const typed = isSame && !beganAnew ? ask.querySelector("input")?.value : undefined;
  ask.dataset.of = wanted;
  ask.dataset.about = about;
  if (told.ask.given === undefined) delete ask.dataset.given;
  else ask.dataset.given = told.ask.given;
  /** @type {HTMLElement[]} */
  const parts = [element("h3", "", words.predict_first), ...paragraphs(bench, told.ask.text)];
  parts.push(told.ask.kind === "choice" ? optionsOf(bench, told.ask) : fieldOf(bench, told.ask, typed));
  const reply = replyOf(bench, told.ask);
  parts.push(reply);
  ask.replaceChildren(...parts);
  if (isSame && bench.isNews && (told.ask.given !== undefined || told.ask.answered)) bench.hear(wordsOf(reply));
  /** @type {HTMLElement | null} */
  const again = ask.querySelector(`[data-part="${focus}"]:not(:disabled)`);
  if (focus) (again ?? reply).focus();
}

// What has the focus in a part that is drawn anew.
/** @param {HTMLElement} part */
function focusWithin(part) {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && part.contains(activeElement) ? activeElement : null;
}

// What a reply says, without the button in it.
/** @param {HTMLElement} reply */
const wordsOf = (reply) => [...reply.childNodes].filter((node) => node.nodeName !== "BUTTON").map((node) => node.textContent).join("").trim();

/** @param {LessonBench} bench @param {Ask} ask */
function optionsOf(bench, ask) {
  const group = element("div", "options");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", bench.outline.words.answers);
  for (const [id, label] of ask.options ?? []) {
    const press = button("option", undefined, () => bench.acts.add("answer", id));
    press.append(label);
    press.dataset.part = `option-${id}`;
    press.setAttribute("aria-pressed", String(ask.given === id));
    if (ask.given === id) press.classList.add(ask.right ? "right" : "wrong");
    group.append(press);
  }
  return group;
}

/** @param {LessonBench} bench @param {Ask} ask @param {string} [typed] */
function fieldOf(bench, ask, typed) {
  const { words } = bench.outline;
  const form = element("form", "field");
  const input = element("input");
  Object.assign(input, { type: "text", inputMode: "text", autocomplete: "off", maxLength: 60 });
  input.value = typed ?? ask.given ?? "";
  input.dataset.part = "input";
  input.setAttribute("aria-label", words.your_answer);
  input.placeholder = ask.kind === "shape" ? "3\u00D75" : "";
  const check = button("check", words.check, () => {});
  check.type = "submit";
  check.dataset.part = "check";
  form.append(input, check);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) bench.acts.add("answer", input.value.trim());
  });
  return form;
}

/** @param {LessonBench} bench @param {Ask} ask */
function replyOf(bench, ask) {
  const { words } = bench.outline;
  const reply = element("p", "reply");
  reply.tabIndex = -1;
  if (ask.right) reply.append(element("strong", "verdict right", `\u2713 ${words.answer_right}`), ` ${ask.answer ?? ""}`);
  else if (ask.answered) reply.append(`${words.answer_is} `, element("strong", "", ask.answer));
  else {
    if (ask.given !== undefined) reply.append(element("strong", "verdict wrong", `\u2715 ${words.answer_wrong}`), ` ${ask.hint} `);
    const show = button("show", words.show_answer, () => bench.acts.add("show"));
    show.dataset.part = "show";
    reply.append(show);
  }
  return reply;
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawTry(bench, told) {
  const { tried } = bench.lesson;
  const { words } = bench.outline;
  tried.hidden = !told.try;
  if (!told.try) return;
  const wanted = JSON.stringify([told.try, told.tried]);
  if (tried.dataset.of === wanted) return;
  tried.dataset.of = wanted;
  const title = element("h3", "", words.try_it);
  const state = element("span", told.tried ? "state done" : "state", told.tried ? ` \u2713 ${words.tried}` : "");
  if (told.tried && tried.dataset.done === "no" && bench.isNews) bench.hear(`${words.try_it}: ${words.tried}`);
  tried.dataset.done = told.tried ? "yes" : "no";
  title.append(state);
  tried.replaceChildren(title, ...paragraphs(bench, told.try));
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawWhy(bench, told) {
  const { why } = bench.lesson;
  const { words } = bench.outline;
  const wanted = JSON.stringify([told.place, told.why, told.changed]);
  if (why.dataset.of === wanted) return;
  why.dataset.of = wanted;
  why.classList.toggle("shown", Boolean(told.why));
  const changed = told.changed ? [element("p", "changed", words.numbers_changed)] : [];
  if (told.why) return why.replaceChildren(element("h3", "", words.why), ...paragraphs(bench, told.why), ...changed);
  why.replaceChildren(button("show", words.show_why, () => bench.acts.add("show")));
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawWays(bench, told) {
  const { ways } = bench.lesson;
  const { words } = bench.outline;
  const last = told.place === told.sections.length - 1;
  const wanted = JSON.stringify([told.id, told.place, told.done, told.restart]);
  if (ways.dataset.of === wanted) return;
  const focused = focusWithin(ways)?.dataset.way;
  ways.dataset.of = wanted;
  /** @type {HTMLElement[]} */
  const made = [];
  /** @param {string} name @param {string} label @param {string} kind @param {...any} details */
  const way = (name, label, kind, ...details) => {
    const press = button(name === "next" ? "way next" : "way", label, () => bench.acts.add(kind, ...details));
    press.dataset.way = name;
    if (name === "next") press.classList.toggle("ready", told.done);
    made.push(press);
  };
  if (!last) way("next", words.section_next, "section", told.place + 1);
  else if (!bench.data.offline) way("next", told.next === "home" ? words.to_course : words.lesson_next, "go", told.next);
  if (told.place) way("before", words.section_before, "section", told.place - 1);
  way("anew", told.restart ? words.do_restart : words.section_anew, "reset");
  if (told.confusion) way("confusion", words.confusion_in_lab, "go", "confusion");
  if (told.lab) way("lab", words.open_in_lab, "go", "lab");
  ways.replaceChildren(...made);
  made.find((press) => focused && press.dataset.way === focused)?.focus();
}
