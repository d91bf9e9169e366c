// @ts-check
// The board: every matrix as a grid of numbers, repainted in place.
//
// A matrix whose rows and columns are the same keeps its cells; only text, shade and marks change, so focus and
// scroll position stay where they are.

/** @import { Cell, Drawn, Labelled } from "./cells.js" */
/** @import { Outline } from "../message/message.js" */
/** @import { Rows } from "../message/numbers.js" */
/** @import { Bench, Guess } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { copyText, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { placesOf, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./cells.js")} */
const { cellOf, isOpen, wholePlace } = await import(`./cells.js${own}`);
/** @type {typeof import("./lens.js")} */
const { countPlaces, overview } = await import(`./lens.js${own}`);
/** @type {typeof import("./marked.js")} */
const { fadeLater, flash } = await import(`./marked.js${own}`);
/** @type {typeof import("./spoken.js")} */
const { spoken, textOf, titleOf } = await import(`./spoken.js${own}`);
/** @type {typeof import("./typing.js")} */
const { doubled, paste, pick, press, scrubsIn } = await import(`./typing.js${own}`);

/** @type {Record<string, string[]>} */
const SHADES = { signed: ["positive", "negative"], share: ["share", "share"], flag: ["flag", "flag"] };
const MOMENTARY = ["changed", "dragged"]; // classes of cells that come and go between two messages
const UNKNOWN = "?";
const LATER = "\u00B7";
const TRANSPOSED = "\u1D40";

// Every matrix of the page in order of flow, in lines.
/** @param {Bench} bench */
export function drawBoard(bench) {
  const { outline } = bench;
  const wanted = new Set(outline.matrices.map((matrix) => matrix.key));
  for (const [key, drawn] of bench.matrices) {
    if (wanted.has(key)) continue;
    drawn.figure.remove();
    bench.matrices.delete(key);
  }
  const roles = rolesOf(outline);
  bench.board.dataset.kind = roles ? "product" : "";
  outline.matrices.forEach((matrix, place) => {
    const { figure } = drawMatrix(bench, place, roles !== null && Boolean(outline.shown?.stand.turned?.includes(matrix.id)));
    figure.dataset.role = roles?.[place] ?? "";
    // A node that is moved loses the focus, so one that stands right stays.
    const line = lineOf(bench, matrix.row);
    const number = outline.matrices.slice(0, place).filter((other) => other.row === matrix.row).length;
    const standing = line.children[number];
    if (standing !== figure) line.insertBefore(figure, standing ?? null);
  });
  for (const line of bench.board.children) line.toggleAttribute("hidden", !line.children.length);
}

// Where the matrices of a product stand: at the left, above, and where they cross; null where there are others too.
/** @param {Outline} outline */
function rolesOf({ matrices, shown }) {
  if (shown?.stand.kind !== "product") return null;
  const { left, above, bias } = shown.stand;
  const roles = matrices.map(({ id }) =>
    id === shown.id ? "result" : left.includes(id) ? "left" : above.includes(id) ? "above" : id === bias ? "bias" : "",
  );
  return roles.length === new Set(roles).size && !roles.includes("") ? roles : null;
}

// One matrix of the outline with its present numbers, made or repainted; where it stands is another's business.
/** @param {Bench} bench @param {number} place @param {boolean} [turned] transposed @returns {Drawn} */
export function drawMatrix(bench, place, turned = false) {
  const { data, outline } = bench;
  const matrix = outline.matrices[place];
  const large = data.large?.[matrix.key];
  const labelled = /** @type {Labelled} */ (large ? { ...matrix, rows: large.rows, columns: large.columns } : matrix);
  const shape = outlineOf(labelled, Boolean(large), turned);
  let drawn = bench.matrices.get(matrix.key);
  if (!drawn || drawn.outline !== shape) {
    drawn?.figure.remove();
    drawn = build(bench, labelled, shape, turned);
    bench.matrices.set(matrix.key, drawn);
  }
  const at = large?.at ?? [0, 0];
  // Another part of it, or what it was before it was put away: nothing in it has changed.
  if (String(drawn.at) !== String(at) || !drawn.figure.isConnected) drawn.values = undefined;
  drawn.at = at;
  fillMatrix(bench, drawn, labelled, data.values[place]);
  if (bench.edited) fadeLater();
  if (large) {
    overview(bench, drawn, matrix, large);
    countPlaces(drawn, large);
  }
  return drawn;
}

/** @param {Bench} bench @param {number} row */
function lineOf(bench, row) {
  while (bench.board.children.length <= row) bench.board.append(element("div", "line"));
  return bench.board.children[row];
}

// What a matrix is built anew for; names of rows and columns are written in place, so that the focus stays.
/** @param {Labelled} matrix @param {boolean} large @param {boolean} turned */
const outlineOf = ({ rows, columns, axes, strip, row_strip }, large, turned) =>
  JSON.stringify([large, turned, rows.length, columns.length, axes, strip, row_strip]);

/** @param {Bench} bench @param {Labelled} matrix @param {string} outline @param {boolean} turned */
function build(bench, matrix, outline, turned) {
  const figure = element("figure", "matrix");
  const caption = element("figcaption");
  const name = element("span", "name");
  const shape = element("span", "shape");
  const formula = element("code", "formula");
  caption.id = `caption-${bench.number}-${matrix.key}`;
  const copy = element("button", "copy");
  copy.type = "button";
  copy.tabIndex = -1; // by keyboard it is Ctrl+C on any cell
  caption.append(name, shape, formula); // what the grid is called, so without the button
  const grid = element("table");
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-labelledby", caption.id);
  const headName = bench.outline.axes.head;
  const across = turned ? "row" : "col";
  const body = grid.createTBody();
  const head = grid.createTHead().insertRow();
  head.append(element("td"));
  // A transposed matrix has its columns as rows: the same cells, laid out the other way.
  const lines = (turned ? matrix.columns : matrix.rows).map(() => body.insertRow());
  const heads = matrix.columns.map((label, column) => header(turned ? lines[column] : head, across, label, column, matrix.strip, headName));
  const sides = matrix.rows.map((label, row) => header(turned ? head : lines[row], turned ? "col" : "row", label, row, matrix.row_strip, headName));
  const cells = matrix.rows.map((_, row) =>
    matrix.columns.map((__, column) => {
      const cell = element("td");
      cell.setAttribute("role", "gridcell");
      cell.tabIndex = row || column ? -1 : 0;
      cell.dataset.row = String(row);
      cell.dataset.column = String(column);
      lines[turned ? column : row].append(cell);
      return cell;
    }),
  );
  figure.append(caption, copy, grid);
  /** @type {Drawn} */
  const drawn = {
    ...{ key: matrix.key, id: matrix.id, matrix, outline, turned, figure, grid, name, shape, formula, copy, cells, heads, sides, at: [0, 0] },
    ...{ editable: false, switchable: false, guessing: false, later: false, isShown: () => true, tabFrom: null, named: "", looks: new Map() },
  };
  grid.addEventListener("click", (event) => pick(bench, drawn, event));
  grid.addEventListener("dblclick", (event) => doubled(bench, drawn, event));
  grid.addEventListener("keydown", (event) => press(bench, drawn, event));
  scrubsIn(bench, drawn, grid);
  grid.addEventListener("focusin", (event) => {
    const cell = cellOf(event);
    if (!drawn.guessing || !cell) return;
    const [row, column] = wholePlace(drawn, cell);
    bench.guessedLast = [drawn.key, row, column];
  });
  grid.addEventListener("focusout", (event) => {
    if (!grid.contains(/** @type {Node | null} */ (event.relatedTarget))) drawn.tabFrom = null;
  });
  grid.addEventListener("paste", (event) => paste(bench, drawn, event));
  grid.addEventListener("copy", (event) => {
    if (cellOf(event)?.firstElementChild !== null) return;
    event.clipboardData?.setData("text/plain", asTable(drawn));
    event.preventDefault();
    bench.say(fillIn(bench.outline.words.copied_matrix, { matrix: drawn.name.textContent }));
  });
  copy.addEventListener("click", async () => {
    await copyText(asTable(drawn));
    bench.say(fillIn(bench.outline.words.copied_matrix, { matrix: drawn.name.textContent }));
  });
  return drawn;
}

/**
 * @param {HTMLTableRowElement} line
 * @param {string} scope
 * @param {string} label
 * @param {number} place
 * @param {any[] | undefined} strip
 * @param {string} headName
 */
function header(line, scope, label, place, strip, headName) {
  const cell = element("th", "", label);
  cell.scope = scope;
  cell.dataset.place = String(place);
  cell.tabIndex = -1;
  if (strip) {
    const [ink, head] = strip[place];
    cell.dataset.ink = ink;
    cell.dataset.head = String(head % 8);
    cell.ariaDescription = `${headName} ${head}`;
  }
  line.append(cell);
  return cell;
}

// What is copied is what is seen: a number that is to be predicted stays covered.
/** @param {Drawn} drawn */
const asTable = (drawn) =>
  (drawn.values ?? []).map((row, down) => row.map((value, right) => (drawn.isShown(down, right) ? value ?? "-inf" : UNKNOWN)).join("\t")).join("\n");

/** @param {Bench} bench @param {Drawn} drawn @param {Labelled} matrix @param {Rows} values */
function fillMatrix(bench, drawn, matrix, values) {
  const { words } = bench.outline;
  const guesses = bench.guesses(matrix); // null, or what to show instead of the numbers
  drawn.figure.dataset.ink = matrix.ink;
  drawn.figure.classList.toggle("editable", matrix.editable);
  drawn.figure.classList.toggle("dense", matrix.columns.length > 10);
  drawn.guessing = guesses !== null && guesses !== "later";
  drawn.later = guesses === "later";
  drawn.isShown = (row, column) => guesses === null || (guesses !== "later" && Boolean(guesses.get(`${row},${column}`)?.open));
  drawn.editable = matrix.editable && matrix.scale !== "flag" && guesses === null;
  drawn.switchable = matrix.editable && matrix.scale === "flag" && guesses === null;
  drawn.matrix = matrix;
  drawn.grid.ariaReadOnly = String(!(drawn.editable || drawn.switchable || drawn.guessing));
  const named = JSON.stringify([bench.data.outline, bench.data.view.head, bench.data.view.batch, drawn.guessing, matrix.rows, matrix.columns]);
  if (drawn.named !== named) Object.assign(drawn, { named, looks: new Map() }); // what cells say of themselves is another thing
  const before = drawn.values;
  drawn.values = values;
  put(drawn.name, titleOf(bench, matrix) + (drawn.turned ? TRANSPOSED : ""));
  put(drawn.shape, matrix.shape);
  put(drawn.formula, matrix.formula);
  nameAll(drawn.sides, matrix.rows);
  nameAll(drawn.heads, matrix.columns);
  drawn.copy.setAttribute("aria-label", fillIn(words.copy_matrix, { matrix: drawn.name.textContent }));
  const places = placesOf(values, bench.data.view.decimals);
  const marks = new Map((bench.data.lit?.[matrix.key] ?? []).map(([row, column, mark]) => [`${row},${column}`, mark]));
  const hidden = new Set((bench.data.hidden?.[matrix.key] ?? []).map(([row, column]) => `${row},${column}`));
  const changes = bench.data.compare?.differences[matrix.key];
  const [firstKey, ...firstPlace] = bench.data.compare?.first?.at ?? [];
  const first = firstKey === matrix.key ? firstPlace.join() : null; // where two results part
  const [up, down] = SHADES[matrix.scale];
  const top = bench.data.tops[matrix.kind];
  values.forEach((numbers, row) =>
    numbers.forEach((value, column) => {
      const cell = drawn.cells[row][column];
      if (cell.firstElementChild) return; // being typed into
      const at = `${row},${column}`;
      const mark = marks.get(at) ?? "";
      /** @type {Guess | null} */
      const guess = guesses === "later" ? { text: bench.data.covered ? "" : LATER } : guesses?.get(at) ?? null;
      const shown = !drawn.isShown(row, column);
      const text = shown ? guess?.text ?? UNKNOWN : textOf(matrix, value, places);
      put(cell, text);
      const old = before?.[row]?.[column];
      if (bench.edited && old !== undefined && old !== value && !shown) flash(cell, textOf(matrix, old, places));
      const strength = shown || value === null ? 0 : strengthOf(Math.min(1, Math.abs(value) / top), matrix.scale);
      const shade = `${Math.round(strength * 100)}%`;
      const change = changes && !shown ? Math.sign(changes[row]?.[column] ?? 0) : 0;
      const classes = [
        value !== null && value < 0 ? down : up,
        hidden.has(at) && !shown ? "hidden" : "",
        mark,
        shown ? (guess?.right === undefined ? "blank" : guess.right ? "right" : "wrong") : guess?.verdict,
        change ? (change > 0 ? "grown" : "shrunk") : "",
        at === first && !shown ? "first" : "",
      ];
      const classNames = classes.filter(Boolean).join(" ");
      const spokenText = shown ? guess?.spoken ?? (drawn.later && !bench.data.covered ? words.later : words.blank) : text;
      const by = change ? fillIn(change > 0 ? words.more : words.less, { by: write(Math.abs(changes[row][column]), Math.max(2, places)) }) : "";
      const look = `${shade}|${classNames}|${spokenText}|${by}`;
      if (drawn.looks.get(cell) === look) return;
      drawn.looks.set(cell, look);
      cell.style.setProperty("--strength", shade);
      cell.className = [classNames, ...MOMENTARY.filter((name) => cell.classList.contains(name))].join(" ");
      const notes = [words[mark], words[shown ? "" : guess?.verdict ?? ""], by, at === first && !shown ? words.first : ""];
      const label = spoken(bench, matrix, row, column, spokenText, hidden.has(at) && !shown, notes);
      if (cell.ariaLabel !== label) cell.ariaLabel = label;
      cell.ariaSelected = String(mark === "chosen");
      const readOnly = drawn.guessing ? String(!isOpen(cell)) : null; // otherwise as the grid says
      if (cell.ariaReadOnly !== readOnly) cell.ariaReadOnly = readOnly;
    }),
  );
}

// How strong the shade is; small shares of attention are lifted, so that they can be told from nothing.
/** @param {number} part of the largest @param {string} scale */
const strengthOf = (part, scale) => (scale === "share" ? 1.1 * part ** 0.8 : part);

/** @param {HTMLTableCellElement[]} headers @param {string[]} names */
function nameAll(headers, names) {
  headers.forEach((head, place) => {
    if (!head.firstElementChild && head.textContent !== names[place]) head.textContent = names[place];
  });
}
