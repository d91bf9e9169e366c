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
const SIZES = [
  ...[[72, 58, 19], [66, 53, 18], [60, 48, 17.5], [54, 44, 17], [48, 40, 16], [44, 36, 15.5], [40, 33, 15]],
  ...[[36, 30, 14], [33, 27, 13.5], [30, 25, 13], [27, 22, 12.5]],
];
const READABLE = SIZES[7];
const LARGER = [1.5, 1.35, 1.2, 1.1]; // where the window is wider than a laptop's, and by no more than it is
const LAPTOP = 1280;
const SMALLEST_PLOT = 145; // pixels of its height
const LARGEST_PLOT = 560;
const SQUAT = 190; // from this height on a picture says something
const COLUMNS = 9; // that a phone has room for
const narrow = matchMedia("(max-width: 1000px)");

// Whether the stage stands above the words.
export const isNarrow = () => narrow.matches;

export function buildStage() {
  const host = element("section", "lesson-stage");
  const top = element("div", "stage-top");
  const floor = element("div", "floor");
  const rest = element("div", "blocks-place");
  host.append(top, floor);
  return { host, top, floor, rest, size: "", of: "", answered: "", fits: false, watched: false, crowded: "" };
}

/** @param {LessonBench} bench @param {SectionShown} told @param {boolean} isNew another section */
export function layStage(bench, told, isNew) {
  const { stage, knobs, blocks, telling } = bench.lesson;
  if (!stage.watched) arrange(bench);
  stage.host.setAttribute("aria-label", told.sections[told.place][1]);
  bench.root.classList.toggle("no-board", !bench.outline.matrices.length);
  knobs.hidden = !told.knobs.length;
  blocks.hidden = !told.blocks.length;
  hideRest(bench);
  const { picture } = bench.lesson;
  if (isNew) for (const part of [stage.floor, telling.body]) part.scrollTop = 0;
  stage.size ||= sizeOf(bench); // measured when it changes, not on every repaint
  const place = [bench.lesson.section, bench.data.language, stage.size];
  const said = JSON.stringify([...place, Boolean(told.why), telling.reread, telling.tried.hidden, told.tried, isNarrow() && told.ask]);
  if (telling.of !== said) fitWords(bench);
  telling.of = said;
  // A number that changes moves nothing, nor does what is said to an answer where there is room for it.
  const shown = JSON.stringify([...place, bench.data.outline, blocks.children.length, picture.host.hidden]);
  const answered = JSON.stringify([told.ask?.answered, told.ask?.given, bench.lesson.ask.helped]);
  const isFull = stage.answered !== answered && stage.fits && overflows(stage.floor);
  if (stage.of !== shown || isFull) fitStage(bench);
  Object.assign(stage, { of: shown, answered });
}

// Nothing beside the board leaves no gap.
/** @param {LessonBench} bench */
function hideRest({ lesson: { stage, knobs, blocks, picture } }) {
  stage.rest.hidden = knobs.hidden && blocks.hidden && picture.host.hidden;
}

// Once: the parts that the workbench made are put where a lesson shows them.
/** @param {LessonBench} bench */
function arrange(bench) {
  const { stage, knobs, blocks, telling } = bench.lesson;
  stage.watched = true;
  stage.rest.append(knobs, blocks, bench.lesson.picture.host);
  stage.floor.append(bench.choices.host, bench.columns, stage.rest);
  stage.host.append(bench.explained.aside);
  for (const part of [stage.floor, telling.body]) part.addEventListener("scroll", () => fade(part), { passive: true });
  const again = () => bench.root.isConnected && bench.outline && bench.draw();
  narrow.addEventListener("change", again);
  document.fonts.addEventListener("loadingdone", () => { // letters of another width: what fits is measured anew
    Object.assign(stage, { size: "", of: "", crowded: "" });
    again();
  });
  const watch = new ResizeObserver(() => {
    if (stage.size === sizeOf(bench)) return;
    stage.size = sizeOf(bench);
    requestAnimationFrame(again);
  });
  for (const part of [stage.host, bench.lesson.host]) watch.observe(part);
  // A phone's keyboard lies over the page: what is under the figure moves up.
  visualViewport?.addEventListener("resize", () => {
    const covered = isNarrow() && visualViewport && visualViewport.scale === 1 ? innerHeight - visualViewport.height : 0;
    bench.root.style.setProperty("--covered", `${Math.max(0, covered)}px`);
  });
}

// The room there is: of the stage, above the words of the whole lesson, since there it is as high as what it shows.
/** @param {LessonBench} bench */
function sizeOf({ lesson: { host, stage } }) {
  const { clientWidth, clientHeight } = isNarrow() ? host : stage.host;
  return `${clientWidth} ${clientHeight}`;
}
/** @param {HTMLElement} part */
const overflows = (part) => part.scrollHeight > part.clientHeight + 1;

// What scrolls is a stop of the Tab key, and fades where there is more below.
/** @param {HTMLElement} part */
function scrollByKey(part) {
  if (overflows(part)) part.tabIndex = 0;
  else part.removeAttribute("tabindex");
  fade(part);
}

/** @param {HTMLElement} part */
const fade = (part) => part.toggleAttribute("data-below", part.scrollHeight - part.clientHeight - part.scrollTop > 4);

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
  const plots = /** @type {Host[]} */ ([...floor.querySelectorAll(".block.plot:not([hidden]) .figure:not([hidden])")]);
  const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const { picture } = bench.lesson;
  const least = (/** @type {Host} */ plot) => (plot === picture.figure ? SQUAT : SMALLEST_PLOT) * unit;
  for (const plot of plots) room(plot, least(plot));
  const large = LARGER.filter((by) => by * unit <= innerWidth / LAPTOP).map((by) => SIZES[0].map((side) => side * by));
  const small = unit > 1 ? SIZES.slice(-3).map((size) => size.map((side) => side / unit)) : []; // rather than cut on a projector
  const sizes = [...large, ...SIZES, ...small];
  const ways = arrangementsOf(bench);
  const best = largest(floor, ways, sizes, unit, fits);
  if (!picture.host.hidden && best.at >= sizes.indexOf(READABLE) && !isNarrow()) { // no room: the matrices come first
    picture.host.hidden = true;
    picture.crowded = placeOf(bench);
    hideRest(bench);
    return fitStage(bench);
  }
  if (best.at === sizes.length && !isNarrow()) {
    const asked = floor.querySelector(".asked");
    if (asked) { // its question goes above the stage, where it is always in view
      stage.crowded = bench.lesson.section;
      asked.classList.remove("asked");
      stage.top.append(bench.lesson.ask.host);
      return fitStage(bench);
    }
    best.how = lowest(floor, ways, unit);
  }
  stage.fits = best.at < sizes.length;
  const scrolling = isNarrow() ? sizeOnPhone : () => ({ how: best.how, size: READABLE });
  const { how, size } = stage.fits ? { how: best.how, size: sizes[best.at] } : scrolling(bench, sizes, unit);
  floor.dataset.how = how;
  setSize(floor, size, unit);
  if (stage.fits) growPlots(floor, plots, unit);
  for (const plot of plots) heighten(plot);
  scrollByKey(floor);
  if (isNarrow()) floor.querySelector('[data-asked="open"], [data-asked="wrong"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The largest cells that pass, and the way in which they are: the plainest of those in which they are as large.
/**
 * @param {HTMLElement} floor @param {string[]} ways @param {number[][]} sizes @param {number} unit
 * @param {(floor: HTMLElement) => boolean} passes
 */
function largest(floor, ways, sizes, unit, passes) {
  let best = { at: sizes.length, how: "" };
  for (const how of ways) {
    floor.dataset.how = how;
    let [low, high] = [0, best.at - 1]; // the first that passes is between
    while (low <= high) {
      const middle = (low + high) >> 1;
      setSize(floor, sizes[middle], unit);
      if (passes(floor)) {
        best = { at: middle, how };
        high = middle - 1;
      } else low = middle + 1;
    }
  }
  return best;
}

// On a phone the matrices are in view and the rest scrolls under them; where they are too many for that, they scroll, too, and
// are seen in their whole width, if need be one under the other.
/** @param {LessonBench} bench @param {number[][]} sizes @param {number} unit */
function sizeOnPhone(bench, sizes, unit) {
  const { floor, rest } = bench.lesson.stage;
  const small = sizes.slice(sizes.indexOf(READABLE));
  if (bench.outline.matrices.length) {
    rest.hidden = true;
    const { at } = largest(floor, [""], small, unit, fits);
    hideRest(bench);
    if (at < small.length) return { how: "", size: small[at] };
  }
  for (const how of ["", "stacked"]) {
    const { at } = largest(floor, [how], small, unit, isWhole);
    if (at < small.length) return { how, size: small[at] };
  }
  return { how: "", size: READABLE };
}

// The section and the room it has: where a picture has none, it is not drawn again.
/** @param {LessonBench} bench */
export const placeOf = ({ lesson: { section, stage } }) => `${section} ${stage.host.clientWidth} ${stage.host.clientHeight}`;

// The arrangement that is least too high.
/** @param {HTMLElement} floor @param {string[]} ways @param {number} unit */
function lowest(floor, ways, unit) {
  setSize(floor, READABLE, unit);
  const heights = ways.map((how) => {
    floor.dataset.how = how;
    return floor.scrollHeight;
  });
  return ways[heights.indexOf(Math.min(...heights))];
}

/** @param {HTMLElement} floor @param {number[]} size @param {number} unit */
function setSize(floor, [width, height, letters], unit) {
  floor.style.setProperty("--cell", `${width * unit}px`);
  floor.style.setProperty("--cell-height", `${height * unit}px`);
  floor.style.setProperty("--cell-letters", `${letters * unit}px`);
}

// In which ways the parts may stand, the plainest first: the question beside or below the matrix it is asked of; blocks one
// under the other, beside the board, or side by side. The one in which cells are largest is taken.
/** @param {LessonBench} bench */
function arrangementsOf({ lesson: { stage, blocks, picture }, outline }) {
  if (isNarrow()) return [""];
  const asked = stage.floor.querySelector(".asked") ? ["", "below"] : [""];
  if (!blocks.children.length && picture.host.hidden) return asked;
  const ways = outline.matrices.length ? ["", "columns", "wrap"] : ["", "wrap"];
  return ways.flatMap((way) => asked.map((how) => `${way} ${how}`.trim()));
}

// Nothing is cut: not the stage, and no matrix in it.
/** @param {HTMLElement} floor */
function fits(floor) {
  if (overflows(floor) || floor.scrollWidth > floor.clientWidth + 1) return false;
  return [...floor.querySelectorAll(".matrix")].every((one) => one.scrollWidth <= one.clientWidth + 1);
}

// No matrix is cut at its side, but one of more columns than a phone has room for.
/** @param {HTMLElement} floor */
function isWhole(floor) {
  const few = [...floor.querySelectorAll(".matrix")].filter((one) => (one.querySelector("tbody tr")?.querySelectorAll("td").length ?? 0) <= COLUMNS);
  return few.every((one) => one.scrollWidth <= one.clientWidth + 1);
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
