// The board: every matrix as a grid of numbers, repainted in place.
//
// `paint` is called again with new data after every run. A matrix whose rows and columns are the same keeps
// its cells; only text, shade and marks change, so focus and scroll position stay where they are.

const SHADES = { signed: ["positive", "negative"], share: ["share", "share"], flag: ["flag", "flag"] };
const MINUS = "\u2212";
const INFINITY = "\u221E";

export async function paint({ data, parentElement, setStateValue }) {
  const board = parentElement.board ?? (parentElement.board = await start(parentElement));
  board.choose = (matrix, row, column) => setStateValue("cell", [matrix, row, column]);
  board.words = data.words;
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
    fill(board, drawn, matrix, data.lit[matrix.id] ?? []);
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
  return { root, matrices: new Map() };
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
  const drawn = { figure, name, shape, formula, cells, outline: outline(matrix) };
  grid.addEventListener("click", (event) => pick(board, drawn, matrix.id, event));
  grid.addEventListener("keydown", (event) => walk(board, drawn, matrix.id, event));
  return drawn;
}

function fill(board, drawn, matrix, lit) {
  drawn.figure.dataset.ink = matrix.ink;
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
      if (cell.textContent !== text) cell.textContent = text;
      const strength = value === null ? 0 : Math.min(1, Math.abs(value) / matrix.top);
      cell.style.setProperty("--strength", `${Math.round(strength * 100)}%`);
      const classes = [value < 0 ? down : up, hidden.has(at) ? "hidden" : "", mark].join(" ").trim();
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
  return mark ? `${label} (${words[mark]})` : label;
}

function pick(board, drawn, id, event) {
  const cell = event.target.closest("td[data-row]");
  if (!cell) return;
  stopAt(drawn, cell);
  board.choose(id, Number(cell.dataset.row), Number(cell.dataset.column));
}

function walk(board, drawn, id, event) {
  const cell = event.target.closest("td[data-row]");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = Number(cell.dataset.row);
  const column = Number(cell.dataset.column);
  const last = [drawn.cells.length - 1, drawn.cells[0].length - 1];
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, last[1]],
  };
  if (event.key === "Enter" || event.key === " ") board.choose(id, row, column);
  else if (event.key in moves) {
    const [down, right] = moves[event.key];
    stopAt(drawn, drawn.cells[Math.max(0, Math.min(last[0], down))][Math.max(0, Math.min(last[1], right))]);
  } else return;
  event.preventDefault();
  event.stopPropagation(); // the arrows belong to the grid while it has the focus
}

// One stop for the Tab key in each grid: the cell that was used last.
function stopAt(drawn, cell) {
  for (const row of drawn.cells) for (const other of row) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}
