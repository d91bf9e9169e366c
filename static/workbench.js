// @ts-check
// The workbench: what a page is drawn by. Here everything begins: scripts and styles are loaded, answers come in.
//
// `paint` is called again with new data after every run. Numbers go to the board first; the figure follows when
// they are on the screen.

/** @import { Data } from "./message/message.js" */
/** @import { Acts } from "./state/state.js" */
/** @import { PageData } from "./page/bench.js" */

/** @typedef {{ data: Data, parentElement: HTMLElement, setStateValue: (name: string, value: any) => void }} Component */

const own = new URL(import.meta.url).search;
/** @param {string} file */
const load = (file) => import(`./${file}.js${own}`);
const inOneFile = import.meta.url.startsWith("data:"); // of a handout, which has the styles too
const styled = inOneFile ? null : addStyles();
// Every page's are asked for at once, also those that only others of them need; below each is at hand already.
const EVERY = [
  ...["decimal", "explain", "expressions", "operations", "origins", "places", "printing", "settle", "sums", "trace"].map((name) => `engine/${name}`),
  ...["arithmetic", "assemble", "numbers", "text"].map((name) => `message/${name}`),
  ...["address", "known", "play", "state", "tab", "trail"].map((name) => `state/${name}`),
  ...["board", "cells", "lens", "marked", "matrices", "scrub", "spoken", "typing"].map((name) => `board/${name}`),
  ...["axes", "figures", "fill", "look", "parts", "tables", "zoom"].map((name) => `figures/${name}`),
  ...["arithmetic", "at_once", "bench", "choices", "corner"].map((name) => `page/${name}`),
  ...["formula", "keys", "present", "wide"].map((name) => `page/${name}`),
];
const PICTURES = [
  ...["picture", "bricks", "facts", "ladder", "largest", "lines"].map((name) => `pictures/${name}`),
  ...["marks", "number_line", "plane", "projection", "strips"].map((name) => `pictures/${name}`),
];
// What only the Lab needs, only a lesson, only the home page, or only the heads.
const LAB = [
  ...["lab", "bar", "comparing", "divides", "fills", "film", "header", "meaning", "pointing"].map((name) => `lab/${name}`),
  ...["sentence", "sizes", "stage", "thumbnail", "whole"].map((name) => `lab/${name}`),
  ...PICTURES,
];
const LESSON = [
  ...["lesson", "arcs", "ask", "asked", "blocks", "grid", "header", "knobs", "moves"].map((name) => `course/${name}`),
  ...["paper", "picture", "prose", "stage", "telling"].map((name) => `course/${name}`),
  ...PICTURES,
  "state/progress",
];
const HOME = [...["home", "course", "lines", "look", "marks", "numbers", "sentences", "steps"].map((name) => `home/${name}`), "state/progress"];
HOME.push("pictures/arcs");
const HEADS = ["heads", "compare", "head", "line", "maps", "order", "pair", "trials"].map((name) => `heads/${name}`);
HEADS.push("home/marks", "pictures/arcs");
await Promise.all(EVERY.map(load));
/** @type {typeof import("./message/text.js")} */
const { element } = await import(`./message/text.js${own}`);
/** @type {typeof import("./page/bench.js")} */
const { Bench } = await import(`./page/bench.js${own}`);
/** @type {typeof import("./state/state.js")} */
const { Store } = await import(`./state/state.js${own}`);

/** @type {InstanceType<typeof Store> | null} */
let store = null; // of the page that is shown
/** @type {WeakMap<HTMLElement, Promise<InstanceType<typeof Bench>>>} */
const benches = new WeakMap(); // by where they stand; promises, so that two calls at once share one bench

// An answer of the server: `id` says to which request, 0 that the page is being opened.
/** @param {Component} component */
export async function paint({ data, parentElement, setStateValue }) {
  if (store?.page !== data.page) {
    store?.end();
    store = new Store(data.page);
  }
  const page = /** @type {InstanceType<typeof Store>} */ (store);
  page.report = setStateValue;
  page.isThere = () => parentElement.isConnected && store === page;
  const first = !benches.has(parentElement);
  const isAnswer = page.take(data);
  if (first || isAnswer) {
    page.outline = data.message.outline;
    const bench = await show(parentElement, page, data.message, isAnswer && data.trail.length > 0);
    page.hearsServer = (there) => bench.serverIs(there);
    page.hearsAct = () => bench.play();
    page.hearsLink = (link, computation) => bench.known.keep(page.page, link, computation);
    const { lesson } = data.message;
    if (first && !isAnswer) page.arrive(data, (lesson && bench.parts.doneSections?.(lesson.id)) ?? []);
  }
  if (data.leave && isAnswer) page.leave(data.leave);
  if (!first && !isAnswer && page.unanswered.size) page.repeat(); // a server that began anew
  const sentence = page.doOnce(data.asked);
  if (sentence) (await benches.get(parentElement))?.say(sentence);
}

// The bench in a place of the page, made or drawn anew; `acts` takes what the learner does.
/** @param {HTMLElement} host @param {Acts} acts @param {PageData} data @param {boolean} [isNews] */
export async function show(host, acts, data, isNews = false) {
  const bench = await (benches.get(host) ?? begin(host, acts, data));
  bench.take(data, isNews);
  bench.draw();
  return bench;
}

/** @param {HTMLElement} host @param {Acts} acts @param {PageData} data */
function begin(host, acts, data) {
  const bench = start(host, acts, data);
  benches.set(host, bench);
  return bench;
}

/** @param {HTMLElement} host @param {Acts} acts @param {PageData} data */
async function start(host, acts, data) {
  const root = element("div", "qkv-bench");
  host.append(root);
  const files = data.lesson ? LESSON : data.home ? HOME : data.heads ? HEADS : LAB;
  const sheet = styled && addSheet(data.lesson ? "course/lesson" : data.home ? "home/home" : data.heads ? "heads/heads" : "lab/lab");
  const [, , parts] = await Promise.all([styled, sheet, ...files.map(load)]); // nothing is shown before it can be shown right
  return new Bench(root, acts, parts ?? {});
}

function addStyles() {
  return Promise.all(["page/frame", "workbench", "page/class", "course/blocks"].map(addSheet));
}

/** @param {string} name */
function addSheet(name) {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL(`${name}.css${own}`, import.meta.url).href;
  document.head.append(sheet);
  return new Promise((resolve) => (sheet.onload = sheet.onerror = resolve));
}
