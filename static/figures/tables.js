// @ts-check
// The numbers of a figure as tables below it, and in words.

/** @import { DrawnMatrix, Given } from "./fill.js" */
/** @import { Host } from "../message/text.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn, headerCell } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { listed, placesOf } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./fill.js")} */
const { UNKNOWN, textsOf } = await import(`./fill.js${own}`);

// All that a figure shows, as tables below it. They cost nothing until somebody opens them.
/** @param {Bench} bench @param {Host} host @param {() => DrawnMatrix[]} matrices */
export function offerNumbers(bench, host, matrices) {
  if (!host.numbers) {
    host.numbers = element("details", "numbers");
    host.numbers.append(element("summary"));
    host.numbers.addEventListener("toggle", () => host.numbers.fill());
    host.after(host.numbers);
  }
  const { numbers } = host;
  numbers.firstChild.textContent = bench.outline.words.plot_numbers;
  numbers.fill = () => {
    if (numbers.open) numbers.replaceChildren(numbers.firstChild, ...matrices().map((matrix) => tableOf(bench, matrix)));
  };
  numbers.fill();
}

/** @param {Bench} bench @param {DrawnMatrix} matrix */
function tableOf(bench, matrix) {
  const made = element("table", "plain");
  made.append(element("caption", "", matrix.large ? overviewOf(bench, matrix) : matrix.sign + matrix.name));
  const head = made.createTHead().insertRow();
  head.append(element("td"), ...matrix.columns.map((name) => headerCell("col", name)));
  const body = made.createTBody();
  const hidden = new Set(matrix.hidden.map(([row, column]) => `${row},${column}`));
  textsOf(matrix, placesOf(matrix.values, bench.data.view.decimals)).forEach((texts, row) => {
    const line = body.insertRow();
    line.append(headerCell("row", matrix.rows[row]));
    texts.forEach((text, column) => {
      const cell = line.insertCell();
      cell.textContent = hidden.has(`${row},${column}`) && text !== UNKNOWN ? fillIn(bench.outline.words.hidden, { value: text }) : text;
    });
  });
  return made;
}

// The numbers of a figure in words, row by row, for those who do not see it.
/** @param {Bench} bench @param {Given} matrix */
export function inWords(bench, matrix) {
  if (matrix.unknown) return "";
  if (matrix.large) return overviewOf(bench, matrix);
  const texts = textsOf(matrix, placesOf(matrix.values, bench.data.view.decimals));
  return texts.map((line, row) => `${matrix.rows[row]}: ${listed(line)}`).join("; ");
}

/** @param {Bench} bench @param {Given} matrix */
function overviewOf(bench, { name, large }) {
  const [rows, columns] = large?.shape ?? [];
  return fillIn(bench.outline.words.overview, { matrix: name, rows, columns });
}
