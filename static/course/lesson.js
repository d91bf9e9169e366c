// @ts-check
// A lesson: its words at the left, the stage beside them, and the way through its sections. Each part has a file of its own.

/** @import { SectionShown } from "../message/message.js" */
/** @import { Bench, PageData } from "../page/bench.js" */

/** @typedef {ReturnType<typeof buildLesson>} Lesson */
/** @typedef {Bench & { lesson: Lesson, data: PageData & { lesson: SectionShown } }} LessonBench */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../state/progress.js")} */
const progress = await import(`../state/progress.js${own}`);
/** @type {typeof import("./ask.js")} */
const { buildAsk, drawAsk } = await import(`./ask.js${own}`);
/** @type {typeof import("./blocks.js")} */
const { drawBlocks } = await import(`./blocks.js${own}`);
/** @type {typeof import("./header.js")} */
const { buildHeader, drawHeader } = await import(`./header.js${own}`);
/** @type {typeof import("./knobs.js")} */
const { drawKnobs } = await import(`./knobs.js${own}`);
/** @type {typeof import("./picture.js")} */
const { buildPicture, drawPicture } = await import(`./picture.js${own}`);
/** @type {typeof import("./stage.js")} */
const { buildStage, layStage } = await import(`./stage.js${own}`);
/** @type {typeof import("./telling.js")} */
const { buildTelling, drawTelling } = await import(`./telling.js${own}`);

export const { doneSections } = progress;

/** @param {HTMLElement} root */
export function buildLesson(root) {
  const host = element("section", "lesson");
  const header = buildHeader();
  const telling = buildTelling();
  const stage = buildStage();
  host.append(header.host, telling.host, stage.host);
  root.append(host);
  const picture = buildPicture();
  const knobs = element("div", "knob-bars");
  const blocks = element("div", "blocks");
  const playing = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined); // of a slider
  return { host, header, telling, stage, ask: buildAsk(), picture, knobs, blocks, playing, section: "", language: "" };
}

/** @param {LessonBench} bench */
export function drawLesson(bench) {
  const { lesson, data } = bench;
  const told = data.lesson;
  bench.root.classList.add("in-lesson");
  if (lesson.language !== data.language) {
    lesson.language = data.language;
    lesson.header.sections.removeAttribute("data-of"); // it is written anew
  }
  if (told.done) progress.markDone(told.id, told.sections[told.place][0]);
  const section = `${told.id} ${told.place}`;
  const arrived = lesson.section !== "" && lesson.section !== section;
  const isNew = lesson.section !== section;
  lesson.section = section;
  drawHeader(bench, told, progress.doneSections(told.id));
  drawTelling(bench, told);
  drawKnobs(bench, told.knobs);
  drawBlocks(bench, lesson.blocks, told.blocks);
  drawAsk(bench, told);
  drawPicture(bench);
  layStage(bench, told, isNew);
  lesson.ask.news?.scrollIntoView({ block: "nearest" });
  lesson.ask.news = null;
  if (arrived) lesson.telling.heading.focus({ preventScroll: true });
  if (told.working) setTimeout(() => bench.root.isConnected && !bench.acts.waiting.length && bench.acts.add("more"));
}
