// The board: every matrix as a grid of numbers, repainted in place.
//
// A matrix whose rows and columns are the same keeps its cells; only text, shade and marks change, so focus and
// scroll position stay where they are.

const own = new URL(import.meta.url).search; // the version that all files share
/** @type {typeof import("../message/text.js")} */
const { copyText, element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, MINUS, asTyped, placesOf, write } = await import(`../message/numbers.js${own}`);

const SHADES = { signed: ["positive", "negative"], share: ["share", "share"], flag: ["flag", "flag"] };
const UNKNOWN = "?";
const LATER = "\u00B7";

export function drawBoard(bench) {
  const { data, outline } = bench;
  const edited = bench.edited; // only then are changed numbers marked
  const kept = new Map();
  const wanted = new Set(outline.matrices.map((matrix) => matrix.key));
  for (const [key, drawn] of bench.matrices) {
    if (wanted.has(key)) kept.set(key, drawn);
    else drawn.figure.remove();
  }
  bench.matrices = kept;
  const changes = [];
  outline.matrices.forEach((matrix, place) => {
    const large = data.large?.[matrix.key];
    const labelled = large ? { ...matrix, rows: large.rows, columns: large.columns } : matrix;
    const shape = outlineOf(labelled, Boolean(large));
    let drawn = kept.get(matrix.key);
    if (!drawn || drawn.outline !== shape) {
      drawn?.figure.remove();
      drawn = build(bench, labelled, shape);
      kept.set(matrix.key, drawn);
    }
    const at = large?.at ?? [0, 0];
    if (String(drawn.at) !== String(at)) drawn.values = undefined; // another part: nothing in it has changed
    drawn.at = at;
    changes.push(...fill(bench, drawn, labelled, data.values[place], edited));
    if (large) {
      overview(bench, drawn, matrix, large);
      countPlaces(drawn, large);
    }
    // In order of flow. A node that is moved loses the focus, so one that stands right stays.
    const line = lineOf(bench, matrix.row);
    const number = outline.matrices.slice(0, place).filter((other) => other.row === matrix.row).length;
    const standing = line.children[number];
    if (standing !== drawn.figure) line.insertBefore(drawn.figure, standing ?? null);
  });
  for (const line of bench.board.children) line.hidden = !line.children.length;
  if (bench.answered) tell(bench, changes);
}

// What an edit did, for those who listen: the number itself, how many others follow, and the first of the last matrix.
function tell(bench, changes) {
  const { words } = bench.outline;
  const isAnswer = bench.typed?.number <= bench.acts.answered; // else an answer to what was done before it
  const own = isAnswer ? bench.typed : null;
  if (isAnswer) bench.typed = null;
  if (bench.data.sentence) return; // it was refused, which is said already
  const drawn = own && bench.matrices.get(own.key);
  const [row, column] = drawn ? own.place.map((place, axis) => place - drawn.at[axis]) : [];
  const cell = drawn?.cells[row]?.[column];
  const isGuess = own?.wanted === "guess";
  if (isGuess && cell) bench.hear(`${cell.ariaLabel}.`);
  if (isGuess || bench.playing || bench.lesson?.playing) return;
  const others = changes.filter((change) => change.cell !== cell);
  if (!own && !others.length) return;
  if (cell) bench.hear(fillIn(words.told_number, shortName(bench, drawn, row, column)));
  if (!others.length) return bench.hear(words.told_nothing);
  const last = others.find(({ drawn: { key } }) => key === others.at(-1).drawn.key);
  bench.hear(fillIn(words.told_changes, { count: others.length, ...shortName(bench, last.drawn, last.row, last.column) }));
}

const shortName = (bench, drawn, row, column) => ({
  matrix: titleOf(bench, drawn.matrix),
  row: drawn.matrix.rows[row],
  column: drawn.matrix.columns[column],
  value: inWords(bench, drawn.matrix, drawn.cells[row][column].textContent),
});

function lineOf(bench, row) {
  while (bench.board.children.length <= row) bench.board.append(element("div", "line"));
  return bench.board.children[row];
}

// What a matrix is built anew for; names of rows and columns are written in place, so that the focus stays.
const outlineOf = ({ rows, columns, axes, strip, row_strip }, large) => JSON.stringify([large, rows.length, columns.length, axes, strip, row_strip]);

function build(bench, matrix, outline) {
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
  const head = grid.createTHead().insertRow();
  head.append(element("td"));
  const heads = matrix.columns.map((label, place) => header(head, "col", label, place, matrix.strip, bench.outline.axes.head));
  const body = grid.createTBody();
  const sides = [];
  const cells = matrix.rows.map((label, row) => {
    const line = body.insertRow();
    sides.push(header(line, "row", label, row, matrix.row_strip, bench.outline.axes.head));
    return matrix.columns.map((_, column) => {
      const cell = line.insertCell();
      cell.setAttribute("role", "gridcell");
      cell.tabIndex = row || column ? -1 : 0;
      cell.dataset.row = row;
      cell.dataset.column = column;
      return cell;
    });
  });
  figure.append(caption, copy, grid);
  const drawn = { key: matrix.key, id: matrix.id, figure, grid, name, shape, formula, copy, cells, heads, sides, outline };
  grid.addEventListener("click", (event) => pick(bench, drawn, event));
  grid.addEventListener("dblclick", (event) => doubled(bench, drawn, event));
  grid.addEventListener("keydown", (event) => press(bench, drawn, event));
  grid.addEventListener("focusin", (event) => {
    if (drawn.guessing && cellOf(event)) bench.guessedLast = [drawn.key, ...wholePlace(drawn, cellOf(event))];
  });
  grid.addEventListener("focusout", (event) => {
    if (!grid.contains(event.relatedTarget)) drawn.tabFrom = null;
  });
  grid.addEventListener("paste", (event) => paste(bench, drawn, event));
  grid.addEventListener("copy", (event) => {
    if (!cellOf(event) || cellOf(event).firstElementChild) return;
    event.clipboardData.setData("text/plain", asTable(drawn));
    event.preventDefault();
    bench.say(fillIn(bench.outline.words.copied_matrix, { matrix: drawn.name.textContent }));
  });
  copy.addEventListener("click", async () => {
    await copyText(asTable(drawn));
    bench.say(fillIn(bench.outline.words.copied_matrix, { matrix: drawn.name.textContent }));
  });
  return drawn;
}

function header(line, scope, label, place, strip, headName) {
  const cell = element("th", "", label);
  cell.scope = scope;
  cell.dataset.place = place;
  cell.tabIndex = -1;
  if (strip) {
    const [ink, head] = strip[place];
    cell.dataset.ink = ink;
    cell.dataset.head = head % 8;
    cell.ariaDescription = `${headName} ${head}`;
  }
  line.append(cell);
  return cell;
}

// What is copied is what is seen: a number that is to be predicted stays covered.
const asTable = (drawn) =>
  drawn.values.map((row, down) => row.map((value, right) => (drawn.isShown(down, right) ? value ?? "-inf" : UNKNOWN)).join("\t")).join("\n");

// Returns the cells whose number has changed.
function fill(bench, drawn, matrix, values, edited) {
  const { words } = bench.outline;
  const changed = [];
  const guesses = bench.guesses(matrix); // null, or what to show instead of the numbers
  drawn.figure.dataset.ink = matrix.ink;
  drawn.figure.classList.toggle("editable", matrix.editable);
  drawn.figure.classList.toggle("focused", bench.inFocus(matrix.id));
  drawn.figure.classList.toggle("apart", !bench.concerns(matrix));
  drawn.figure.classList.toggle("dense", matrix.columns.length > 10);
  drawn.guessing = guesses !== null && guesses !== "later";
  drawn.later = guesses === "later";
  drawn.isShown = (row, column) => guesses === null || Boolean(guesses.get?.(`${row},${column}`)?.open);
  drawn.editable = matrix.editable && matrix.scale !== "flag" && guesses === null;
  drawn.switchable = matrix.editable && matrix.scale === "flag" && guesses === null;
  drawn.matrix = matrix;
  drawn.grid.ariaReadOnly = !(drawn.editable || drawn.switchable || drawn.guessing);
  const before = drawn.values;
  drawn.values = values;
  drawn.name.textContent = titleOf(bench, matrix);
  drawn.shape.textContent = matrix.shape;
  drawn.formula.textContent = matrix.formula;
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
      const guess = guesses === "later" ? { text: bench.data.covered ? UNKNOWN : LATER } : guesses?.get(at) ?? null;
      const shown = !drawn.isShown(row, column);
      const text = shown ? guess?.text ?? UNKNOWN : textOf(matrix, value, places);
      if (cell.textContent !== text) cell.textContent = text;
      if (before !== undefined && before[row]?.[column] !== value && !shown) {
        changed.push({ drawn, cell, row, column });
        if (edited) flash(cell);
      }
      const strength = shown || value === null ? 0 : Math.min(1, Math.abs(value) / top);
      cell.style.setProperty("--strength", `${Math.round(strength * 100)}%`);
      const change = changes && !shown ? Math.sign(changes[row]?.[column] ?? 0) : 0;
      const classes = [
        value < 0 ? down : up,
        hidden.has(at) && !shown ? "hidden" : "",
        mark,
        shown ? (guess?.right === undefined ? "blank" : guess.right ? "right" : "wrong") : guess?.verdict,
        change ? (change > 0 ? "grown" : "shrunk") : "",
        at === first && !shown ? "first" : "",
        cell.classList.contains("changed") ? "changed" : "",
      ];
      const classNames = classes.filter(Boolean).join(" ");
      if (cell.className !== classNames) cell.className = classNames;
      const spokenText = shown ? guess?.spoken ?? (drawn.later && !bench.data.covered ? words.later : words.blank) : text;
      const by = change ? fillIn(change > 0 ? words.more : words.less, { by: write(Math.abs(changes[row][column]), Math.max(2, places)) }) : "";
      const notes = [words[mark], words[shown ? "" : guess?.verdict], by, at === first && !shown ? words.first : ""];
      const label = spoken(bench, matrix, row, column, spokenText, hidden.has(at) && !shown, notes);
      if (cell.ariaLabel !== label) cell.ariaLabel = label;
      cell.ariaSelected = mark === "chosen";
      const readOnly = drawn.guessing ? String(!isOpen(cell)) : null; // otherwise as the grid says
      if (cell.ariaReadOnly !== readOnly) cell.ariaReadOnly = readOnly;
    }),
  );
  return changed;
}

function nameAll(headers, names) {
  headers.forEach((head, place) => {
    if (!head.firstElementChild && head.textContent !== names[place]) head.textContent = names[place];
  });
}

export function titleOf(bench, matrix) {
  if (!matrix.front) return matrix.name;
  const parts = matrix.front.map(([axis, place]) =>
    axis === "part" ? "QKV"[place] : `${bench.outline.axes[axis]} ${place}`,
  );
  return `${matrix.name}, ${parts.join(", ")}`;
}

function textOf(matrix, value, places) {
  if (matrix.scale === "flag") return value ? "\u2713" : "\u2715";
  return write(value, places, CELL);
}

function spoken(bench, matrix, row, column, text, hidden, marks) {
  const { words, axes } = bench.outline;
  const number = inWords(bench, matrix, text);
  const facts = {
    matrix: titleOf(bench, matrix),
    row_axis: axes[matrix.axes[0]],
    row: matrix.rows[row],
    column_axis: axes[matrix.axes[1]],
    column: matrix.columns[column],
    value: hidden ? words.hidden.replace("{value}", number) : number,
  };
  const label = fillIn(words.cell, facts);
  const change = matrix.scale === "flag" ? words.switch : words.edit;
  const notes = [...marks, matrix.editable ? change : ""].filter(Boolean);
  return notes.length ? `${label} (${notes.join(", ")})` : label;
}

function inWords(bench, matrix, text) {
  const { words } = bench.outline;
  if (matrix.scale === "flag") return { "\u2713": words.yes, "\u2715": words.no }[text] ?? text;
  return text === `${MINUS}\u221E` ? words.infinity : text;
}

// Of a large matrix a part is shown: which one is told, counting the names as the first row and column.
function countPlaces(drawn, { shape, at }) {
  const { grid, cells, heads, sides } = drawn;
  [grid.ariaRowCount, grid.ariaColCount] = shape.map((size) => size + 1);
  grid.tHead.rows[0].ariaRowIndex = 1;
  heads.forEach((head, place) => (head.ariaColIndex = at[1] + place + 2));
  sides.forEach((side, place) => {
    side.ariaColIndex = 1;
    side.parentElement.ariaRowIndex = at[0] + place + 2;
  });
  for (const row of cells) row.forEach((cell, place) => (cell.ariaColIndex = at[1] + place + 2));
}

// A large matrix as a picture; pressing it brings the numbers under the finger.
function overview(bench, drawn, matrix, large) {
  if (!drawn.canvas) {
    drawn.canvas = element("canvas", "overview");
    drawn.canvas.setAttribute("role", "img");
    drawn.figure.insertBefore(drawn.canvas, drawn.grid);
    drawn.figure.classList.add("large");
    drawn.canvas.addEventListener("click", (event) => {
      const [rows, columns] = drawn.large.shape;
      const within = (share, size) => Math.max(0, Math.min(size - 1, Math.floor(share * size))); // its border too
      const row = within(event.offsetY / drawn.canvas.clientHeight, rows);
      const column = within(event.offsetX / drawn.canvas.clientWidth, columns);
      bench.acts.add("lens", drawn.key, row, column);
    });
  }
  drawn.large = large;
  const { canvas } = drawn;
  const { words } = bench.outline;
  canvas.setAttribute("aria-label", fillIn(words.overview, { matrix: matrix.name, rows: large.shape[0], columns: large.shape[1] }));
  canvas.title = words.overview_how;
  const [rows, columns] = large.size;
  canvas.width = columns;
  canvas.height = rows;
  canvas.style.aspectRatio = `${Math.max(columns, rows / 3)} / ${Math.max(rows, columns / 3)}`;
  const bytes = Uint8Array.from(atob(large.dots), (letter) => letter.charCodeAt(0));
  const pixels = canvas.getContext("2d").createImageData(columns, rows);
  const [up, down] = matrix.scale === "share" ? [[130, 80, 196], [130, 80, 196]] : [[63, 120, 191], [184, 116, 26]];
  bytes.forEach((byte, place) => {
    const value = byte - 128;
    const [red, green, blue] = value < 0 ? down : up;
    pixels.data.set([red, green, blue, Math.min(255, Math.abs(value) * 2)], place * 4);
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

const cellOf = (event) => event.target.closest("td[data-row]");
const headerOf = (event) => event.target.closest("th[data-place]");
const placeOf = (cell) => [Number(cell.dataset.row), Number(cell.dataset.column)];
// Where a cell stands in the whole matrix, of which a part may be shown.
const wholePlace = (drawn, cell) => placeOf(cell).map((place, axis) => place + drawn.at[axis]);

// The numbers that just changed are marked for a moment.
function flash(cell) {
  cell.classList.add("changed");
  clearTimeout(cell.fading);
  cell.fading = setTimeout(() => cell.classList.remove("changed"), 1500);
}

function doubled(bench, drawn, event) {
  const head = headerOf(event);
  if (head) rename(bench, drawn, head);
  else if (drawn.editable) edit(bench, drawn, cellOf(event), null);
}

function pick(bench, drawn, event) {
  const cell = cellOf(event);
  if (!cell || cell.firstElementChild) return;
  drawn.tabFrom = null;
  stopAt(drawn, cell);
  if (drawn.guessing && isOpen(cell)) edit(bench, drawn, cell, "");
  // A second tap on a chosen cell types, for those who have no keyboard.
  else if (drawn.editable && cell.classList.contains("chosen")) edit(bench, drawn, cell, null);
  else open(bench, drawn, cell);
}

const isOpen = (cell) => cell.classList.contains("blank") || cell.classList.contains("wrong");

// A cell opens to its arithmetic; a cell of a mask that is the learner's own is switched instead.
function open(bench, drawn, cell) {
  if (drawn.later && !bench.data.covered) return;
  const [row, column] = placeOf(cell);
  if (drawn.switchable) send(bench, drawn, cell, drawn.values[row][column] ? "0" : "1");
  else bench.acts.add("cell", drawn.key, ...wholePlace(drawn, cell));
}

function press(bench, drawn, event) {
  const cell = cellOf(event) ?? headerOf(event);
  if (!cell || cell.firstElementChild) return;
  const isHeader = cell.tagName === "TH";
  const letter = event.key.toLowerCase();
  const typing = drawn.editable || (drawn.guessing && !isHeader && isOpen(cell));
  if (event.ctrlKey || event.metaKey) {
    if (letter !== "z" && letter !== "y") return;
    bench.acts.add(letter === "z" && !event.shiftKey ? "undo" : "redo");
  } else if (event.altKey) return;
  else if (isHeader && (event.key === "Enter" || event.key === "F2")) rename(bench, drawn, cell);
  else if (isHeader && !event.key.startsWith("Arrow")) return;
  else if (typing && event.key === "F2") edit(bench, drawn, cell, drawn.guessing ? "" : null);
  else if (typing && event.key === "Enter") edit(bench, drawn, cell, drawn.guessing ? "" : null);
  else if (drawn.editable && (event.key === "Delete" || event.key === "Backspace")) send(bench, drawn, cell, "0");
  else if (typing && /^[^\sp?]$/i.test(event.key)) edit(bench, drawn, cell, event.key);
  else if (isAlongRows(drawn, cell) && event.key === "Tab") {
    if (!tab(drawn, cell, event.shiftKey)) return;
  } else if (isAlongRows(drawn, cell) && event.key === "Escape") drawn.tabFrom = null; // Tab leaves the matrix again
  else if (event.key === "Escape") bench.acts.add("cell");
  else if (event.key === "Enter" || event.key === " ") open(bench, drawn, cell);
  else if (!walk(drawn, cell, event.key)) return;
  event.preventDefault();
  event.stopPropagation(); // these keys belong to the grid while it has the focus
}

// Arrows walk the cells, and from the first row or column on to the names.
function walk(drawn, cell, key) {
  const last = [drawn.cells.length - 1, drawn.cells[0].length - 1];
  let [row, column] = placeOf(cell);
  if (cell.tagName === "TH") [row, column] = cell.scope === "col" ? [-1, Number(cell.dataset.place)] : [Number(cell.dataset.place), -1];
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
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
const isAlongRows = (drawn, cell) => cell.tagName === "TD" && Number.isInteger(drawn.tabFrom);

// Whether there was a cell to go to, in this row or the next one.
function tab(drawn, cell, back) {
  const [row, column] = placeOf(cell);
  const width = drawn.cells[0].length;
  const place = row * width + column + (back ? -1 : 1);
  const target = drawn.cells[Math.floor(place / width)]?.[place % width];
  if (target) stopAt(drawn, target);
  return Boolean(target);
}

function nextRow(drawn, cell, column) {
  const row = Math.min(placeOf(cell)[0] + 1, drawn.cells.length - 1);
  stopAt(drawn, drawn.cells[row][column]);
}

// Typing in place, as in a spreadsheet: Enter goes down, Tab right and on to the next row, Escape leaves the number as
// it was.
function edit(bench, drawn, cell, first) {
  if (!cell || cell.firstElementChild) return;
  const [row, column] = placeOf(cell);
  const value = drawn.guessing ? "" : drawn.values[row][column];
  const before = value === null ? "-inf" : asTyped(value);
  type(bench, drawn, cell, first ?? before, first === null, (typed) => {
    if (typed === "" || typed === before) return null;
    return () => send(bench, drawn, cell, typed);
  }, first !== null);
}

function rename(bench, drawn, head) {
  if (!bench.canRename || drawn.large || head.firstElementChild) return;
  const axis = drawn.matrix.axes[head.scope === "col" ? 1 : 0];
  const before = head.textContent;
  type(bench, drawn, head, before, true, (typed) => {
    if (typed === "" || typed === before) return null;
    return () => bench.acts.add("rename", drawn.key, axis, Number(head.dataset.place), typed);
  }, false);
}

function type(bench, drawn, cell, text, select, changeOf, arrowsLeave) {
  const shown = cell.textContent;
  const input = element("input");
  input.value = text;
  input.setAttribute("aria-label", cell.getAttribute("aria-label") ?? fillIn(bench.outline.words.rename, { name: shown }));
  input.autocomplete = "off";
  cell.append(input); // over the old text, which keeps the room
  cell.classList.add("typing");
  input.focus();
  if (select) input.select();
  let over = false;
  const finish = (keep, next) => {
    if (over) return;
    over = true;
    const typed = input.value.trim();
    const change = keep ? changeOf(typed) : null;
    cell.replaceChildren(change ? typed : shown);
    cell.classList.remove("typing");
    if (next) walk(drawn, cell, next) || stopAt(drawn, cell);
    else if (keep !== "away") stopAt(drawn, cell);
    change?.();
  };
  input.addEventListener("blur", () => finish("away", null));
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const next = { Enter: event.shiftKey ? "ArrowUp" : "ArrowDown", Tab: event.shiftKey ? "ArrowLeft" : "ArrowRight" };
    const from = drawn.tabFrom; // which is gone once the field is
    if (event.key === "Escape") finish(false, null);
    else if (event.key === "Tab" && cell.tagName === "TD") {
      finish(true, null);
      if (!tab(drawn, cell, event.shiftKey)) return; // the browser's own Tab leaves the matrix
      drawn.tabFrom = from ?? placeOf(cell)[1];
    } else if (event.key === "Enter" && !event.shiftKey && isAlongRows(drawn, cell)) {
      finish(true, null);
      nextRow(drawn, cell, from);
      drawn.tabFrom = from;
    } else if (event.key in next) finish(true, next[event.key]);
    else if (arrowsLeave && /^Arrow/.test(event.key)) finish(true, event.key);
    else return;
    event.preventDefault();
  });
}

function send(bench, drawn, cell, text) {
  const wanted = drawn.guessing ? "guess" : "edit";
  bench.acts.add(wanted, drawn.key, ...wholePlace(drawn, cell), text);
  bench.typed = { wanted, number: bench.acts.count, key: drawn.key, place: wholePlace(drawn, cell) };
}

function paste(bench, drawn, event) {
  const cell = cellOf(event);
  const text = event.clipboardData.getData("text/plain");
  if (!cell || cell.firstElementChild || !(drawn.editable || drawn.guessing) || !text) return;
  event.preventDefault();
  send(bench, drawn, cell, text);
}

// One stop for the Tab key in each grid: the cell that was used last.
function stopAt(drawn, cell) {
  for (const row of [drawn.heads, drawn.sides, ...drawn.cells]) for (const other of row) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}
