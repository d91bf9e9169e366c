// @ts-check
// Prose of a lesson: pieces with live names and numbers. Pointing at one lights what it names.

/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, pageLink } = await import(`../message/text.js${own}`);
/** @type {typeof import("../page/formula.js")} */
const { piecesOf } = await import(`../page/formula.js${own}`);

/** @param {Bench} bench @param {any[]} texts */
export function paragraphs(bench, texts) {
  return texts.map((pieces) => {
    const made = element("p");
    made.append(...pieces.map((/** @type {any} */ piece) => pieceOf(bench, piece)));
    return made;
  });
}

/** @param {Bench} bench @param {any} piece @returns {Node | string} */
export function pieceOf(bench, piece) {
  if (typeof piece === "string") return piece;
  const [kind, ...rest] = piece;
  if (kind === "math" || kind === "line") return formula(rest[rest.length - 1]);
  if (kind === "sum") return rest[rest.length - 1];
  if (kind === "code") return element("code", "", rest[0]);
  if (kind === "lesson") {
    const [lesson, link, text] = rest;
    return bench.data.offline ? text : pageLink(bench, lesson, text, "prose-way", link);
  }
  if (kind === "bold") {
    const made = element("strong");
    made.append(...rest.map((/** @type {any} */ inner) => pieceOf(bench, inner)));
    return made;
  }
  const [name, ...more] = rest;
  const cell = kind === "value" ? more.slice(0, 2) : null;
  const [text, ink] = more.slice(-2);
  // Not a button element: the text must break as text does.
  const made = element("span", "live", text);
  made.setAttribute("role", "button");
  made.tabIndex = 0;
  made.addEventListener("click", () => point(bench, name, cell, true));
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    point(bench, name, cell, true);
  });
  made.dataset.ink = ink;
  made.dataset.points = name;
  for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => point(bench, name, cell, false));
  for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => point(bench, null));
  return made;
}

/** @param {string} latex */
function formula(latex) {
  const made = element("span", "inline-formula");
  made.append(...piecesOf(latex, ["=", "+"]).flatMap((piece) => [piece, " "]).slice(0, -1));
  return made;
}

// Lights a matrix or one cell of it; pressed, it also comes into sight.
/** @param {Bench} bench @param {string | null} name @param {number[] | null} [cell] @param {boolean} [into] */
function point(bench, name, cell, into) {
  for (const lit of bench.root.querySelectorAll(".pointed")) lit.classList.remove("pointed");
  if (!name) return;
  const named = [...bench.matrices.values()].filter((drawn) => drawn.id === name);
  /** @type {Element[]} */
  const found = named.map((drawn) => (cell && drawn.cells[cell[0]]?.[cell[1]]) || drawn.figure);
  found.push(...bench.root.querySelectorAll(`.block[data-of="${name}"]`));
  for (const host of found) host.classList.add("pointed");
  if (into) found[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
