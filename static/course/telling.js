// @ts-check
// The words of a section, at the left: its text, then the reason in its place, what to try, and the way on.

/** @import { LessonBench } from "./lesson.js" */
/** @import { SectionShown } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);
/** @type {typeof import("./prose.js")} */
const { paragraphs } = await import(`./prose.js${own}`);

export function buildTelling() {
  const host = element("div", "telling");
  const body = element("div", "telling-body");
  const heading = element("h2");
  heading.tabIndex = -1;
  const text = element("div", "text");
  const why = element("section", "why");
  const tried = element("section", "try");
  const foot = element("div", "ways");
  body.append(heading, text, why, tried);
  host.append(body, foot);
  return { host, body, heading, text, why, tried, foot, reread: "", of: "" };
}

/** @param {LessonBench} bench @param {SectionShown} told */
export function drawTelling(bench, told) {
  const { telling, section, language } = bench.lesson;
  const [id, title] = told.sections[told.place];
  const wanted = JSON.stringify([told.place, title]);
  if (telling.heading.dataset.of !== wanted) {
    telling.heading.dataset.of = wanted;
    telling.heading.replaceChildren(element("span", "unseen", `${told.place + 1}. `), title);
    telling.heading.id = `section-${id}`;
  }
  if (telling.reread !== section || !told.why) telling.reread = "";
  telling.text.hidden = Boolean(told.why) && !telling.reread;
  drawText(bench, telling.text, told.text, language);
  drawWhy(bench, told);
  drawTry(bench, told);
  drawWays(bench, told);
}

// Words are written anew only when they have changed, so that the focus and what is pointed at stay.
/** @param {Bench} bench @param {HTMLElement} host @param {SectionShown["text"]} texts @param {string} language */
function drawText(bench, host, texts, language) {
  const wanted = JSON.stringify([texts, language]);
  if (host.dataset.of === wanted) return;
  host.dataset.of = wanted;
  host.replaceChildren(...paragraphs(bench, texts ?? []));
}

// What has the focus in a part that is drawn anew.
/** @param {HTMLElement} part */
export function focusWithin(part) {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && part.contains(activeElement) ? activeElement : null;
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawWhy(bench, told) {
  const { why, reread } = bench.lesson.telling;
  const { words } = bench.outline;
  const wanted = JSON.stringify([told.place, told.why, told.changed, reread, bench.data.language]);
  if (why.dataset.of === wanted) return;
  const focused = focusWithin(why) !== null;
  why.dataset.of = wanted;
  why.classList.toggle("shown", Boolean(told.why) && !reread);
  if (!told.why) return why.replaceChildren(button("show", words.show_why, () => bench.acts.add("show")));
  const turn = button("show", reread ? words.show_why : words.to_text, () => {
    bench.lesson.telling.reread = reread ? "" : bench.lesson.section;
    bench.draw();
  });
  if (reread) why.replaceChildren(turn);
  else {
    const changed = told.changed ? [element("p", "changed", words.numbers_changed)] : [];
    why.replaceChildren(element("h3", "", words.why), ...paragraphs(bench, told.why), ...changed, turn);
  }
  if (focused) turn.focus();
}

// While the matrix that is asked about is covered, there is nothing in it to try.
/** @param {LessonBench} bench @param {SectionShown} told */
function drawTry(bench, told) {
  const { tried } = bench.lesson.telling;
  const { words } = bench.outline;
  tried.hidden = !told.try || Boolean(bench.data.covered?.length);
  if (!told.try || tried.hidden) return;
  const wanted = JSON.stringify([told.try, told.tried, bench.data.language]);
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
function drawWays(bench, told) {
  const { foot } = bench.lesson.telling;
  const { words } = bench.outline;
  const last = told.place === told.sections.length - 1;
  const wanted = JSON.stringify([told.id, told.place, told.lab, bench.data.language]);
  if (foot.dataset.of === wanted) return;
  const focused = focusWithin(foot)?.dataset.way;
  foot.dataset.of = wanted;
  /** @type {HTMLElement[]} */
  const made = [];
  /** @param {string} name @param {string} label @param {string} kind @param {...any} details */
  const way = (name, label, kind, ...details) => {
    const press = button(name === "next" ? "way next" : "way", label, () => bench.acts.add(kind, ...details));
    press.dataset.way = name;
    made.push(press);
  };
  if (!last) way("next", words.section_next, "section", told.place + 1);
  else if (!bench.data.offline) way("next", told.next === "home" ? words.to_course : words.lesson_next, "go", told.next);
  if (told.place) way("before", words.section_before, "section", told.place - 1);
  if (told.lab) way("lab", words.open_in_lab, "go", "lab");
  foot.replaceChildren(...made);
  made.find((press) => focused && press.dataset.way === focused)?.focus();
}

// On to the next section.
/** @param {LessonBench} bench */
export const wayOn = (bench) => /** @type {HTMLButtonElement | null} */ (bench.lesson.telling.foot.querySelector(".next"));
