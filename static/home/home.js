// @ts-check
// Home: a sentence and where each of its words looks, with every number open; below it the course. Whatever is done is
// played here at once, on the last message (static/page/at_once.js).

/** @import { LiveOutline } from "../message/assemble.js" */
/** @import { Bench } from "../page/bench.js" */
/** @import { Trace } from "../engine/trace.js" */

/** @typedef {ReturnType<typeof buildHome>} Home */
/** @typedef {Bench & { home: Home }} HomeBench */

/**
 * What is seen: the words of the sentence, the one in focus, its weights in the head that is shown, and the word it looks
 * at most there.
 * @typedef {object} Seen
 * @property {string[]} names
 * @property {number} focus
 * @property {number} head
 * @property {number} heads
 * @property {number[]} weights
 * @property {number} most
 * @property {number} decimals
 * @property {Trace} trace
 * @property {Record<string, string>} words
 */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, pageLink, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/assemble.js")} */
const { givenOf, traceOf } = await import(`../message/assemble.js${own}`);
/** @type {typeof import("../state/address.js")} */
const { addressWith } = await import(`../state/address.js${own}`);
/** @type {typeof import("./look.js")} */
const { buildLook, drawLook } = await import(`./look.js${own}`);
/** @type {typeof import("./sentences.js")} */
const { sentencesOf } = await import(`./sentences.js${own}`);
/** @type {typeof import("./numbers.js")} */
const { buildNumbers, drawNumbers } = await import(`./numbers.js${own}`);
/** @type {typeof import("./steps.js")} */
const { buildSteps, drawSteps } = await import(`./steps.js${own}`);
/** @type {typeof import("./course.js")} */
const { buildCourse, drawCourse } = await import(`./course.js${own}`);

/** @param {Bench} bench */
export function buildHome(bench) {
  bench.root.classList.add("in-home");
  bench.root.closest("[data-sheet]")?.removeAttribute("data-sheet"); // no arithmetic lies over this page
  const brand = element("strong", "brand");
  const nav = element("nav");
  const host = element("div", "home");
  const lead = element("header", "lead");
  const title = element("h1");
  const about = element("p");
  const ways = element("p", "ways-in");
  const text = element("div");
  text.append(title, about);
  lead.append(text, ways);
  host.append(lead);
  bench.corner.host.prepend(brand, nav);
  bench.root.append(host);
  const look = buildLook(bench, host);
  const numbers = buildNumbers(bench, look.notes);
  const steps = buildSteps(bench, look.section);
  const course = buildCourse(host);
  return { host, brand, nav, title, about, ways, look, numbers, steps, course, shown: "", told: "" };
}

/** @param {Bench} bare */
export function drawHome(bare) {
  const bench = /** @type {HomeBench} */ (bare);
  const seen = seenOn(bench);
  drawTop(bench);
  drawLook(bench, seen);
  drawNumbers(bench, seen);
  drawSteps(bench, seen);
  drawCourse(bench);
  tell(bench, seen);
}

/** @param {HomeBench} bench @returns {Seen} */
function seenOn({ data, outline, given }) {
  const { focus, head, heads, decimals } = data.view;
  const place = outline.matrices.findIndex(({ id }) => id === "weights");
  const weights = data.values[place][focus].map(Number);
  const trace = traceOf(data.outline, /** @type {LiveOutline} */ (outline), given ?? givenOf(data, /** @type {LiveOutline} */ (outline)));
  const names = outline.matrices[place].columns ?? [];
  const most = weights.indexOf(Math.max(...weights));
  return { names, focus, head, heads, weights, most, decimals, trace, words: data.home ?? {} };
}

// What the page is, and the ways on from it: these change with the language and with what was done of the course.
/** @param {HomeBench} bench */
function drawTop(bench) {
  const { home } = bench;
  const words = bench.data.home ?? {};
  put(home.brand, words.title);
  put(home.title, words.tagline);
  put(home.about, words.lead);
  const wanted = bench.data.language;
  if (home.shown !== wanted) {
    home.shown = wanted;
    const toCourse = element("a", "page-link", words.course);
    toCourse.href = "#course";
    toCourse.addEventListener("click", (event) => {
      event.preventDefault(); // the address stays that of what is seen
      home.course.title.scrollIntoView({ block: "start" });
      home.course.title.focus({ preventScroll: true });
    });
    home.nav.replaceChildren(toCourse, pageLink(bench, "lab", words.lab), pageLink(bench, "heads", words.heads));
    home.ways.replaceChildren(toLab(bench, words.to_lab), home.course.start);
  }
  const link = /** @type {HTMLAnchorElement} */ (home.ways.firstElementChild);
  link.href = addressWith(bench.acts.link, "lab");
}

// The Lab with the numbers that stand here.
/** @param {HomeBench} bench @param {string} text */
function toLab(bench, text) {
  const link = element("a", "way-in", text);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    bench.acts.add("go", "numbers");
  });
  return link;
}

// Where the word looks now is heard when the server has answered: once for what a drag did.
/** @param {HomeBench} bench @param {Seen} seen */
function tell(bench, seen) {
  const said = sentencesOf(seen)[seen.head];
  if (bench.home.told && bench.isNews && said !== bench.home.told) bench.hear(said);
  if (!bench.home.told || bench.isNews) bench.home.told = said;
}

// The keys that there are on home.
/** @param {Bench} bench @returns {Array<[string[], string]>} */
export function homeKeys({ data, outline }) {
  const words = data.home ?? {};
  return [
    [["Tab"], words.keys_on],
    [["\u2190", "\u2192"], words.keys_words],
    [["\u2191", "\u2193"], words.keys_numbers],
    [["Enter", outline.words.key_space], words.keys_open],
    [["Ctrl+Z", "Ctrl+Y"], words.keys_back],
    [["Esc"], words.keys_escape],
    [["?"], outline.words.keys_list],
  ];
}
