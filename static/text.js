// Small pieces of text: elements, numbers as a textbook prints them, prose with coloured names.

export const MINUS = "\u2212";
const INFINITY = "\u221E";
const COLOURS = { blue: "q", orange: "k", green: "v" };

// What the learner's language writes in numbers and between those of a list; the outline brings it.
const marks = { decimal: ".", thousands: ",", between: ", " };
export const useMarks = (given) => Object.assign(marks, given);

// A number as this language writes it, from its digits with a point; what is copied or sent keeps the point.
export const inMarks = (digits) => (marks.decimal === "." ? digits : digits.replace(".", marks.decimal));

export const separators = () => marks.decimal + marks.thousands; // as Plotly wants them

// A list of numbers, so that a decimal comma cannot be taken for the comma between two of them.
export const listed = (texts) => texts.join(texts.some((text) => text.includes(marks.decimal)) ? marks.between : ", ");

// A whole number in groups of three digits.
export const grouped = (value) => value.toLocaleString("en").replaceAll(",", marks.thousands);

export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function button(className, text, press) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

// A number with so many places, in the marks of the language; −∞ is null.
export function write(value, places) {
  if (value === null) return MINUS + INFINITY;
  if (Math.abs(value) >= (places ? 1e4 : 1e6)) return inMarks(value.toExponential(1).replace(".0e", "e").replace("+", "").replace("-", MINUS));
  const digits = Math.abs(value).toFixed(places);
  const text = inMarks(digits);
  return value < 0 && Number(digits) !== 0 ? MINUS + text : text;
}

// Whole numbers stay whole; otherwise every number of a matrix has the same number of places.
export function placesOf(rows, decimals) {
  return rows.every((row) => row.every((value) => value === null || Number.isInteger(value))) ? 0 : decimals;
}

export const fillIn = (sentence, facts) => sentence.replace(/\{(\w+)\}/g, (_, key) => facts[key] ?? "");

// Prose of our own: **bold** and :blue[names] in the colour of what they name. Never anything a learner typed.
export function prose(text, tag = "p") {
  const made = element(tag);
  made.append(...pieces(text));
  return made;
}

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

// A link to another page, which is found as it was left; a new tab opens it as it begins.
export function pageLink(bench, page, text, className = "page-link") {
  const link = element("a", className, text);
  link.href = new URL(page === "home" ? "./" : page, document.baseURI).href;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    bench.acts.add("go", page);
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
