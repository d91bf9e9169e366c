// Blocks: what a section shows besides the board. Matrices, curves, tables, strips, code, cells that move.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL: IN_A_CELL, brief, placesOf, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/formula.js")} */
const { piecesOf } = await import(`../page/formula.js${own}`);
/** @type {typeof import("./prose.js")} */
const { pieceOf } = await import(`./prose.js${own}`);
/** @type {typeof import("../figures/figures.js")} */
const { drawPlot, release } = await import(`../figures/figures.js${own}`);

const SIGNS = { first: "\u25C6", wrong: "\u2715", right: "\u2713", new: "+" };
const CELL = 40; // pixels, of a cell that moves
const MAKERS = { matrix, row, plot, table, strip, code, sentence, formula, progress, moves, paper };

// A block that has not changed stays; a plot and cells that move are updated in place.
export function drawBlocks(bench, place, blocks) {
  place.hidden = !blocks.length;
  blocks.forEach((block, number) => {
    const wanted = JSON.stringify([block, bench.data.language, block.kind === "progress" && bench.data.lesson.working]);
    let made = place.children[number];
    const same = made?.dataset.kind === block.kind && (made.dataset.key ?? "") === keyOf(bench, block);
    if (!same) {
      const fresh = element("div", `block ${block.kind}`);
      fresh.dataset.kind = block.kind;
      fresh.dataset.key = keyOf(bench, block);
      if (made) {
        release(made);
        made.replaceWith(fresh);
      } else place.append(fresh);
      made = fresh;
    }
    if (made.shown === wanted) return;
    made.shown = wanted;
    MAKERS[block.kind](bench, made, block);
  });
  while (place.children.length > blocks.length) {
    release(place.lastChild);
    place.lastChild.remove();
  }
}

const keyOf = (bench, block) => `${bench.lesson.section} ${block.key ?? block.title ?? ""}`;

function row(bench, place, block) {
  if (!place.inner) {
    place.heading = element("h3");
    place.inner = element("div", "side-by-side");
    place.append(place.heading, place.inner);
  }
  place.heading.textContent = block.title;
  place.heading.hidden = !block.title;
  drawBlocks(bench, place.inner, block.blocks);
}

function matrix(bench, place, block) {
  const { words } = bench.outline;
  const figure = element("figure", "matrix");
  const caption = element("figcaption");
  const shape = `${block.values.length}\u00D7${block.values[0].length}`;
  caption.append(element("span", "name", block.title), element("span", "shape", shape));
  figure.dataset.ink = block.ink ?? "";
  place.dataset.of = block.name ?? "";
  const grid = element("table");
  grid.setAttribute("aria-label", `${block.title} ${shape}`);
  if (block.columns) {
    const head = grid.createTHead().insertRow();
    if (block.rows) head.append(element("td"));
    for (const label of block.columns) head.append(headerOf("col", label));
  }
  const marks = new Map((block.marks ?? []).map(([row, column, mark]) => [`${row},${column}`, mark]));
  const numbers = block.values.map((line) => line.map((value) => (typeof value === "number" ? value : 0)));
  const places = placesOf(numbers, block.decimals);
  const body = grid.createTBody();
  block.values.forEach((values, row) => {
    const line = body.insertRow();
    if (block.rows) line.append(headerOf("row", block.rows[row]));
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
  place.replaceChildren(figure);
}

// A cell that can be the answer: its row and its column.
function pickOf(bench, block, row, column, text) {
  const press = button("pick", text, () => bench.acts.add("answer", `${row}, ${column}`));
  const place = [block.rows?.[row] ?? row, block.columns?.[column] ?? column].join(", ");
  press.setAttribute("aria-label", `${block.title}[${place}]: ${text}`);
  return press;
}

function headerOf(scope, label) {
  if (!label) return element("td"); // a corner
  const made = element("th", "", label);
  made.scope = scope;
  return made;
}

function signOf(mark, words) {
  const sign = element("span", "sign", SIGNS[mark]);
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", words[`mark_${mark}`]);
  return sign;
}

function textOf(block, value, places) {
  if (typeof value === "string") return value;
  if (block.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, IN_A_CELL);
}

function shadeOf(block, value) {
  if (block.scale === "share") return "share";
  if (block.scale === "flag") return "flag";
  return value < 0 ? "negative" : "positive";
}

function plot(bench, place, block) {
  const { words } = bench.outline;
  if (!place.figure) {
    place.heading = element("h3");
    place.figure = element("div", "figure");
    place.figure.setAttribute("role", "figure");
    place.numbers = element("details");
    place.append(place.heading, place.figure, place.numbers);
  }
  place.heading.textContent = block.title;
  place.figure.setAttribute("aria-label", `${block.title}. ${block.series.map((one) => rangeOf(block, one, words)).join(" ")}`);
  const list = element("table");
  const head = list.createTHead().insertRow();
  for (const label of [block.x_title, ...block.series.map((one) => one.name)]) head.append(headerOf("col", label));
  const body = list.createTBody();
  block.x.forEach((x, number) => {
    const line = body.insertRow();
    line.append(headerOf("row", asText(x)));
    for (const one of block.series) line.insertCell().textContent = asText(one.y[number]);
  });
  place.numbers.replaceChildren(element("summary", "", words.plot_numbers), list);
  drawPlot(bench, place.figure, block);
}

// The curve in words: from where to where.
function rangeOf(block, one, words) {
  const seen = one.y.map((y, number) => [block.x[number], y]).filter(([, y]) => y !== null);
  if (!seen.length) return "";
  const [[from, low], [to, high]] = [seen[0], seen.at(-1)];
  return fillIn(words.plot_range, { name: one.name, from: asText(from), low: asText(low), to: asText(to), high: asText(high) });
}

function asText(value) {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value === "string") return value;
  return brief(value, 5);
}

function table(bench, place, block) {
  const made = element("table", "plain");
  made.append(element("caption", "", block.title));
  const head = made.createTHead().insertRow();
  for (const label of block.headers) head.append(headerOf("col", label));
  const body = made.createTBody();
  block.rows.forEach(([first, ...rest], number) => {
    const line = body.insertRow();
    line.append(headerOf("row", first));
    for (const cell of rest) line.insertCell().textContent = cell;
    line.classList.toggle("marked", number === block.marked);
  });
  place.tabIndex = 0; // it may be wider than the screen, and is scrolled by keyboard too
  place.setAttribute("role", "region");
  place.setAttribute("aria-label", block.title);
  place.replaceChildren(made);
}

function strip(bench, place, block) {
  const list = element("ol", "channels");
  list.setAttribute("aria-label", block.title);
  block.channels.forEach(([label, ink, head], number) => {
    const item = element("li", block.marks.includes(number) ? "wrong" : "", label);
    item.dataset.ink = ink;
    item.dataset.head = head % 8;
    if (block.marks.includes(number)) item.append(signOf("wrong", bench.outline.words));
    list.append(item);
  });
  place.replaceChildren(element("h3", "", block.title), list);
}

function code(bench, place, block) {
  const line = element("pre");
  line.tabIndex = 0;
  line.append(element("code", "", block.text));
  place.replaceChildren(element("h3", "", block.title), line);
}

function sentence(bench, place, block) {
  const made = element("p", block.tone);
  made.append(...block.pieces.map((piece) => pieceOf(bench, piece)));
  place.replaceChildren(made);
}

function formula(bench, place, block) {
  const made = element("p", "set");
  made.append(...piecesOf(block.latex));
  place.replaceChildren(...(block.title ? [element("h3", "", block.title)] : []), made);
}

function progress(bench, place, block) {
  const { words } = bench.outline;
  if (!place.bar) {
    place.bar = element("progress");
    place.label = element("span", "label");
    place.press = button("stop", "", () => bench.acts.add("stop"));
    place.append(place.label, place.bar, place.press);
  }
  if (place.bar.value < 1 && block.share >= 1 && place.label.textContent) bench.hear(`${block.label} 100 %`);
  place.bar.max = 1;
  place.bar.value = block.share;
  place.bar.setAttribute("aria-label", block.label);
  place.label.textContent = `${block.label} ${Math.round(block.share * 100)} %`;
  place.press.hidden = block.share >= 1;
  place.press.textContent = bench.data.lesson.working ? words.stop : words.go_on;
}

// Cells fly to their next places; a list says the same without motion.
function moves(bench, place, block) {
  if (!place.cells) {
    place.heading = element("h3");
    place.says = element("p", "moves-title");
    place.stage = element("div", "moves-stage");
    place.frames = element("div", "moves-frames");
    place.stage.append(place.frames);
    place.cells = block.cells.map(() => element("span", "moving"));
    place.stage.append(...place.cells);
    place.list = element("ul", "unseen");
    place.append(place.heading, place.says, place.stage, place.list);
  }
  const layout = block.layouts[block.at];
  place.heading.textContent = block.title;
  place.setAttribute("role", "region"); // it may be wider than the screen
  place.setAttribute("aria-label", block.title);
  if (place.says.textContent && place.says.textContent !== layout.title) bench.hear(`${layout.title}.`);
  place.says.textContent = layout.title;
  const widest = Math.max(...layout.places.map(([column]) => column), ...(layout.frames ?? []).map(([column, , columns]) => column + columns - 1)) + 1;
  const lowest = Math.max(...layout.places.map(([, row]) => row), ...(layout.frames ?? []).map(([, row, , rows]) => row + rows - 1)) + 1;
  place.stage.style.width = `${widest * CELL}px`;
  place.stage.style.height = `${lowest * CELL}px`;
  place.stage.setAttribute("role", "img");
  place.stage.setAttribute("aria-label", layout.says ?? layout.title);
  place.frames.replaceChildren(...(layout.frames ?? []).map(frameOf));
  place.list.replaceChildren(...groupsOf(block, layout));
  block.cells.forEach(([text, ink, head], number) => {
    const cell = place.cells[number];
    const [column, row] = layout.places[number];
    if (cell.textContent !== text) cell.textContent = text;
    cell.dataset.ink = ink;
    cell.dataset.head = head % 8;
    cell.style.transform = `translate(${column * CELL}px, ${row * CELL}px)`;
  });
}

// The same in words: which numbers stand in which group, row by row.
function groupsOf(block, { places, frames }) {
  const whole = [0, 0, Infinity, Infinity, ""];
  return (frames?.length ? frames : [whole]).map(([left, top, columns, rows, label]) => {
    const lines = new Map();
    places
      .map(([column, row], number) => [row, column, block.cells[number][0]])
      .filter(([row, column]) => row >= top && row < top + rows && column >= left && column < left + columns)
      .sort(([row, column], [otherRow, otherColumn]) => row - otherRow || column - otherColumn)
      .forEach(([row, , text]) => lines.set(row, [...(lines.get(row) ?? []), text]));
    const numbers = [...lines.values()].map((texts) => texts.join(", ")).join("; ");
    return element("li", "", label ? `${label}: ${numbers}` : numbers);
  });
}

function frameOf([column, row, columns, rows, label]) {
  const made = element("span", "moves-frame");
  Object.assign(made.style, { left: `${column * CELL}px`, top: `${row * CELL}px`, width: `${columns * CELL}px`, height: `${rows * CELL}px` });
  made.append(element("span", "", label));
  return made;
}

// A document of its own, as wide as there is room: printed without the page around it, or saved.
function paper(bench, place, block) {
  if (!place.sheet) {
    const ways = element("div", "paper-ways");
    place.print = button("print", "", () => place.sheet.contentWindow.print());
    place.save = element("a", "save");
    ways.append(place.print, place.save);
    place.desk = element("div", "desk");
    place.sheet = element("iframe");
    place.sheet.setAttribute("sandbox", "allow-same-origin allow-modals");
    place.desk.append(place.sheet);
    place.desk.tabIndex = 0;
    place.desk.setAttribute("role", "region");
    new ResizeObserver(() => fitSheet(place)).observe(place.desk);
    place.append(ways, place.desk);
  }
  place.print.textContent = block.print;
  place.save.textContent = block.save;
  place.save.download = block.file;
  place.save.href = `data:text/html;charset=utf-8,${encodeURIComponent(block.html)}`;
  place.desk.setAttribute("aria-label", block.title);
  place.sheet.title = block.title;
  place.sheet.srcdoc = block.html;
}

function fitSheet({ desk, sheet }) {
  const scale = Math.min(1, desk.clientWidth / sheet.offsetWidth);
  sheet.style.transform = `scale(${scale})`;
  sheet.style.marginBottom = `${(scale - 1) * sheet.offsetHeight}px`;
  sheet.style.marginRight = `${(scale - 1) * sheet.offsetWidth}px`;
}
