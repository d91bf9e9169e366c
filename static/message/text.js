// @ts-check
// Small pieces of text: elements, sentences, prose with coloured names.

/** @import { Bench } from "../page/bench.js" */

/** @typedef {Record<string, string | number | undefined>} Facts what is filled into a sentence, by name */
/** @typedef {HTMLElement & { [part: string]: any }} Host an element that keeps parts of its own as fields, or that Plotly draws in */

/** @type {Record<string, string>} */
const COLOURS = { blue: "q", orange: "k", green: "v" };

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {string} [className] @param {string | number} [text]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = String(text);
  return made;
}

// A text that is there already stays: writing it again would have the browser lay out its place anew.
/** @param {Node} node @param {string | null} text */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {string} className @param {string | number | undefined} text @param {(event: MouseEvent) => void} press */
export function button(className, text, press) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

// The name of a row or a column of a table; without a name, its corner.
/** @param {string} scope @param {string} label */
export function headerCell(scope, label) {
  if (!label) return element("td");
  const made = element("th", "", label);
  made.scope = scope;
  return made;
}

/** @param {string} sentence @param {Facts} facts */
export const fillIn = (sentence, facts) => sentence.replace(/\{(\w+)\}/g, (_, key) => String(facts[key] ?? ""));

// Prose of our own: **bold** and :blue[names] in the colour of what they name. Never anything a learner typed.
/** @param {string} text @param {'p' | 'span'} [tag] */
export function prose(text, tag = "p") {
  const made = element(tag);
  made.append(...pieces(text));
  return made;
}

/** @param {string} text */
function pieces(text) {
  const found = [];
  let rest = text;
  for (;;) {
    const match = /:(blue|orange|green)\[((?:[^\]])+)\]|\*\*(.+?)\*\*|`([^`]+)`/.exec(rest);
    if (!match) return [...found, rest];
    found.push(rest.slice(0, match.index));
    const inner = match[1] ? element("span", `ink-${COLOURS[match[1]]}`) : element(match[3] ? "strong" : "code");
    inner.append(...(match[4] ? [match[4]] : pieces(match[2] ?? match[3])));
    found.push(inner);
    rest = rest.slice(match.index + match[0].length);
  }
}

// A link to another page, which is found as it was left, or where `at` leads; a new tab opens it as it begins.
/** @param {Bench} bench @param {string} page @param {string} text @param {string} [className] @param {string} [at] */
export function pageLink(bench, page, text, className = "page-link", at) {
  const link = element("a", className, text);
  const to = new URL(page === "home" ? "./" : page, document.baseURI);
  if (at) to.searchParams.set("s", at);
  link.href = to.href;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    bench.acts.add("go", page, ...(at ? [at] : []));
  });
  return link;
}

// This page's address with all that it shows, also from within a page of somebody else's.
export function ownAddress() {
  const address = new URL(location.href);
  address.searchParams.delete("embed");
  return address.href;
}

// Into the clipboard, also where the browser allows that only by an old way (a page without https).
/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// Pause is drawn by the styles: many fonts have no sign for it.
/** @param {HTMLElement} press @param {unknown} isPlaying */
export function showSign(press, isPlaying) {
  press.classList.toggle("pause", Boolean(isPlaying));
  put(press, isPlaying ? "" : "\u25B6");
}
