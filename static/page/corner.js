// The corner of every page: the learner's language, the projector view, the list of keys.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, ownAddress, pageLink } = await import(`../message/text.js${own}`);
/** @type {typeof import("./present.js")} */
const present = await import(`./present.js${own}`);
/** @type {typeof import("./keys.js")} */
const keys = await import(`./keys.js${own}`);

export function buildCorner(bench) {
  bench.corner = element("div", "corner");
  bench.wayHome = element("nav", "to-home");
  bench.corner.append(bench.wayHome);
  bench.root.prepend(bench.corner);
  present.buildPresent(bench);
  keys.buildKeys(bench);
  bench.language = element("label", "language-choice");
  const select = element("select");
  select.addEventListener("change", () => bench.acts.add("language", select.value));
  bench.language.append(element("span", "label"), select);
  bench.corner.append(bench.language);
}

export function drawCorner(bench) {
  present.drawPresent(bench);
  keys.drawKeys(bench);
  drawLanguage(bench);
  drawWayHome(bench);
  drawWayOut(bench);
}

function drawWayHome(bench) {
  const { to_home: text } = bench.data;
  bench.wayHome.hidden = !text;
  if (text && bench.wayHome.textContent !== text) bench.wayHome.replaceChildren(pageLink(bench, "home", text));
}

// Within a page of somebody else's: a way to the Lab itself, with everything as it is.
function drawWayOut(bench) {
  bench.root.classList.toggle("embedded", Boolean(bench.data.embedded));
  if (!bench.data.embedded) return;
  if (!bench.wayOut) {
    bench.wayOut = element("a", "way-out");
    bench.wayOut.target = "_blank";
    bench.root.append(bench.wayOut);
    bench.wayOut.addEventListener("pointerdown", () => (bench.wayOut.href = ownAddress()));
    bench.wayOut.addEventListener("focus", () => (bench.wayOut.href = ownAddress()));
  }
  bench.wayOut.href = ownAddress();
  bench.wayOut.textContent = bench.outline.words.way_out;
}

// Chosen anywhere, with everything else as it is.
function drawLanguage(bench) {
  const { languages, words } = bench.outline;
  document.documentElement.lang = bench.data.language;
  const [label, select] = bench.language.children;
  bench.language.hidden = languages.length < 2;
  label.textContent = words.language;
  if (select.length !== languages.length) select.replaceChildren(...languages.map(([code, name]) => new Option(name, code)));
  if (document.activeElement !== select) select.value = bench.data.language;
}
