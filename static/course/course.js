// @ts-check
// The course on the home page: a card for each lesson, with what this browser has seen done of it.

/** @import { Card } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, pageLink, prose } = await import(`../message/text.js${own}`);
/** @type {typeof import("../state/progress.js")} */
const progress = await import(`../state/progress.js${own}`);
/** @type {typeof import("../state/tab.js")} */
const { forgetSections } = await import(`../state/tab.js${own}`);

// What the page is, before the example.
/** @param {Bench} bench */
function drawWelcome(bench) {
  const home = bench.data.home ?? {};
  const wanted = JSON.stringify(home);
  if (!bench.welcome) {
    bench.welcome = element("header", "welcome");
    bench.corner.host.after(bench.welcome);
  }
  if (bench.welcome.dataset.of === wanted) return;
  bench.welcome.dataset.of = wanted;
  const toLab = pageLink(bench, "lab", home.to_lab);
  bench.welcome.replaceChildren(element("h1", "", home.title), element("p", "tagline", home.tagline), prose(home.lead), toLab);
}

/** @param {Bench} bench */
export function drawCourse(bench) {
  drawWelcome(bench);
  const course = bench.data.course ?? [];
  const { words } = bench.outline;
  const done = course.map((lesson) => lesson.sections.filter((id) => progress.doneSections(lesson.id).includes(id)).length);
  const wanted = JSON.stringify([course, done]);
  if (!bench.course) {
    bench.course = element("section", "course");
    bench.root.append(bench.course);
  }
  if (bench.course.dataset.of === wanted) return;
  bench.course.dataset.of = wanted;
  const list = element("ol", "cards");
  course.forEach((lesson, number) => list.append(cardOf(bench, lesson, done[number])));
  const total = done.reduce((sum, one) => sum + one, 0);
  const all = course.reduce((sum, lesson) => sum + lesson.sections.length, 0);
  const top = element("div", "course-top");
  top.append(element("h2", "", words.course), element("p", "", fillIn(words.course_done, { done: total, all })));
  if (total) top.append(button("forget", words.course_forget, () => forget(bench)));
  bench.course.replaceChildren(top, list);
}

/** @param {Bench} bench @param {Card} lesson @param {number} done */
function cardOf(bench, lesson, done) {
  const { words } = bench.outline;
  const item = element("li");
  const card = pageLink(bench, lesson.id, "", "card");
  const all = lesson.sections.length;
  const bar = element("span", "bar");
  for (let place = 0; place < all; place += 1) bar.append(element("span", place < done ? "done" : ""));
  const state = done === all ? words.card_done : done ? fillIn(words.card_some, { done, all }) : fillIn(words.card_none, { all });
  const { number, title, about } = lesson;
  const named = Object.entries({ number, title, about }).map(([name, text]) => element("span", name, text));
  card.append(...named, bar, element("span", "state", state));
  card.classList.toggle("finished", done === all);
  item.append(card);
  return item;
}

/** @param {Bench} bench */
function forget(bench) {
  progress.forgetAll();
  forgetSections((bench.data.course ?? []).map((lesson) => lesson.id)); // else a lesson would still know its answers
  drawCourse(bench);
  bench.course?.querySelector("a")?.focus();
}
