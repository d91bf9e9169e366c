// @ts-check
// The corner of every page: the learner's language, the projector view, the list of keys.

/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, ownAddress, pageLink, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("./present.js")} */
const present = await import(`./present.js${own}`);
/** @type {typeof import("./keys.js")} */
const keys = await import(`./keys.js${own}`);

/** @param {Bench} bench */
export function buildCorner(bench) {
  const corner = element("div", "corner");
  const wayHome = element("nav", "to-home");
  const presenting = present.buildPresent(bench);
  const listing = keys.buildKeys(bench);
  const language = element("label", "language-choice");
  const label = element("span", "label");
  const select = element("select");
  select.addEventListener("change", () => bench.acts.add("language", select.value));
  language.append(label, select);
  corner.append(wayHome, presenting.press, listing.press, language);
  bench.root.prepend(corner);
  return { host: corner, wayHome, present: presenting, keys: listing, language, label, select };
}

/** @param {Bench} bench */
export function drawCorner(bench) {
  present.drawPresent(bench);
  keys.drawKeys(bench);
  drawLanguage(bench);
  drawWayHome(bench);
  drawWayOut(bench);
}

/** @param {Bench} bench */
function drawWayHome(bench) {
  const { to_home: text } = bench.data;
  const { wayHome } = bench.corner;
  wayHome.hidden = !text;
  if (text && wayHome.textContent !== text) wayHome.replaceChildren(pageLink(bench, "home", text));
}

// Within a page of somebody else's: a way to the Lab itself, with everything as it is.
/** @param {Bench} bench */
function drawWayOut(bench) {
  bench.root.classList.toggle("embedded", Boolean(bench.data.embedded));
  if (!bench.data.embedded) return;
  if (!bench.wayOut) {
    const link = element("a", "way-out");
    link.target = "_blank";
    bench.root.append(link);
    for (const event of ["pointerdown", "focus"]) link.addEventListener(event, () => (link.href = ownAddress()));
    bench.wayOut = link;
  }
  bench.wayOut.href = ownAddress();
  put(bench.wayOut, bench.outline.words.way_out);
}

// Chosen anywhere, with everything else as it is.
/** @param {Bench} bench */
function drawLanguage(bench) {
  const { languages, words } = bench.outline;
  const { documentElement } = document;
  if (documentElement.lang !== bench.data.language) documentElement.lang = bench.data.language;
  const { language, label, select } = bench.corner;
  language.hidden = languages.length < 2;
  put(label, words.language);
  if (select.length !== languages.length) select.replaceChildren(...languages.map(([code, name]) => new Option(name, code)));
  if (document.activeElement !== select) select.value = bench.data.language;
}
