// @ts-check
// The header of a lesson: the way to the course, the lesson's title, what is needed seldom under one button, and a line in
// as many parts as there are sections.

/** @import { LessonBench } from "./lesson.js" */
/** @import { SectionShown } from "../message/message.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);

export function buildHeader() {
  const host = element("header", "lesson-head");
  const title = element("h1");
  const count = element("span", "count");
  const course = element("span", "course-way");
  const more = button("more", "\u22EF", () => {});
  const menu = element("div", "menu");
  const ways = element("div", "menu-ways");
  menu.append(ways);
  menu.popover = "auto";
  more.popoverTargetElement = menu;
  more.setAttribute("aria-expanded", "false");
  menu.addEventListener("toggle", (event) => more.setAttribute("aria-expanded", String(/** @type {ToggleEvent} */ (event).newState === "open")));
  menu.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button")) menu.hidePopover();
  });
  const top = element("div", "lesson-top");
  const sections = element("ol", "sections");
  top.append(course, title, count, more, menu);
  host.append(top, sections);
  return { host, title, count, course, more, menu, ways, sections, panel: "" };
}

/** @param {LessonBench} bench @param {SectionShown} told @param {string[]} before the sections that are done */
export function drawHeader(bench, told, before) {
  const { header } = bench.lesson;
  const { words } = bench.outline;
  const named = JSON.stringify([told.id, told.title, bench.data.language]);
  if (header.course.dataset.of !== named) {
    header.course.dataset.of = named;
    const home = button("link", words.to_course, () => bench.acts.add("go", "home"));
    header.course.replaceChildren(home);
    const number = element("span", "number", told.number);
    number.setAttribute("aria-label", fillIn(words.lesson_number, { number: told.number }));
    number.setAttribute("role", "img");
    header.title.replaceChildren(number, " ", told.title);
    header.more.setAttribute("aria-label", words.others);
    header.more.title = words.others;
  }
  put(header.count, fillIn(words.present_place, { place: told.place + 1, all: told.sections.length }));
  if (bench.corner.host.parentElement !== header.menu) header.menu.append(bench.corner.host);
  const wasOpen = header.panel;
  header.panel = bench.data.panel ?? "";
  if (wasOpen && !header.panel && document.activeElement === document.body) header.more.focus(); // from where it was opened
  drawMenu(bench, told);
  drawSections(bench, told, before);
}

/** @param {LessonBench} bench @param {SectionShown} told */
function drawMenu(bench, told) {
  const { ways } = bench.lesson.header;
  const { words } = bench.outline;
  const wanted = JSON.stringify([bench.data.language, told.restart, told.confusion, bench.data.offline]);
  if (ways.dataset.of === wanted) return;
  ways.dataset.of = wanted;
  const made = [button("way", told.restart ? words.do_restart : words.section_anew, () => bench.acts.add("reset"))];
  if (told.confusion) made.push(button("way", words.confusion_in_lab, () => bench.acts.add("go", "confusion")));
  ways.replaceChildren(...made);
}

/** @param {LessonBench} bench @param {SectionShown} told @param {string[]} before */
function drawSections(bench, told, before) {
  const { sections } = bench.lesson.header;
  const { words } = bench.outline;
  const wanted = JSON.stringify([told.sections, told.place, before]);
  if (sections.dataset.of === wanted) return;
  const focused = sections.contains(document.activeElement);
  sections.dataset.of = wanted;
  sections.setAttribute("aria-label", words.sections);
  const made = told.sections.map(([id, name], place) => {
    const item = element("li");
    const done = before.includes(id);
    const press = button("section", undefined, () => bench.acts.add("section", place));
    press.setAttribute("aria-label", fillIn(done ? words.section_done : words.section, { number: place + 1, title: name }));
    press.title = `${place + 1}. ${name}${done ? " \u2713" : ""}`;
    if (place === told.place) press.setAttribute("aria-current", "step");
    press.classList.toggle("done", done);
    item.append(press);
    return item;
  });
  sections.replaceChildren(...made);
  /** @type {HTMLElement | null} */
  const current = sections.querySelector("[aria-current]");
  if (focused) current?.focus();
}
