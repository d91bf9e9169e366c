// @ts-check
// Finding a cell of a matrix, and going from one to the next by keyboard.

/** @import { Large, MatrixOutline } from "../message/message.js" */
/** @import { Rows } from "../message/numbers.js" */

/** @typedef {HTMLTableCellElement} Cell */
/** @typedef {MatrixOutline & { rows: string[], columns: string[] }} Labelled with the names of the rows and columns that are shown */
/** @typedef {{ key: string, row: number, column: number }} Change a cell whose number has changed, whether it is shown or not */

/**
 * A matrix as it stands on the board: what was built once, and what the last message says.
 * @typedef {object} Drawn
 * @property {string} key
 * @property {string} id
 * @property {string} outline what it was built for
 * @property {boolean} turned it lies transposed: its columns are the rows of the table
 * @property {HTMLElement} figure
 * @property {HTMLTableElement} grid
 * @property {HTMLElement} name
 * @property {HTMLElement} shape
 * @property {HTMLElement} formula
 * @property {HTMLButtonElement} copy
 * @property {Cell[][]} cells
 * @property {Cell[]} heads of columns
 * @property {Cell[]} sides heads of rows
 * @property {Labelled} matrix
 * @property {Rows} [values]
 * @property {number[]} at row and column of the whole matrix that are the first here
 * @property {Large} [large]
 * @property {HTMLCanvasElement} [canvas]
 * @property {boolean} editable
 * @property {boolean} switchable
 * @property {boolean} guessing
 * @property {boolean} later it comes after the step that is to be predicted
 * @property {(row: number, column: number) => boolean} isShown
 * @property {string} named what the labels of its cells were made for
 * @property {Map<Cell, string>} looks of each cell, as it was drawn last
 * @property {number | null} tabFrom the column where typing with Tab began
 */

/** @param {Event} event */
export const cellOf = (event) => /** @type {Cell | null} */ (/** @type {Element} */ (event.target).closest("td[data-row]"));
/** @param {Event} event */
export const headerOf = (event) => /** @type {Cell | null} */ (/** @type {Element} */ (event.target).closest("th[data-place]"));
/** @param {Cell} cell */
export const placeOf = (cell) => [Number(cell.dataset.row), Number(cell.dataset.column)];
// Where a cell stands in the whole matrix, of which a part may be shown.
/** @param {Drawn} drawn @param {Cell} cell */
export const wholePlace = (drawn, cell) => placeOf(cell).map((place, axis) => place + drawn.at[axis]);

/** @param {Cell} cell */
export const isOpen = (cell) => cell.classList.contains("blank") || cell.classList.contains("wrong");

// One stop for the Tab key in each grid: the cell that was used last.
/** @param {Drawn} drawn @param {Cell} cell */
export function stopAt(drawn, cell) {
  for (const row of [drawn.heads, drawn.sides, ...drawn.cells]) for (const other of row) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

// Whether a header names a column of the matrix, wherever it stands in the table.
/** @param {Drawn} drawn @param {Cell} cell */
export const isOfColumns = (drawn, cell) => (cell.scope === "col") !== drawn.turned;

// Arrows walk the cells, and from the first row or column on to the names.
/** @param {Drawn} drawn @param {Cell} cell @param {string} key */
export function walk(drawn, cell, key) {
  const last = [drawn.cells.length - 1, drawn.cells[0].length - 1];
  let [row, column] = placeOf(cell);
  if (cell.tagName === "TH") [row, column] = isOfColumns(drawn, cell) ? [-1, Number(cell.dataset.place)] : [Number(cell.dataset.place), -1];
  const [down1, right1] = drawn.turned ? [[0, 1], [1, 0]] : [[1, 0], [0, 1]]; // one cell on, as it is seen
  /** @type {Record<string, number[]>} */
  const moves = {
    ArrowUp: [row - down1[0], column - down1[1]],
    ArrowDown: [row + down1[0], column + down1[1]],
    ArrowLeft: [row - right1[0], column - right1[1]],
    ArrowRight: [row + right1[0], column + right1[1]],
    Home: [row, 0],
    End: [row, last[1]],
  };
  if (!(key in moves)) return false;
  const [down, right] = moves[key].map((place, axis) => Math.max(-1, Math.min(last[axis], place)));
  if (down < 0 && right < 0) return true;
  const target = down < 0 ? drawn.heads[right] : right < 0 ? drawn.sides[down] : drawn.cells[down][right];
  drawn.tabFrom = null;
  stopAt(drawn, target);
  return true;
}

// While numbers are typed with Tab between them, Tab goes on through the cells, and Enter returns to the column where
// it began, `tabFrom`. Escape, an arrow, a press or the last cell end that: then Tab goes to the next matrix.
/** @param {Drawn} drawn @param {Cell} cell */
export const isAlongRows = (drawn, cell) => cell.tagName === "TD" && Number.isInteger(drawn.tabFrom);

// Whether there was a cell to go to, in this row or the next one.
/** @param {Drawn} drawn @param {Cell} cell @param {boolean} back */
export function tab(drawn, cell, back) {
  const [row, column] = placeOf(cell);
  const width = drawn.cells[0].length;
  const place = row * width + column + (back ? -1 : 1);
  const target = drawn.cells[Math.floor(place / width)]?.[place % width];
  if (target) stopAt(drawn, target);
  return Boolean(target);
}

/** @param {Drawn} drawn @param {Cell} cell @param {number} column */
export function nextRow(drawn, cell, column) {
  const row = Math.min(placeOf(cell)[0] + 1, drawn.cells.length - 1);
  stopAt(drawn, drawn.cells[row][column]);
}
