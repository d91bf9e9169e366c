// @ts-check
// The axes of a tensor, drawn: a sheet of rows and columns, and behind it as many sheets as there are heads.

const NAMESPACE = "http://www.w3.org/2000/svg";
const SHEET = 34; // pixels of the longer side
const MOST_SHEETS = 5;
const STEP = 4; // pixels from one sheet to the next

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
const node = (tag, attributes, text) => {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
};

// `axes` are [name, size] from the outermost to the innermost.
/** @param {Array<[string, number]>} axes @param {string} ink */
export function drawAxes(axes, ink) {
  const [rowName, rows] = axes[axes.length - 2] ?? ["", 1];
  const [columnName, columns] = axes[axes.length - 1];
  const lead = axes.slice(0, -2);
  const sheets = lead.reduce((product, [, size]) => product * size, 1);
  const drawn = Math.min(sheets, MOST_SHEETS);
  const longer = Math.max(rows, columns);
  const high = Math.max(8, (SHEET * rows) / longer);
  const wide = Math.max(8, (SHEET * columns) / longer);
  const behind = (drawn - 1) * STEP;
  const rowText = `${rowName} ${rows}`;
  const left = axes.length > 1 ? rowText.length * 6 + 8 : 4;
  const leadText = lead.map(([name, size]) => `${name} ${size}`).join(" \u00D7 ");
  const width = left + Math.max(wide + behind, `${columnName} ${columns}`.length * 6) + leadText.length * 6 + 14;
  const height = high + behind + 22;
  const picture = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "tensor", "data-ink": ink, role: "img" });
  picture.append(node("title", {}, axes.map(([name, size]) => `${name} ${size}`).join(", ")));
  for (let sheet = drawn - 1; sheet >= 0; sheet -= 1) {
    const x = left + sheet * STEP;
    const y = 4 + behind - sheet * STEP;
    picture.append(node("rect", { x, y, width: wide, height: high, rx: 2, class: "sheet" }));
  }
  const front = 4 + behind;
  if (axes.length > 1) picture.append(node("text", { x: left - 5, y: front + high / 2 + 4, "text-anchor": "end" }, rowText));
  picture.append(node("text", { x: left, y: front + high + 13 }, `${columnName} ${columns}`));
  if (leadText) picture.append(node("text", { x: left + wide + behind + 6, y: front + high / 2 - behind / 2 + 4 }, `\u00D7 ${leadText}`));
  return picture;
}
