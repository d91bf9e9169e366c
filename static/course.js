// The course on the home page: a card for each lesson, with what this browser has seen done of it.

const own = new URL(import.meta.url).search;
const [{ button, element, fillIn }, progress] = await Promise.all(["text", "progress"].map((file) => import(`./${file}.js${own}`)));

export function drawCourse(bench) {
  const { course } = bench.data;
  const { words } = bench.outline;
  const done = course.map((lesson) => lesson.moments.filter((id) => progress.doneMoments(lesson.id).includes(id)).length);
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
  const all = course.reduce((sum, lesson) => sum + lesson.moments.length, 0);
  const top = element("div", "course-top");
  top.append(element("h2", "", words.course), element("p", "", fillIn(words.course_done, { done: total, all })));
  if (total) top.append(button("forget", words.course_forget, () => forget(bench)));
  bench.course.replaceChildren(top, list);
}

function cardOf(bench, lesson, done) {
  const { words } = bench.outline;
  const item = element("li");
  const card = element("a", "card");
  card.href = new URL(lesson.address, document.baseURI).href; // also for a new tab
  card.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    bench.acts.add("go", lesson.id);
  });
  const all = lesson.moments.length;
  const bar = element("span", "bar");
  for (let place = 0; place < all; place += 1) bar.append(element("span", place < done ? "done" : ""));
  const state = done === all ? words.card_done : done ? fillIn(words.card_some, { done, all }) : fillIn(words.card_none, { all });
  card.append(element("span", "number", lesson.number), element("span", "title", lesson.title), element("span", "about", lesson.about), bar, element("span", "state", state));
  card.classList.toggle("finished", done === all);
  item.append(card);
  return item;
}

function forget(bench) {
  progress.forgetAll();
  bench.acts.add("forget"); // else a lesson that this session has seen done would say so again
  drawCourse(bench);
  bench.course.querySelector("a").focus();
}
