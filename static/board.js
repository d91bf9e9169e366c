// The board: every matrix as a grid of numbers, repainted in place.
//
// `paint` is called again with new data after every run. A matrix whose rows and columns are the same keeps
// its cells; only text, shade and marks change, so focus and scroll position stay where they are.

const SHADES = { signed: ["positive", "negative"], share: ["share", "share"], flag: ["flag", "flag"] };
const MINUS = "\u2212";
const INFINITY = "\u221E";
const REPEAT_AFTER = 1500; // milliseconds without an acknowledgement
const MOST_REPEATS = 40; // a minute

export async function paint({ data, parentElement, setTriggerValue }) {
  parentElement.board ??= start(parentElement); // a promise, so that two paints at once share one board
  const board = await parentElement.board;
  board.report = setTriggerValue;
  board.words = data.words;
  const edited = data.acknowledged > board.acknowledged; // only then are changed numbers marked
  board.acknowledged = data.acknowledged;
  board.waiting = board.waiting.filter(([count]) => count > data.acknowledged);
  board.count = Math.max(board.count, data.acknowledged);
  if (!board.waiting.length) board.repeats = 0;
  board.root.setAttribute("aria-label", data.words.label);
  const kept = new Map([...board.matrices].filter(([id]) => data.matrices.some((matrix) => matrix.id === id)));
  for (const [id, drawn] of board.matrices) if (!kept.has(id)) drawn.figure.remove();
  board.matrices = kept;
  data.matrices.forEach((matrix, place) => {
    let drawn = kept.get(matrix.id);
    if (!drawn || drawn.outline !== outline(matrix)) {
      drawn?.figure.remove();
      drawn = build(board, matrix);
      kept.set(matrix.id, drawn);
    }
    fill(board, drawn, matrix, data.lit[matrix.id] ?? [], edited);
    // In order of flow. A node that is moved loses the focus, so one that stands right stays.
    const standing = board.root.children[place];
    if (standing !== drawn.figure) board.root.insertBefore(drawn.figure, standing ?? null);
  });
}

async function start(parentElement) {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("board.css", import.meta.url).href + new URL(import.meta.url).search;
  const ready = new Promise((resolve) => (sheet.onload = sheet.onerror = resolve));
  const root = document.createElement("section");
  root.className = "board";
  parentElement.append(sheet, root);
  await ready; // nothing is shown before it can be shown right
  return { root, matrices: new Map(), waiting: [], count: 0, repeats: 0, acknowledged: Infinity };
}

const outline = (matrix) => JSON.stringify([matrix.rows, matrix.columns, matrix.axes]);

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

function build(board, matrix) {
  const figure = element("figure", "matrix");
  const caption = element("figcaption");
  const name = element("span", "name");
  const shape = element("span", "shape");
  const formula = element("code", "formula");
  caption.append(name, shape, formula);
  caption.id = `caption-${matrix.id}`;
  const grid = element("table");
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-labelledby", caption.id);
  const head = grid.createTHead().insertRow();
  head.append(element("td"));
  for (const label of matrix.columns) {
    const cell = element("th", "", label);
    cell.scope = "col";
    head.append(cell);
  }
  const body = grid.createTBody();
  const cells = matrix.rows.map((label, row) => {
    const line = body.insertRow();
    const side = element("th", "", label);
    side.scope = "row";
    line.append(side);
    return matrix.columns.map((_, column) => {
      const cell = line.insertCell();
      cell.setAttribute("role", "gridcell");
      cell.tabIndex = row || column ? -1 : 0;
      cell.dataset.row = row;
      cell.dataset.column = column;
      return cell;
    });
  });
  figure.append(caption, grid);
  const drawn = { id: matrix.id, figure, grid, name, shape, formula, cells, outline: outline(matrix) };
  grid.addEventListener("click", (event) => pick(board, drawn, event));
  grid.addEventListener("dblclick", (event) => drawn.editable && edit(board, drawn, cellOf(event), null));
  grid.addEventListener("keydown", (event) => press(board, drawn, event));
  grid.addEventListener("paste", (event) => paste(board, drawn, event));
  grid.addEventListener("copy", (event) => copy(drawn, event));
  return drawn;
}

function fill(board, drawn, matrix, lit, edited) {
  drawn.figure.dataset.ink = matrix.ink;
  drawn.figure.classList.toggle("editable", matrix.editable);
  drawn.editable = matrix.editable && matrix.scale !== "flag";
  drawn.switchable = matrix.editable && matrix.scale === "flag";
  drawn.before = drawn.values;
  drawn.values = matrix.values;
  drawn.name.textContent = matrix.name;
  drawn.shape.textContent = matrix.shape;
  drawn.formula.textContent = matrix.formula;
  const write = writer(matrix);
  const marks = new Map(lit.map(([row, column, mark]) => [`${row},${column}`, mark]));
  const hidden = new Set(matrix.hidden.map(([row, column]) => `${row},${column}`));
  const [up, down] = SHADES[matrix.scale];
  matrix.values.forEach((numbers, row) =>
    numbers.forEach((value, column) => {
      const cell = drawn.cells[row][column];
      const at = `${row},${column}`;
      const text = write(value);
      const mark = marks.get(at) ?? "";
      if (cell.firstElementChild) return; // being typed into
      if (cell.textContent !== text) cell.textContent = text;
      const before = drawn.before?.[row]?.[column];
      if (edited && before !== undefined && before !== value) flash(cell);
      const strength = value === null ? 0 : Math.min(1, Math.abs(value) / matrix.top);
      cell.style.setProperty("--strength", `${Math.round(strength * 100)}%`);
      const changed = cell.classList.contains("changed") ? "changed" : "";
      const classes = [value < 0 ? down : up, hidden.has(at) ? "hidden" : "", mark, changed].join(" ").trim();
      if (cell.className !== classes) cell.className = classes;
      cell.setAttribute("aria-label", spoken(board.words, matrix, row, column, text, hidden.has(at), mark));
      cell.setAttribute("aria-selected", mark === "chosen");
    }),
  );
}

// Whole numbers stay whole; otherwise every number of a matrix has the same number of places.
function writer(matrix) {
  if (matrix.scale === "flag") return (value) => (value ? "\u2713" : "\u2715");
  const numbers = matrix.values.flat().filter((value) => value !== null);
  const places = numbers.every(Number.isInteger) ? 0 : matrix.decimals;
  return (value) => {
    if (value === null) return MINUS + INFINITY;
    if (Math.abs(value) >= 1e6) return value.toExponential(0).replace("+", "").replace("-", MINUS);
    const text = Math.abs(value).toFixed(places);
    return value < 0 && Number(text) !== 0 ? MINUS + text : text;
  };
}

function spoken(words, matrix, row, column, text, hidden, mark) {
  const number = text === MINUS + INFINITY ? words.infinity : text;
  const facts = {
    matrix: matrix.name,
    row_axis: matrix.axes[0],
    row: matrix.rows[row],
    column_axis: matrix.axes[1],
    column: matrix.columns[column],
    value: hidden ? words.hidden.replace("{value}", number) : number,
  };
  const label = words.cell.replace(/\{(\w+)\}/g, (_, key) => facts[key]);
  const change = matrix.scale === "flag" ? words.switch : words.edit;
  const notes = [mark ? words[mark] : "", matrix.editable ? change : ""].filter(Boolean);
  return notes.length ? `${label} (${notes.join(", ")})` : label;
}

const cellOf = (event) => event.target.closest("td[data-row]");
const placeOf = (cell) => [Number(cell.dataset.row), Number(cell.dataset.column)];

// The numbers that just changed are marked for a moment.
function flash(cell) {
  cell.classList.add("changed");
  clearTimeout(cell.fading);
  cell.fading = setTimeout(() => cell.classList.remove("changed"), 1500);
}

function pick(board, drawn, event) {
  const cell = cellOf(event);
  if (!cell || cell.firstElementChild) return;
  stopAt(drawn, cell);
  // A second tap on a chosen cell types, for those who have no keyboard.
  if (drawn.editable && cell.classList.contains("chosen")) edit(board, drawn, cell, null);
  else open(board, drawn, cell);
}

// A cell opens to its arithmetic; a cell of a mask that is the learner's own is switched instead.
function open(board, drawn, cell) {
  const [row, column] = placeOf(cell);
  if (drawn.switchable) send(board, drawn, cell, drawn.values[row][column] ? "0" : "1");
  else board.report("cell", [drawn.id, row, column]);
}

function press(board, drawn, event) {
  const cell = cellOf(event);
  if (!cell || cell.firstElementChild) return;
  const letter = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (letter !== "z" && letter !== "y") return;
    board.report("history", letter === "z" && !event.shiftKey ? "undo" : "redo");
  } else if (event.altKey) return;
  else if (drawn.editable && (event.key === "Enter" || event.key === "F2")) edit(board, drawn, cell, null);
  else if (drawn.editable && /^[-+\u2212\d.,]$/.test(event.key)) edit(board, drawn, cell, event.key);
  else if (event.key === "Enter" || event.key === " ") open(board, drawn, cell);
  else if (!walk(drawn, cell, event.key)) return;
  event.preventDefault();
  event.stopPropagation(); // these keys belong to the grid while it has the focus
}

function walk(drawn, cell, key) {
  const [row, column] = placeOf(cell);
  const last = drawn.cells[0].length - 1;
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, last],
  };
  if (!(key in moves)) return false;
  const [down, right] = moves[key];
  const next = drawn.cells[Math.max(0, Math.min(drawn.cells.length - 1, down))];
  stopAt(drawn, next[Math.max(0, Math.min(last, right))]);
  return true;
}

// Typing in place, as in a spreadsheet: Enter goes down, Tab right, Escape leaves the number as it was.
function edit(board, drawn, cell, first) {
  if (!cell || cell.firstElementChild) return;
  const before = cell.textContent;
  const [row, column] = placeOf(cell);
  const value = drawn.values[row][column];
  const input = element("input");
  input.value = first ?? String(value).replace("-", MINUS);
  input.setAttribute("aria-label", cell.getAttribute("aria-label"));
  input.inputMode = "text";
  input.autocomplete = "off";
  cell.append(input); // over the old number, which keeps the room
  input.focus();
  if (first === null) input.select();
  let over = false;
  const finish = (keep, next) => {
    if (over) return;
    over = true;
    const typed = input.value.trim();
    const changed = keep && typed !== "" && typed !== String(value).replace("-", MINUS);
    cell.replaceChildren(changed ? typed : before);
    if (next) walk(drawn, cell, next) || stopAt(drawn, cell);
    else if (keep !== "away") stopAt(drawn, cell);
    if (changed) send(board, drawn, cell, typed);
  };
  input.addEventListener("blur", () => finish("away", null));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const next = { Enter: event.shiftKey ? "ArrowUp" : "ArrowDown", Tab: event.shiftKey ? "ArrowLeft" : "ArrowRight" };
    if (event.key === "Escape") finish(false, null);
    else if (event.key in next) finish(true, next[event.key]);
    else if (first !== null && /^Arrow/.test(event.key)) finish(true, event.key);
    else return;
    event.preventDefault();
  });
}

// Every edit is repeated until the server has acknowledged it, so none is lost between two runs or while the
// connection is cut.
function send(board, drawn, cell, text) {
  board.count += 1;
  board.waiting.push([board.count, drawn.id, ...placeOf(cell), text]);
  report(board);
}

function report(board) {
  board.report("edits", board.waiting);
  clearTimeout(board.timer);
  board.timer = setTimeout(() => {
    if (!board.waiting.length || board.repeats >= MOST_REPEATS) return;
    board.repeats += 1;
    report(board);
  }, REPEAT_AFTER);
}

function paste(board, drawn, event) {
  const cell = cellOf(event);
  const text = event.clipboardData.getData("text/plain");
  if (!cell || cell.firstElementChild || !drawn.editable || !text) return;
  event.preventDefault();
  send(board, drawn, cell, text);
}

function copy(drawn, event) {
  const cell = cellOf(event);
  if (!cell || cell.firstElementChild) return;
  const lines = drawn.values.map((row) => row.map((value) => value ?? "-inf").join("\t"));
  event.clipboardData.setData("text/plain", lines.join("\n"));
  event.preventDefault();
}

// One stop for the Tab key in each grid: the cell that was used last.
function stopAt(drawn, cell) {
  for (const row of drawn.cells) for (const other of row) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}
