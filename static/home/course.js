// @ts-check
// The course in chapters: its lessons as links, what this browser has seen done of each, and where one left off.

/** @import { Card, Chapter } from "../message/message.js" */
/** @import { HomeBench } from "./home.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, pageLink } = await import(`../message/text.js${own}`);
/** @type {typeof import("./marks.js")} */
const { markOf } = await import(`./marks.js${own}`);
/** @type {typeof import("../state/progress.js")} */
const progress = await import(`../state/progress.js${own}`);
/** @type {typeof import("../state/tab.js")} */
const { forgetSections } = await import(`../state/tab.js${own}`);

const BESIDE = "beside"; // the chapter of what is no lesson

/** @param {HTMLElement} host */
export function buildCourse(host) {
  const section = element("section", "course");
  const title = element("h2");
  const start = element("span");
  section.id = "course";
  title.tabIndex = -1; // the way from the top of the page leads here
  host.append(section);
  return { section, title, start, shown: "" };
}

/** @param {HomeBench} bench */
export function drawCourse(bench) {
  const { course } = bench.home;
  const chapters = bench.data.course ?? [];
  const words = bench.data.home ?? {};
  const lessons = chapters.flatMap((chapter) => chapter.lessons);
  const done = new Map(lessons.map((lesson) => [lesson.id, doneOf(lesson)]));
  const shown = JSON.stringify([chapters, [...done], bench.data.language]);
  if (course.shown === shown) return;
  course.shown = shown;
  const next = nextOf(chapters, done);
  drawStart(bench, lessons[0], next, words);
  const total = [...done.values()].reduce((sum, one) => sum + one, 0);
  const all = lessons.reduce((sum, lesson) => sum + lesson.sections.length, 0);
  const top = element("div", "course-top");
  course.title.textContent = words.course_title;
  top.append(course.title, element("p", "", fillIn(words.course_done, { done: total, all })));
  if (total) top.append(button("forget", words.course_forget, () => forget(bench, lessons)));
  const list = element("div", "chapters");
  list.append(...chapters.map((chapter) => chapterOf(bench, chapter, done, next, words)));
  course.section.replaceChildren(top, list);
}

// The first way on: to the first lesson, or to where one left off.
/** @param {HomeBench} bench @param {Card} first @param {Card | null} next @param {Record<string, string>} words */
function drawStart(bench, first, next, words) {
  const text = next ? fillIn(words.go_on, { lesson: next.title }) : words.start;
  bench.home.course.start.replaceChildren(pageLink(bench, (next ?? first).id, text, "way-in main"));
}

/** @param {Card} lesson */
function doneOf({ id, sections }) {
  const done = progress.doneSections(id);
  return sections.filter((section) => done.includes(section)).length;
}

// The lesson in which something was done last, or if it is finished the next one that is not; null where nothing was done.
/** @param {Chapter[]} chapters @param {Map<string, number>} done @returns {Card | null} */
function nextOf(chapters, done) {
  const lessons = chapters.filter(({ id }) => id !== BESIDE).flatMap((chapter) => chapter.lessons);
  const last = lessons.findIndex(({ id }) => id === progress.lastLesson());
  /** @param {Card} lesson */
  const isOpen = ({ id, sections }) => (done.get(id) ?? 0) < sections.length;
  return last < 0 ? null : lessons.slice(last).find(isOpen) ?? lessons.find(isOpen) ?? null;
}

/**
 * @param {HomeBench} bench
 * @param {Chapter} chapter
 * @param {Map<string, number>} done
 * @param {Card | null} next
 * @param {Record<string, string>} words
 */
function chapterOf(bench, { id, title, lessons }, done, next, words) {
  const made = element("section", "chapter");
  const heading = element("h3", "", title);
  made.dataset.chapter = id;
  const list = element(id === BESIDE ? "ul" : "ol");
  if (id === BESIDE) list.append(entryOf(pageLink(bench, "lab", "", "page"), "", words.lab, words.lab_about));
  for (const lesson of lessons) {
    const link = pageLink(bench, lesson.id, "", id === BESIDE ? "page lesson-link" : "lesson-link");
    const entry = entryOf(link, id === BESIDE ? "" : String(lesson.number), lesson.title, id === BESIDE ? lesson.about : "");
    markProgress(link, lesson, done.get(lesson.id) ?? 0, words);
    if (lesson === next) link.classList.add("next");
    list.append(entry);
  }
  made.append(markOf(id), heading, list);
  return made;
}

/** @param {HTMLAnchorElement} link @param {string} number @param {string} title @param {string} about */
function entryOf(link, number, title, about) {
  const item = element("li");
  if (number) link.append(element("span", "number-of", number), " ");
  link.append(element("span", "title", title));
  item.append(link);
  if (about) item.append(element("p", "about", about));
  return item;
}

/** @param {HTMLAnchorElement} link @param {Card} lesson @param {number} done @param {Record<string, string>} words */
function markProgress(link, { sections }, done, words) {
  if (!done) return;
  const all = sections.length;
  const state = element("span", "state", done === all ? "\u2713" : fillIn(words.lesson_some, { done, all }));
  const said = element("span", "unseen", done === all ? words.lesson_done : fillIn(words.lesson_some_said, { done, all }));
  state.setAttribute("aria-hidden", "true");
  link.append(" ", state, said);
  link.classList.toggle("finished", done === all);
}

/** @param {HomeBench} bench @param {Card[]} lessons */
function forget(bench, lessons) {
  progress.forgetAll();
  forgetSections(lessons.map((lesson) => lesson.id)); // else a lesson would still know its answers
  drawCourse(bench);
  bench.home.course.title.focus();
}
