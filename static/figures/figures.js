// Figures, drawn by Plotly and updated in place. Python made them (ui/figures) and the outline brought them; here they
// get the numbers of the board, the colours of the theme and the width of their place. They wait until the page has
// painted, so that the numbers on the board come first.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { listed, placesOf, separators } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("./fill.js")} */
const { UNKNOWN, asDrawn, fill, fit, textsOf } = await import(`./fill.js${own}`);

const MOST_ZOOMED = 12; // columns in sight from which a large matrix shows its numbers
const SIDES = 48; // pixels left and right of a figure

const script = () => new URL("../plotly.min.js", import.meta.url).href;
let loading = window.Plotly ? Promise.resolve(window.Plotly) : null; // there already, in a handout

// Fetched while the board is being built, run after it is painted.
export function fetchAhead() {
  if (loading) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "script", href: script() });
  document.head.append(link);
}

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = script();
    made.onload = () => resolve(window.Plotly);
    made.onerror = (fault) => {
      loading = null; // the next figure asks again
      reject(fault);
    };
    document.head.append(made);
  });
  return loading;
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// The figure of the step in focus, and its numbers as tables.
export async function drawLater(bench, step) {
  const label = fillIn(bench.outline.words.figure, { name: step.name, numbers: inWords(bench, matrixOf(bench, { step: step.id })) });
  await drawMatrices(bench, bench.focus.figure, step.figure, label, `${bench.data.outline}/${step.id}`);
}

// By how much each number of the step changed since a result was kept.
export async function drawDifference(bench, place, step) {
  const isThere = Boolean(bench.data.compare.differences[keyOf(bench, step.id)]);
  place.hidden = !isThere;
  if (place.numbers) place.numbers.hidden = !isThere;
  if (!isThere) return;
  const changes = matrixOf(bench, step.change.layout.meta.matrices[0]);
  await drawMatrices(bench, place, step.change, `${changes.name}. ${inWords(bench, changes)}`, `change/${step.id}`);
}

async function drawMatrices(bench, place, figure, label, of) {
  place.setAttribute("aria-label", label);
  const drawn = figure.layout.meta.matrices;
  offerNumbers(bench, place, () => drawn.map((one) => asDrawn(one, matrixOf(bench, one))));
  // Taken now: when it is drawn, what it shows may be over.
  const numbers = { matrices: drawn.map((one) => matrixOf(bench, one)), shares: sharesOf(bench) };
  await drawAt(bench, place, of, () => {
    const [fitted, cell] = fit(figure, widthOf(place));
    const near = nearMatrices(place, fitted, of);
    const view = { cell, near, decimals: bench.data.view.decimals, scales: bench.outline.figures.scales, colour: themeOf(bench) };
    const filled = fill(fitted, numbers, view);
    filled.data = filled.data.map((trace) => seenFrom(trace, near));
    return filled;
  });
}

// Curves or bars over x, from a lesson.
export async function drawPlot(bench, place, block) {
  await drawAt(bench, place, block.key, () => fill(block.figure, { block }, { colour: themeOf(bench) }));
}

// All that a figure shows, as tables below it. They cost nothing until somebody opens them.
function offerNumbers(bench, place, matrices) {
  if (!place.numbers) {
    place.numbers = element("details", "numbers");
    place.numbers.append(element("summary"));
    place.numbers.addEventListener("toggle", () => place.numbers.fill());
    place.after(place.numbers);
  }
  const { numbers } = place;
  numbers.firstChild.textContent = bench.outline.words.plot_numbers;
  numbers.fill = () => {
    if (numbers.open) numbers.replaceChildren(numbers.firstChild, ...matrices().map((matrix) => tableOf(bench, matrix)));
  };
  numbers.fill();
}

function tableOf(bench, matrix) {
  const made = element("table", "plain");
  made.append(element("caption", "", matrix.large ? overviewOf(bench, matrix) : matrix.sign + matrix.name));
  const head = made.createTHead().insertRow();
  head.append(element("td"), ...matrix.columns.map((name) => headerOf("col", name)));
  const body = made.createTBody();
  const hidden = new Set(matrix.hidden.map(([row, column]) => `${row},${column}`));
  textsOf(matrix, placesOf(matrix.values, bench.data.view.decimals)).forEach((texts, row) => {
    const line = body.insertRow();
    line.append(headerOf("row", matrix.rows[row]));
    texts.forEach((text, column) => {
      const cell = line.insertCell();
      cell.textContent = hidden.has(`${row},${column}`) && text !== UNKNOWN ? fillIn(bench.outline.words.hidden, { value: text }) : text;
    });
  });
  return made;
}

function headerOf(scope, name) {
  const made = element("th", "", name);
  made.scope = scope;
  return made;
}

// The numbers of a figure in words, row by row, for those who do not see it.
function inWords(bench, matrix) {
  if (matrix.unknown) return "";
  if (matrix.large) return overviewOf(bench, matrix);
  const texts = textsOf(matrix, placesOf(matrix.values, bench.data.view.decimals));
  return texts.map((line, row) => `${matrix.rows[row]}: ${listed(line)}`).join("; ");
}

const overviewOf = (bench, { name, large: { shape: [rows, columns] } }) => fillIn(bench.outline.words.overview, { matrix: name, rows, columns });

// How much larger than usual the page's letters are: figures, which count in pixels, follow.
const enlargement = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
const GROWING = new Set(["height", "l", "r", "t", "b", "size", "yshift", "standoff"]);

function enlarged(part, by, name) {
  if (typeof part === "number") return GROWING.has(name) ? part * by : part;
  if (part === null || typeof part !== "object" || ["x", "y", "z"].includes(name)) return part;
  if (Array.isArray(part)) return part.map((one) => enlarged(one, by));
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, enlarged(one, by, key)]));
}

const widthOf = (place) => Math.max(220, (place.clientWidth || 380) / enlargement() - SIDES);
const themeOf = (bench) => {
  const style = getComputedStyle(bench.root);
  return (name) => style.getPropertyValue(name).trim();
};

async function drawAt(bench, place, of, make) {
  place.turn = (place.turn ?? 0) + 1;
  const { turn } = place;
  let Plotly;
  try {
    await painted();
    Plotly = await plotly();
  } catch {
    place.textContent = bench.outline.words.no_figure;
    return;
  }
  if (!place._fullLayout) place.textContent = ""; // what was said instead of a figure
  if (turn !== place.turn || !place.isConnected) return; // a newer figure is on its way, or nobody looks any more
  const { data, layout } = withLook(bench, place, make());
  const height = `${layout.height}px`;
  if (place.style.minHeight !== height) place.style.minHeight = height; // nothing jumps while it is drawn
  for (const [name, range] of Object.entries(zoomOf(place, of))) layout[name] = { ...layout[name], range };
  await Plotly.react(place, data, layout, config(bench));
  place.drawn = turn;
  listen(bench, place, layout, of);
  if (place.clientWidth && place._fullLayout.width !== place.clientWidth) await Plotly.Plots.resize(place); // its place has another size now
}

// With what every figure of its kind has, in the letters and colours of the page.
function withLook(bench, place, figure) {
  const by = enlargement();
  const kind = bench.outline.figures[figure.layout.meta.kind];
  const template = { ...kind, layout: fill({ data: [], layout: kind.layout }, {}, { colour: themeOf(bench) }).layout };
  const { data, layout } = by === 1 ? figure : enlarged(figure, by);
  const font = { family: getComputedStyle(place).fontFamily };
  return { data, layout: { ...layout, template: enlarged(template, by), font, separators: separators() } };
}

// Plotly's own bar has buttons that would send the chart to somebody else; ours has none but these.
function config(bench) {
  const { words } = bench.outline;
  const dictionary = { Zoom: words.zoom, Pan: words.pan, "Zoom in": words.zoom_in, "Zoom out": words.zoom_out, "Reset axes": words.zoom_reset };
  const { language } = bench.data;
  const modeBarButtons = [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]];
  const touch = matchMedia("(hover: none)").matches; // where the bar would cover the figure all the time
  return { displaylogo: false, responsive: true, scrollZoom: false, showTips: false, displayModeBar: touch ? false : "hover", modeBarButtons, locale: language, locales: { [language]: { dictionary, format: {} } } };
}

// Plotly keeps a figure, and looks after it, until it is told that it is gone.
export function release(gone) {
  for (const place of gone.querySelectorAll(".js-plotly-plot")) window.Plotly.purge(place);
}

// The figure as a file, as it stands.
export async function save(place, format) {
  const Plotly = await plotly();
  await Plotly.downloadImage(place, { format, scale: format === "png" ? 2 : 1, filename: "attention" });
}

// A click opens the cell; zooming into a large matrix brings its numbers.
function listen(bench, place, layout, of) {
  const drawn = layout.meta.matrices ?? [];
  place.removeAllListeners?.("plotly_click");
  place.removeAllListeners?.("plotly_relayout");
  place.on("plotly_click", ({ points: [point] }) => {
    const one = drawn[point.data.meta?.matrix];
    if (!one || bench.data.view.predict) return;
    const [row, column] = one.turned ? [point.x, point.y] : [point.y, point.x];
    const cell = one.cells ? one.cells[point.y][point.x] : [Math.round(row), Math.round(column)];
    bench.acts.add("cell", keyOf(bench, one.step), ...cell);
  });
  place.on("plotly_relayout", (change) => {
    const names = Object.keys(change);
    if (!names.some((name) => /axis\d*\.(range|autorange)/.test(name))) return; // another width is no zoom
    const isReset = names.every((name) => name.endsWith("autorange"));
    place.zoom = isReset ? null : { of, ranges: rangesOf(place, layout) };
    drawn.forEach((one, number) => moveLens(bench, place, one, number));
  });
}

// The part that the learner zoomed to, kept through repaints of the same figure.
const zoomOf = (place, of) => (place.zoom?.of === of ? place.zoom.ranges : {});
const axisName = (letter, number) => `${letter}axis${number ? number + 1 : ""}`;

function rangesOf(place, layout) {
  const names = Object.keys(layout).filter((name) => /^[xy]axis/.test(name) && !layout[name].fixedrange);
  return Object.fromEntries(names.map((name) => [name, [...place.layout[name].range]]));
}

// From near, the lens of the board goes where the learner looks.
function moveLens(bench, place, drawn, number) {
  if (!bench.data.large?.[keyOf(bench, drawn.step)]) return;
  const [x0, x1] = place.layout[axisName("x", number)].range;
  const [y1, y0] = place.layout[axisName("y", number)].range;
  if (x1 - x0 > MOST_ZOOMED) return;
  const [row, column] = [Math.max(0, Math.round((y0 + y1) / 2)), Math.max(0, Math.round((x0 + x1) / 2))];
  bench.acts.add("lens", keyOf(bench, drawn.step), ...(drawn.turned ? [column, row] : [row, column]));
}

// Large matrices that are seen from near, with the width of their cells in pixels.
function nearMatrices(place, { layout }, of) {
  const near = {};
  for (const [name, [start, end]] of Object.entries(zoomOf(place, of))) {
    const { domain } = layout[name] ?? {};
    if (!name.startsWith("x") || !domain || end - start > MOST_ZOOMED) continue;
    near[Number(name.slice(5) || 1) - 1] = ((domain[1] - domain[0]) * widthOf(place)) / (end - start);
  }
  return near;
}

// A large matrix is a picture from far, and from near its true cells and their exact numbers.
function seenFrom(trace, near) {
  const { matrix, from } = trace.meta ?? {};
  return from ? { ...trace, visible: (from === "near") === matrix in near } : trace;
}

// With all heads shown, the matrix of the chosen head.
function keyOf(bench, id) {
  const found = bench.outline.matrices.filter((matrix) => matrix.id === id);
  const own = found.find((matrix) => matrix.front?.some(([axis, place]) => axis === "head" && place === bench.data.view.head));
  return (own ?? found[0])?.key;
}

// What a figure needs of a matrix of the board: `Numbers` of ui/figures/parts.py.
function matrixOf(bench, { step, change }) {
  const { outline, data } = bench;
  const key = keyOf(bench, step);
  const place = outline.matrices.findIndex((matrix) => matrix.key === key);
  const matrix = outline.matrices[place];
  const large = data.large?.[key] ?? null;
  const found = {
    name: matrix.by_head ? `${matrix.name}, ${outline.axes.head} ${data.view.head}` : matrix.name,
    scale: matrix.scale,
    top: data.tops[matrix.kind],
    rows: large?.rows ?? matrix.rows,
    columns: large?.columns ?? matrix.columns,
    values: data.values[place],
    hidden: data.hidden?.[key] ?? [],
    lit: data.lit?.[key] ?? [],
    strip: matrix.strip ?? null,
    unknown: unknownOf(bench.guesses(matrix), data.values[place]),
    large,
  };
  if (!change) return found;
  const values = data.compare.differences[key];
  const top = Math.max(...values.flat().map((value) => Math.abs(value ?? 0))) || 1;
  return { ...found, name: fillIn(outline.words.compare_name, { name: found.name }), values, top, scale: "signed", hidden: [], lit: [], unknown: null, large: null };
}

// Which cells are still to be predicted; null where none is.
function unknownOf(guesses, values) {
  if (guesses === null) return null;
  const isFound = (guess) => Boolean(guess?.open || guess?.right);
  return values.map((line, row) => line.map((_, column) => guesses === "later" || !isFound(guesses.get(`${row},${column}`))));
}

// The rows of weights that are shown as bars, unless they are to be predicted.
function sharesOf(bench) {
  const known = Object.entries(bench.data.shares ?? {}).filter(([step]) => !matrixOf(bench, { step }).unknown);
  const titleOf = (step) => fillIn(bench.outline.words.bars, { name: matrixOf(bench, { step }).name, row: "{row}" });
  return Object.fromEntries(known.map(([step, shares]) => [step, { ...shares, title: titleOf(step) }]));
}
