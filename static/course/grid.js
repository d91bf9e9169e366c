// A block that is a matrix of its own, and the signs that mark cells.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, headerCell } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, placesOf, write } = await import(`../message/numbers.js${own}`);

const SIGNS = { first: "\u25C6", wrong: "\u2715", right: "\u2713", new: "+" };

export function matrix(bench, host, block) {
  const { words } = bench.outline;
  const figure = element("figure", "matrix");
  const caption = element("figcaption");
  const shape = `${block.values.length}\u00D7${block.values[0].length}`;
  caption.append(element("span", "name", block.title), element("span", "shape", shape));
  figure.dataset.ink = block.ink ?? "";
  host.dataset.of = block.name ?? "";
  const grid = element("table");
  grid.setAttribute("aria-label", `${block.title} ${shape}`);
  if (block.columns) {
    const head = grid.createTHead().insertRow();
    if (block.rows) head.append(element("td"));
    for (const label of block.columns) head.append(headerCell("col", label));
  }
  const marks = new Map((block.marks ?? []).map(([row, column, mark]) => [`${row},${column}`, mark]));
  const numbers = block.values.map((line) => line.map((value) => (typeof value === "number" ? value : 0)));
  const places = placesOf(numbers, block.decimals);
  const body = grid.createTBody();
  block.values.forEach((values, row) => {
    const line = body.insertRow();
    if (block.rows) line.append(headerCell("row", block.rows[row]));
    values.forEach((value, column) => {
      const cell = line.insertCell();
      cell.dataset.row = row;
      const mark = marks.get(`${row},${column}`);
      const text = textOf(block, value, places);
      if (block.press) cell.append(pickOf(bench, block, row, column, text));
      else cell.textContent = text;
      cell.className = [shadeOf(block, value), mark ? `mark-${mark}` : "", mark === "hidden" ? "hidden" : ""].filter(Boolean).join(" ");
      const strength = typeof value === "number" && block.scale !== "plain" ? Math.min(1, Math.abs(value) / block.top) : 0;
      cell.style.setProperty("--strength", `${Math.round(strength * 100)}%`);
      if (block.heads) cell.dataset.head = block.heads[row][column] % 8;
      if (SIGNS[mark]) cell.append(signOf(mark, words));
      else if (mark) cell.append(element("span", "unseen", ` (${words[`mark_${mark}`]})`));
    });
  });
  figure.append(caption, grid);
  if (block.note) figure.append(element("p", "note", block.note));
  host.replaceChildren(figure);
}

// A cell that can be the answer: its row and its column.
function pickOf(bench, block, row, column, text) {
  const press = button("pick", text, () => bench.acts.add("answer", `${row}, ${column}`));
  const where = [block.rows?.[row] ?? row, block.columns?.[column] ?? column].join(", ");
  press.setAttribute("aria-label", `${block.title}[${where}]: ${text}`);
  return press;
}

function textOf(block, value, places) {
  if (typeof value === "string") return value;
  if (block.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, CELL);
}

function shadeOf(block, value) {
  if (block.scale === "share") return "share";
  if (block.scale === "flag") return "flag";
  return value < 0 ? "negative" : "positive";
}

export function signOf(mark, words) {
  const sign = element("span", "sign", SIGNS[mark]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", words[`mark_${mark}`]);
  return sign;
}
