// @ts-check
// The stage of a section: the one place where it is laid out. The question, controls, matrices and blocks stand here, and
// cells are as large as fit.

/** @import { LessonBench } from "./lesson.js" */
/** @import { SectionShown } from "../message/message.js" */
/** @import { Host } from "../message/text.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const { heighten } = await import(`../figures/figures.js${own}`);

// Width, height and letters of cells in pixels of a laptop, the largest first.
const SIZES = [[72, 58, 19], [66, 53, 18], [60, 48, 17.5], [54, 44, 17], [48, 40, 16], [44, 36, 15.5], [40, 33, 15], [36, 30, 14], [33, 27, 13.5], [30, 25, 13]];
const LARGER = [1.5, 1.35, 1.2, 1.1]; // where there is more room than on a laptop
const SMALLEST_PLOT = 190; // pixels of its height
const LARGEST_PLOT = 560;
const narrow = matchMedia("(max-width: 1000px)");

// Whether the stage stands above the words.
export const isNarrow = () => narrow.matches;

export function buildStage() {
  const host = element("section", "lesson-stage");
  const top = element("div", "stage-top");
  const floor = element("div", "floor");
  host.append(top, floor);
  return { host, top, floor, of: "", watched: false };
}

/** @param {LessonBench} bench @param {SectionShown} told @param {boolean} isNew another section */
export function layStage(bench, told, isNew) {
  const { stage, knobs, blocks, telling } = bench.lesson;
  if (!stage.watched) arrange(bench);
  stage.host.setAttribute("aria-label", told.sections[told.place][1]);
  bench.root.classList.toggle("no-board", !bench.outline.matrices.length);
  knobs.hidden = !told.knobs.length;
  blocks.hidden = !told.blocks.length;
  if (isNew) for (const part of [stage.floor, telling.body]) part.scrollTop = 0;
  const { clientWidth, clientHeight } = stage.host;
  // What changes how much there is to show; a number that changes moves nothing.
  const wanted = JSON.stringify([bench.lesson.section, bench.data.outline, bench.data.language, clientWidth, clientHeight, told.ask?.answered, told.ask?.given, blocks.children.length, Boolean(told.why), telling.reread, bench.lesson.ask.helped]);
  if (stage.of === wanted) return;
  stage.of = wanted;
  fitWords(bench);
  fitStage(bench);
}

// Once: the parts that the workbench made are put where a lesson shows them.
/** @param {LessonBench} bench */
function arrange(bench) {
  const { stage, knobs, blocks } = bench.lesson;
  stage.watched = true;
  stage.floor.append(bench.choices.host, bench.columns, knobs, blocks);
  stage.host.append(bench.focus.aside);
  const again = () => bench.root.isConnected && bench.outline && bench.draw();
  narrow.addEventListener("change", again);
  let seen = "";
  new ResizeObserver(() => {
    const size = `${stage.host.clientWidth} ${stage.host.clientHeight}`;
    if (seen && seen !== size) requestAnimationFrame(again);
    seen = size;
  }).observe(stage.host);
  // A phone's keyboard lies over the page: what is under the figure moves up.
  visualViewport?.addEventListener("resize", () => {
    const covered = isNarrow() && visualViewport && visualViewport.scale === 1 ? innerHeight - visualViewport.height : 0;
    bench.root.style.setProperty("--covered", `${Math.max(0, covered)}px`);
  });
}

/** @param {HTMLElement} part */
const overflows = (part) => part.scrollHeight > part.clientHeight + 1;

// What scrolls is a stop of the Tab key.
/** @param {HTMLElement} part */
function scrollByKey(part) {
  if (overflows(part)) part.tabIndex = 0;
  else part.removeAttribute("tabindex");
}

// Longer texts are set smaller before they scroll.
/** @param {LessonBench} bench */
function fitWords(bench) {
  const { body } = bench.lesson.telling;
  for (const size of ["", "small", "smaller"]) {
    body.dataset.size = size;
    if (isNarrow() || !overflows(body)) break;
  }
  scrollByKey(body);
}

/** @param {LessonBench} bench */
function fitStage(bench) {
  const { stage } = bench.lesson;
  const { floor } = stage;
  const plots = /** @type {Host[]} */ ([...floor.querySelectorAll(".block.plot .figure")]);
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  for (const plot of plots) room(plot, SMALLEST_PLOT * unit);
  const large = isNarrow() ? [] : LARGER.map((by) => SIZES[0].map((side) => side * by));
  const sizes = [...large, ...SIZES];
  const arrangements = floor.querySelector(".asked") ? ["beside", "below"] : [""];
  let best = { at: sizes.length, how: arrangements[0] };
  for (const how of arrangements) {
    floor.dataset.how = how;
    let [low, high] = [0, best.at - 1]; // the first that fits is between
    while (low <= high) {
      const middle = (low + high) >> 1;
      setSize(floor, sizes[middle], unit);
      if (fits(floor)) {
        best = { at: middle, how };
        high = middle - 1;
      } else low = middle + 1;
    }
  }
  floor.dataset.how = best.how;
  setSize(floor, sizes[best.at] ?? (isNarrow() ? SIZES[7] : SIZES[6]), unit); // what does not fit scrolls, and is readable
  if (plots.length && best.at < sizes.length) growPlots(floor, plots, unit);
  for (const plot of plots) heighten(plot);
  scrollByKey(floor);
}

/** @param {HTMLElement} floor @param {number[]} size @param {number} unit */
function setSize(floor, [width, height, letters], unit) {
  floor.style.setProperty("--cell", `${width * unit}px`);
  floor.style.setProperty("--cell-height", `${height * unit}px`);
  floor.style.setProperty("--cell-letters", `${letters * unit}px`);
}

// Nothing is cut: not the stage, and no matrix in it.
/** @param {HTMLElement} floor */
function fits(floor) {
  if (overflows(floor) || floor.scrollWidth > floor.clientWidth + 1) return false;
  return [...floor.querySelectorAll(".matrix")].every((one) => one.scrollWidth <= one.clientWidth + 1);
}

// What room is left goes to the figures.
/** @param {HTMLElement} floor @param {Host[]} plots @param {number} unit */
function growPlots(floor, plots, unit) {
  let [low, high] = [SMALLEST_PLOT * unit, LARGEST_PLOT * unit];
  while (high - low > 8) {
    const middle = (low + high) / 2;
    for (const plot of plots) room(plot, middle);
    if (overflows(floor)) high = middle;
    else low = middle;
  }
  for (const plot of plots) room(plot, Math.floor(low));
}

/** @param {Host} plot @param {number} height */
function room(plot, height) {
  plot.room = height;
  plot.style.height = plot.style.minHeight = `${height}px`;
}
