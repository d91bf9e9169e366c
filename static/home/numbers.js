// @ts-check
// The numbers of the word in focus, its row of X: dragged sideways, typed over, or counted up and down with the arrows.

/** @import { Dragged } from "../board/scrub.js" */
/** @import { Bench } from "../page/bench.js" */
/** @import { HomeBench, Seen } from "./home.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { asTyped, parseNumber } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../board/scrub.js")} */
const { scrubbedByKey, scrubs } = await import(`../board/scrub.js${own}`);

/** @param {Bench} bench @param {HTMLElement} notes */
export function buildNumbers(bench, notes) {
  const host = element("div", "numbers");
  const label = element("p", "label");
  const row = element("div", "row");
  const how = element("p", "how-to");
  const back = element("div", "back-and-forth");
  const undo = button("undo", undefined, () => bench.acts.add("undo"));
  const redo = button("redo", undefined, () => bench.acts.add("redo"));
  row.setAttribute("role", "group");
  const below = element("div", "beside-row");
  back.append(undo, redo);
  below.append(how, back);
  host.append(label, row, below);
  notes.append(host);
  scrubs(bench, row, (event) => {
    const field = fieldOf(event);
    return field && !isTyped(field) ? draggedIn(/** @type {HomeBench} */ (bench), field) : null;
  });
  host.addEventListener("keydown", (event) => press(/** @type {HomeBench} */ (bench), event));
  row.addEventListener("focusin", (event) => fieldOf(event)?.select());
  row.addEventListener("focusout", (event) => take(/** @type {HomeBench} */ (bench), fieldOf(event)));
  return { host, label, row, undo, redo, how };
}

/** @param {Event} event */
const fieldOf = (event) => /** @type {HTMLInputElement | null} */ (/** @type {Element} */ (event.target).closest(".number"));

/** @param {HomeBench} bench @param {Seen} seen */
export function drawNumbers(bench, { focus, names, words }) {
  const { numbers } = bench.home;
  const row = rowOf(bench);
  const word = names[focus];
  put(numbers.label, fillIn(words.change, { word }));
  put(numbers.how, words.how);
  numbers.row.setAttribute("aria-label", numbers.label.textContent);
  drawBack(bench);
  while (numbers.row.children.length > row.length) numbers.row.lastElementChild?.remove();
  while (numbers.row.children.length < row.length) numbers.row.append(makeField());
  row.forEach((value, place) => {
    const field = /** @type {HTMLInputElement} */ (numbers.row.children[place]);
    field.setAttribute("aria-label", fillIn(words.number, { word, place: place + 1, all: row.length }));
    field.setAttribute("aria-valuenow", String(value));
    const text = asTyped(value);
    if (field.dataset.is === text && isTyped(field)) return; // it is being typed over
    if (field.value !== text) {
      field.value = text;
      if (field === document.activeElement) field.select(); // what is typed next takes its place
    }
    field.style.setProperty("--letters", String(text.length));
    field.dataset.is = text;
  });
}

function makeField() {
  const field = element("input", "number");
  field.type = "text";
  field.inputMode = "text"; // numeric keyboards of phones have no minus sign
  field.autocomplete = "off";
  field.setAttribute("role", "spinbutton");
  return field;
}

// Undo and redo are in sight once there is something to take back.
/** @param {HomeBench} bench */
function drawBack({ acts, home: { numbers }, outline: { words } }) {
  for (const [press, text, past, name] of /** @type {const} */ ([
    [numbers.undo, "\u21B6", acts.undo, words.do_undo],
    [numbers.redo, "\u21B7", acts.redo, words.do_redo],
  ])) {
    put(press, text);
    press.title = name;
    press.setAttribute("aria-label", name);
    press.disabled = !past.length;
  }
}

// The numbers of the word in focus.
/** @param {HomeBench} bench */
function rowOf({ data, outline }) {
  const place = outline.matrices.findIndex(({ id }) => id === "x");
  return data.values[place][data.view.focus].map(Number);
}

/** @param {HTMLInputElement} field */
const isTyped = (field) => field === document.activeElement && field.value !== field.dataset.is;

/** @param {HTMLInputElement} field */
const columnOf = (field) => [...(field.parentElement?.children ?? [])].indexOf(field);

/** @param {HomeBench} bench @param {HTMLInputElement} field @returns {Dragged} */
function draggedIn(bench, field) {
  const [row, column] = [bench.data.view.focus, columnOf(field)];
  return { value: rowOf(bench)[column], place: field, act: (number) => ["edit", "x", row, column, String(number)] };
}

/** @param {HomeBench} bench @param {KeyboardEvent} event */
function press(bench, event) {
  const field = fieldOf(event);
  const letter = event.key.toLowerCase();
  if (field && event.key === "Enter") {
    take(bench, field);
    field.select();
  } else if (field && event.key === "Escape" && isTyped(field)) {
    field.value = field.dataset.is ?? "";
    field.select();
  } else if ((event.ctrlKey || event.metaKey) && (letter === "z" || letter === "y") && !(field && isTyped(field)))
    bench.acts.add(letter === "z" && !event.shiftKey ? "undo" : "redo");
  else if (field && !event.ctrlKey && !event.metaKey && /^Arrow(Up|Down)$/.test(event.key)) {
    take(bench, field);
    scrubbedByKey(bench, event, () => draggedIn(bench, field), true);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

// What was typed is the new number; what is no number is refused by the server, with a sentence.
/** @param {HomeBench} bench @param {HTMLInputElement | null} field */
function take(bench, field) {
  const typed = field?.value.trim() ?? "";
  if (!field || field.value === field.dataset.is) return;
  const before = field.dataset.is ?? "";
  if (!typed || parseNumber(typed) === parseNumber(before)) field.value = before;
  else {
    field.dataset.is = field.value; // the next message says what it is
    bench.acts.add("edit", "x", bench.data.view.focus, columnOf(field), typed);
  }
}
