// @ts-check
// Small drawn signs: one for each chapter of the course. They say nothing that is not written beside them.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number>} attributes */
export function drawn(tag, attributes) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** @param {string} d @param {Record<string, string | number>} [more] */
const line = (d, more = {}) => drawn("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.3, ...more });
/** @param {number} x @param {number} y @param {number} width @param {number} height @param {Record<string, string | number>} more */
const box = (x, y, width, height, more) => drawn("rect", { x, y, width, height, stroke: "currentColor", ...more });

const TIMES = [0, 1, 2, 3, 4];

/** @type {Record<string, () => Element[]>} */
const MARKS = {
  // Arcs from a word to others.
  one_head: () => [
    line("M6 28C6 4 26 4 26 28", { "stroke-width": 3 }),
    line("M6 28C6 -6 42 -6 42 28"),
    ...[6, 26, 42].map((cx) => drawn("circle", { cx, cy: 31, r: 2, fill: "currentColor" })),
  ],
  // Sheets, one behind the other.
  many_heads: () => [0, 1, 2].map((sheet) => box(20.5 - sheet * 8, 4.5 + sheet * 4, 22, 20, { class: "sheet", rx: 1, "stroke-width": 1.3 })),
  // A mask that hides what comes later.
  weights: () =>
    TIMES.flatMap((row) =>
      TIMES.map((column) => {
        const seen = column <= row;
        const look = { fill: seen ? "currentColor" : "none", "stroke-width": 0.8, opacity: seen ? 0.75 : 0.45 };
        return box(14.5 + column * 6, 2.5 + row * 6, 5, 5, look);
      }),
    ),
  // What grows with the square of the length, and what grows with the length.
  models: () => [line("M3 2V31H45"), line("M6 29C24 28 34 20 43 4", { "stroke-width": 2.4 }), line("M6 28L43 17", { "stroke-dasharray": "3 3" })],
  // A page to write on.
  beside: () => [box(11.5, 3.5, 24, 28, { fill: "none", rx: 2, "stroke-width": 1.3 }), line("M16 11H31M16 17H31M16 23H25")],
};

/** @param {string} chapter */
export function markOf(chapter) {
  const picture = drawn("svg", { viewBox: "0 0 46 34", width: 46, height: 34, class: "mark", "aria-hidden": "true" });
  picture.append(...(MARKS[chapter]?.() ?? []));
  return picture;
}
