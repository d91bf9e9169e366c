// @ts-check
// Marks of a picture that is drawn at once: lines, paths, boxes and words, as plain values; `drawing` makes an SVG of them.

/** @typedef {Record<string, string | number>} Attributes */
/** @typedef {{ tag: "line" | "path" | "rect" | "circle", at: Attributes, className?: string }} Drawn */
/** @typedef {{ tag: "text", at: Attributes, text: string, className?: string }} Written */
/** @typedef {Drawn | Written} Mark */

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} className
 * @param {Record<string, string | number>} [more]
 * @returns {Mark}
 */
export const line = (x1, y1, x2, y2, className, more) => ({ tag: "line", at: { x1, y1, x2, y2, ...more }, className });
/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} className
 * @param {Record<string, string | number>} [more]
 * @returns {Mark}
 */
export const box = (x, y, width, height, className, more) => ({ tag: "rect", at: { x, y, width, height, rx: 3, ...more }, className });
/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {string} [className]
 * @param {"start" | "middle" | "end"} [anchor]
 * @returns {Mark}
 */
export const word = (x, y, text, className = "", anchor = "middle") => ({
  tag: "text",
  at: { x, y, "text-anchor": anchor },
  text,
  className,
});

// A number as a tile: shaded as on the board, with the number in it where there is room.
/**
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 * @param {number | null} value
 * @param {number} top
 * @param {string} text
 * @returns {Mark[]}
 */
export function tile(x, y, wide, high, value, top, text) {
  const share = value === null || !top ? 0 : Math.min(1, Math.abs(value) / top);
  const shade = value !== null && value < 0 ? "below" : "above";
  const tiles = [box(x, y, wide - 2, high, `tile ${shade}`, { style: `--strength: ${Math.round(share * 100)}%` })];
  return wide >= 26 ? [...tiles, word(x + wide / 2 - 1, y + high / 2 + 5, text)] : tiles;
}

// A name that is not longer than its room.
/** @param {string} name @param {number} room */
export function fitted(name, room) {
  const letters = [...name];
  const most = Math.max(2, Math.floor(room / 8.5));
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}\u2026` : name;
}

/** @param {Mark[]} marks @param {[number, number]} size */
export function drawing(marks, [wide, high]) {
  const made = document.createElementNS(NAMESPACE, "svg");
  made.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  made.setAttribute("aria-hidden", "true");
  for (const mark of marks) {
    const node = document.createElementNS(NAMESPACE, mark.tag);
    for (const [name, value] of Object.entries(mark.at)) node.setAttribute(name, String(value));
    if (mark.className) node.setAttribute("class", mark.className);
    if (mark.tag === "text") node.textContent = mark.text;
    made.append(node);
  }
  return made;
}
