// Figures of the step in focus, drawn by Plotly from the numbers of the board and updated in place.
//
// What is multiplied stands left and above, the product at the crossing; cells of one size, so that shapes can be
// compared by eye. They wait until the page has painted, so that the numbers on the board come first.

const own = new URL(import.meta.url).search;
const { element, fillIn } = await import(`./text.js${own}`);
const { CELL, listed, placesOf, separators, write } = await import(`./numbers.js${own}`);

const UNKNOWN = "?"; // to be predicted
const MOST_ZOOMED = 12; // columns in sight from which a large matrix shows its numbers
const GAP = 1; // cells between two matrices
const LARGEST_CELL = 44; // pixels
const CHARACTER = 7.2; // pixels of a digit
const MARGIN = { l: 40, r: 8, t: 54, b: 8 };
// Transparent where a number is 0, so that both themes show through.
const SIGNED = [[0, "rgba(184,116,26,0.6)"], [0.5, "rgba(184,116,26,0)"], [0.5, "rgba(63,120,191,0)"], [1, "rgba(63,120,191,0.6)"]];
const SHARE = [[0, "rgba(130,80,196,0)"], [1, "rgba(130,80,196,0.6)"]];
const FLAG = [[0, "rgba(128,128,128,0)"], [1, "rgba(128,128,128,0.35)"]];
const BARS = "rgba(130,80,196,0.75)";
// One hue for each head, safe for the common colour-vision deficiencies; heads are named as well.
const HEADS = ["#56B4E9", "#E69F00", "#CC79A7", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#999999"];
const HEAD_SHARE = 0.4; // of a head's hue over the page, so that numbers on it are read
const AXIS = { showgrid: false, zeroline: false, ticks: "", tickfont: { size: 12 }, fixedrange: false };
const TITLE = { xref: "paper", yref: "paper", xanchor: "left", yanchor: "bottom", yshift: 20, showarrow: false, font: { size: 13 } };
const CLEAR = "rgba(0,0,0,0)";
const PAPER = { modebar: { bgcolor: CLEAR, color: "rgba(128,128,128,0.7)", activecolor: "#8a5fd0" }, showlegend: false, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", dragmode: "zoom" };

const script = () => new URL("plotly.min.js", import.meta.url).href;
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

export async function drawLater(bench, step) {
  const place = bench.focus.figure;
  const words = bench.outline.words;
  const label = fillIn(words.figure, { name: step.name, numbers: inWords(bench, matrixOf(bench, step.id)) });
  place.setAttribute("aria-label", label);
  const make = () => figureOf(bench, step, widthOf(place));
  offerNumbers(bench, place, make);
  await drawAt(bench, place, make);
}

export async function drawDifference(bench, place, step) {
  const rows = bench.data.compare.differences[keyOf(bench, step.id)];
  place.hidden = !rows;
  if (place.numbers) place.numbers.hidden = !rows;
  if (!rows) return;
  const matrix = matrixOf(bench, step.id);
  const top = Math.max(...rows.flat().map((value) => Math.abs(value ?? 0))) || 1;
  const drawn = { ...matrix, name: fillIn(bench.outline.words.compare_name, { name: matrix.name }), values: rows, scale: "signed", top, hidden: [], lit: [], blank: false };
  place.setAttribute("aria-label", `${drawn.name}. ${inWords(bench, drawn)}`);
  const make = () => rowFigure(bench, [drawn], widthOf(place));
  offerNumbers(bench, place, make);
  await drawAt(bench, place, make);
}

// All that a figure shows, as tables below it. They cost nothing until somebody opens them.
function offerNumbers(bench, place, make) {
  if (!place.numbers) {
    place.numbers = element("details", "numbers");
    place.numbers.append(element("summary"));
    place.numbers.addEventListener("toggle", () => place.numbers.fill());
    place.after(place.numbers);
  }
  const { numbers } = place;
  numbers.firstChild.textContent = bench.outline.words.plot_numbers;
  numbers.fill = () => {
    if (numbers.open) numbers.replaceChildren(numbers.firstChild, ...make().matrices.map((matrix) => tableOf(bench, matrix)));
  };
  numbers.fill();
}

function tableOf(bench, matrix) {
  const made = element("table", "plain");
  const of = { matrix: matrix.name, rows: size(matrix)[0], columns: size(matrix)[1] };
  made.append(element("caption", "", matrix.large ? fillIn(bench.outline.words.overview, of) : matrix.name));
  const head = made.createTHead().insertRow();
  head.append(element("td"), ...matrix.columns.map((name) => headerOf("col", name)));
  const body = made.createTBody();
  const hidden = new Set(matrix.hidden.map(([row, column]) => `${row},${column}`));
  textsOf(bench, matrix).forEach((texts, row) => {
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

// Curves or bars over x, from a lesson; each line has a dash of its own besides its colour.
export async function drawPlot(bench, place, block) {
  await drawAt(bench, place, () => plotFigure(block));
}

function plotFigure(block) {
  const inks = { q: "blue-color", k: "orange-color", v: "green-color", "": "violet-color", plain: "gray-color" };
  const data = block.series.map((one) => {
    const color = themeColour(inks[one.ink] ?? inks[""]);
    const shared = { x: block.x, y: one.y, name: one.name, showlegend: one.named, hovertemplate: "%{x}: %{y}<extra>%{fullData.name}</extra>" };
    if (block.bars) return { ...shared, type: "bar", marker: { color, opacity: 0.75 } };
    return { ...shared, type: "scatter", mode: block.x.length > 24 ? "lines" : "lines+markers", line: { color, dash: one.dash, width: one.named ? 2 : 1 }, marker: { size: 5 } };
  });
  const axis = (title, log, values) => ({ title: { text: title, standoff: 8 }, type: log ? "log" : undefined, ...ticks(values, log), showgrid: true, gridcolor: "rgba(128,128,128,0.2)", fixedrange: true, automargin: true });
  const shapes = block.at === null ? [] : [{ type: "line", x0: block.at, x1: block.at, xref: "x", y0: 0, y1: 1, yref: "paper", line: { dash: "dot", width: 1.5 } }];
  const layout = { height: 280, margin: { l: 56, r: 12, t: 8, b: 44 }, annotations: [], shapes, showlegend: block.series.length > 1, legend: { orientation: "h", y: -0.28 }, dragmode: false };
  return { of: block.key, data, layout: { ...layout, xaxis: axis(block.x_title, block.log_x, block.x), yaxis: { ...axis(block.y_title, block.log_y, block.series.flatMap((one) => one.y)), rangemode: "tozero", range: block.top === null ? undefined : [0, block.top] } } };
}

// A logarithmic axis names its powers of ten and no bare 2 or 5 between them; millions and more are powers of ten, as in the tables.
function ticks(values, log) {
  const sizes = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return { ...(log && most >= 10 * least && { dtick: 1 }), ...(most >= 1e6 && { exponentformat: "power" }) };
}

// How much larger than usual the page's letters are: figures, which count in pixels, follow.
const enlargement = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
const GROWING = new Set(["height", "l", "r", "t", "b", "size", "yshift", "standoff"]);

function enlarged(part, by, name) {
  if (typeof part === "number") return GROWING.has(name) ? part * by : part;
  if (part === null || typeof part !== "object" || name === "z" || name === "x" || name === "y") return part;
  if (Array.isArray(part)) return part.map((one) => enlarged(one, by));
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, enlarged(one, by, key)]));
}

const widthOf = (place) => Math.max(220, (place.clientWidth || 380) / enlargement() - MARGIN.l - MARGIN.r);

async function drawAt(bench, place, make) {
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
  const by = enlargement();
  const figure = by === 1 ? make() : enlarged(make(), by);
  const style = getComputedStyle(place); // read before anything is written: the page is measured once
  const colour = style.getPropertyValue("--st-text-color").trim() || style.color;
  const layout = styled(figure.layout, { color: colour, family: style.fontFamily, size: 12 * by }, colour, by);
  const height = `${figure.layout.height}px`;
  if (place.style.minHeight !== height) place.style.minHeight = height; // nothing jumps while it is drawn
  if (place.view && place.view.of === figure.of) Object.assign(layout, place.view.ranges(layout));
  await Plotly.react(place, figure.data, layout, config(bench));
  place.drawn = turn;
  listen(bench, place, figure);
  if (place.clientWidth && place._fullLayout.width !== place.clientWidth) await Plotly.Plots.resize(place); // its place has another size now
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

function styled(layout, font, colour, by) {
  const axes = Object.entries(layout).filter(([name]) => /^[xy]axis/.test(name));
  const [usualTitle, usualAxis] = [enlarged(TITLE, by), enlarged(AXIS, by)];
  const annotations = layout.annotations.map((annotation) => ({ ...usualTitle, ...annotation }));
  const plain = Object.fromEntries(axes.map(([name, axis]) => [name, { ...usualAxis, ...axis }]));
  const shapes = (layout.shapes ?? []).map((shape) => ({ ...shape, line: { color: colour, width: 1, ...shape.line } }));
  return { ...PAPER, separators: separators(), margin: enlarged(MARGIN, by), ...layout, ...plain, annotations, shapes, font };
}

// A click opens the cell; zooming into a large matrix brings its numbers.
function listen(bench, place, figure) {
  place.removeAllListeners?.("plotly_click");
  place.removeAllListeners?.("plotly_relayout");
  place.on("plotly_click", ({ points: [point] }) => {
    const { meta } = point.data;
    if (!meta || bench.data.view.predict) return;
    const cell = meta.turned ? [point.x, point.y] : [point.y, point.x];
    if (meta.cells) bench.acts.add("cell", meta.key, ...meta.cells[point.y][point.x]);
    else bench.acts.add("cell", meta.key, ...cell.map(Math.round));
  });
  place.on("plotly_relayout", (change) => {
    place.view = viewOf(place, figure);
    if (!Object.keys(change).some((name) => /axis\d*\.(range|autorange)/.test(name))) return;
    for (const drawn of figure.matrices ?? []) if (drawn.large) zoomed(bench, place, drawn);
  });
}

// The part that the learner zoomed to, kept through repaints of the same figure.
function viewOf(place, figure) {
  const found = {};
  for (const name of Object.keys(figure.layout)) {
    if (/^[xy]axis/.test(name) && place.layout[name]) found[name] = [...place.layout[name].range];
  }
  return {
    of: figure.of,
    ranges: (layout) => Object.fromEntries(Object.entries(found).map(([name, range]) => [name, { ...layout[name], range }])),
  };
}

function zoomed(bench, place, drawn) {
  const [x0, x1] = place.layout[`xaxis${drawn.axis}`].range;
  const [y1, y0] = place.layout[`yaxis${drawn.axis}`].range;
  if (x1 - x0 > MOST_ZOOMED) return;
  const [row, column] = [Math.max(0, Math.round((y0 + y1) / 2)), Math.max(0, Math.round((x0 + x1) / 2))];
  bench.acts.add("lens", drawn.key, ...(drawn.turned ? [column, row] : [row, column]));
}

// A matrix of the board with all that a figure needs of it. With all heads shown, the chosen head's.
function keyOf(bench, id) {
  const found = bench.outline.matrices.filter((matrix) => matrix.id === id);
  const own = found.find((matrix) => matrix.front?.some(([axis, place]) => axis === "head" && place === bench.data.view.head));
  return (own ?? found[0])?.key;
}

function matrixOf(bench, id, key = keyOf(bench, id)) {
  const { outline, data } = bench;
  const place = outline.matrices.findIndex((matrix) => matrix.key === key);
  const matrix = outline.matrices[place];
  const large = data.large?.[key];
  const guesses = bench.guesses(matrix);
  return {
    key,
    id,
    name: matrix.by_head ? `${matrix.name}, ${outline.axes.head} ${data.view.head}` : matrix.name,
    ink: matrix.ink,
    scale: matrix.scale,
    top: data.tops[matrix.kind],
    rows: large?.rows ?? matrix.rows,
    columns: large?.columns ?? matrix.columns,
    values: data.values[place],
    hidden: data.hidden?.[key] ?? [],
    lit: data.lit?.[key] ?? [],
    strip: matrix.strip,
    blank: guesses !== null,
    guesses,
    large,
  };
}

function transposed(matrix) {
  const turn = (cells) => cells.map(([row, column, ...rest]) => [column, row, ...rest]);
  return {
    ...matrix,
    name: matrix.name.replace(/(?=,|$)/, "\u1D40"),
    turned: true,
    values: matrix.values[0].map((_, column) => matrix.values.map((row) => row[column])),
    rows: matrix.columns,
    columns: matrix.rows,
    hidden: turn(matrix.hidden),
    lit: turn(matrix.lit),
  };
}

const size = (matrix) => {
  if (!matrix.large) return [matrix.rows.length, matrix.columns.length];
  return matrix.turned ? [...matrix.large.shape].reverse() : matrix.large.shape;
};
// In a figure a large matrix takes the room of this many cells.
const room = (matrix) => size(matrix).map((length) => (matrix.large ? Math.min(12, length) : length));

function figureOf(bench, step, width) {
  const { picture } = step;
  bench.pictured = `${bench.data.outline}/${step.id}`;
  const result = matrixOf(bench, step.id);
  const found = {
    product: () => {
      const [left, above] = [picture.left, picture.above].map(([id, turned]) => (turned ? transposed(matrixOf(bench, id)) : matrixOf(bench, id)));
      return productFigure(bench, left, above, result, picture.bias && matrixOf(bench, picture.bias), width);
    },
    shares: () => sharesFigure(bench, picture.of.map((id) => matrixOf(bench, id)), result, bench.data.shares?.[step.id], width),
    moved: () => movedFigure(bench, picture, step, width),
    row: () => rowFigure(bench, [...picture.of.map((id) => matrixOf(bench, id)), result], width),
  }[picture.kind]();
  return { ...found, of: bench.pictured };
}

// One matrix on the axes `axis` ("" or "2" or "3"): its colours, and over them its numbers, where they fit.
// The numbers are a layer of their own, because only that follows the theme's text colour.
function heatmap(bench, matrix, axis, cell) {
  const on = { xaxis: `x${axis}`, yaxis: `y${axis}` };
  const meta = { key: matrix.key, turned: matrix.turned ?? false };
  const [low, scale] = { share: [0, SHARE], flag: [0, FLAG] }[matrix.scale] ?? [-matrix.top, SIGNED];
  const look = { type: "heatmap", meta, colorscale: scale, zmin: low, zmax: matrix.top, showscale: false, hovertemplate: `%{z}<extra>${matrix.name}</extra>`, ...on };
  if (matrix.large) return cellsUnderLens(bench, matrix, on, look) ?? [{ ...look, ...dotsOf(matrix) }];
  const texts = textsOf(bench, matrix);
  const z = matrix.values.map((row, r) => row.map((value, c) => (texts[r][c] === UNKNOWN ? null : value)));
  const colours = { ...look, z, xgap: 2, ygap: 2, hoverongaps: false };
  const longest = Math.max(...texts.flat().map((text) => text.length));
  if (longest * CHARACTER > cell) return [colours];
  return [colours, writing(texts, on)];
}

// Its numbers as they are written, without those that are still to be predicted.
function textsOf(bench, matrix) {
  const places = placesOf(matrix.values, bench.data.view.decimals);
  const isFound = (guess) => guess?.open || guess?.right;
  const isBlank = (row, column) => matrix.blank && (matrix.guesses === "later" || !isFound(matrix.guesses.get(`${row},${column}`)));
  return matrix.values.map((row, r) => row.map((value, c) => (isBlank(r, c) ? UNKNOWN : textOf(matrix, value, places))));
}

const textOf = (matrix, value, places) => (matrix.scale === "flag" ? (value ? "\u2713" : "\u2715") : write(value, places, CELL));

function writing(texts, on, at = [0, 0]) {
  const [x, y, text] = [[], [], []];
  texts.forEach((row, r) => row.forEach((one, c) => (x.push(c + at[1]), y.push(r + at[0]), text.push(one))));
  return { type: "scatter", mode: "text", x, y, text, hoverinfo: "skip", cliponaxis: true, ...on };
}

function dotsOf(matrix) {
  const { dots, shape, size: [rows, columns] } = matrix.large;
  const bytes = Uint8Array.from(atob(dots), (letter) => letter.charCodeAt(0));
  let z = Array.from({ length: rows }, (_, row) => Array.from(bytes.subarray(row * columns, (row + 1) * columns), (byte) => ((byte - 128) / 127) * matrix.top));
  let [dy, dx] = [Math.ceil(shape[0] / rows), Math.ceil(shape[1] / columns)];
  if (matrix.turned) [z, dy, dx] = [z[0].map((_, column) => z.map((row) => row[column])), dx, dy];
  return { z, x0: (dx - 1) / 2, dx, y0: (dy - 1) / 2, dy };
}

// Zoomed in, a large matrix shows its true cells and their exact numbers under the lens.
function cellsUnderLens(bench, matrix, on, look) {
  const place = bench.focus.figure;
  const axis = place.view?.of === bench.pictured ? place.layout?.[`xaxis${on.xaxis.slice(1)}`] : undefined;
  const span = axis ? axis.range[1] - axis.range[0] : Infinity;
  if (span > MOST_ZOOMED) return null;
  const [row, column] = matrix.turned ? [...matrix.large.at].reverse() : matrix.large.at;
  const cells = { ...look, z: matrix.values, x0: column, y0: row, dx: 1, dy: 1, xgap: 1, ygap: 1 };
  const wide = ((axis.domain[1] - axis.domain[0]) * widthOf(place)) / span; // pixels of a cell
  // With as many places as there is room for; the board below has them all.
  for (let places = placesOf(matrix.values, bench.data.view.decimals); places >= 0; places -= 1) {
    const texts = matrix.values.map((line) => line.map((value) => write(value, places, CELL)));
    const size = Math.min(12, (wide - 2) / (0.6 * Math.max(...texts.flat().map((text) => text.length))));
    if (size >= 8) return [cells, { ...writing(texts, on, [row, column]), textfont: { size } }];
  }
  return [cells];
}

function axesOf(matrix, axis, across, up) {
  const [rows, columns] = size(matrix);
  const ticks = matrix.large ? { tickformat: "d", nticks: 6 } : null;
  const ends = (range) => range.map((end) => Math.round(end * 1e4) / 1e4);
  return {
    [`xaxis${axis}`]: { domain: ends(across), anchor: `y${axis}`, side: "top", range: [-0.5, columns - 0.5], ...(ticks ?? { tickvals: matrix.columns.map((_, place) => place), ticktext: matrix.columns.map((name, place) => inInk(short(name), matrix.strip?.[place]?.[0])) }) },
    [`yaxis${axis}`]: { domain: ends(up), anchor: `x${axis}`, range: [rows - 0.5, -0.5], ...(ticks ?? { tickvals: matrix.rows.map((_, place) => place), ticktext: matrix.rows.map(short) }) },
  };
}

// Names come from learners: plain text, so that Plotly obeys no tag in them.
const short = (name) => {
  const cut = name.length > 8 ? `${name.slice(0, 7)}\u2026` : name;
  return cut.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
};

const inInk = (text, ink) => (ink ? `<span style="color:${inkOf({ ink })}">${text}</span>` : text);

const titleOver = (matrix, across, up) => ({ text: `<b>${matrix.name}</b>`, x: across[0], y: up[1], font: { size: 13, ...(inkOf(matrix) && { color: inkOf(matrix) }) } });

function inkOf(matrix) {
  if (!matrix.ink) return null;
  const name = { q: "blue", k: "orange", v: "green" }[matrix.ink];
  return themeColour(`${name}-text-color`);
}

const themeColour = (name) => getComputedStyle(document.querySelector(".qkv-bench")).getPropertyValue(`--st-${name}`).trim();

// Masked cells are hatched; the chosen cell and its sources are framed, as on the board.
function marksOn(matrix, axis) {
  if (matrix.large) return [];
  const on = { xref: `x${axis}`, yref: `y${axis}` };
  const hatched = matrix.hidden.flatMap(([row, column]) => [-0.25, 0.25].map((shift) => ({ ...on, type: "line", x0: column - 0.45 + Math.max(0, shift), x1: column + 0.45 + Math.min(0, shift), y0: row + 0.45 + Math.min(0, shift), y1: row - 0.45 + Math.max(0, shift), opacity: 0.35 })));
  const framed = matrix.lit.map(([row, column, mark]) => ({ ...on, type: "rect", x0: column - 0.48, x1: column + 0.48, y0: row - 0.48, y1: row + 0.48, line: { color: themeColour("violet-color"), width: mark === "chosen" ? 3 : 1.5, dash: mark === "chosen" ? "solid" : "dot" } }));
  return [...hatched, ...framed];
}

function together(bench, placed, height, cell, extra = {}) {
  const data = [];
  const layout = { height: Math.round(height), annotations: [], shapes: [] };
  placed.forEach(({ matrix, across, up }, number) => {
    const axis = number ? String(number + 1) : "";
    matrix.axis = axis;
    Object.assign(layout, axesOf(matrix, axis, across, up));
    layout.annotations.push(titleOver(matrix, across, up));
    layout.shapes.push(...marksOn(matrix, axis));
    data.push(...heatmap(bench, matrix, axis, cell));
  });
  return { data: [...data, ...(extra.data ?? [])], layout: { ...layout, ...extra.layout }, matrices: placed.map(({ matrix }) => matrix) };
}

// left · above = product, the product at the crossing of its row and its column; a bias stands under the product.
function productFigure(bench, left, above, product, bias, width) {
  const [[, wideLeft], [highAbove, wide], [high]] = [room(left), room(above), room(product)];
  const below = bias ? 1 + GAP * 1.6 : 0;
  const [allWide, allHigh] = [wideLeft + wide + GAP * 1.3, highAbove + high + GAP * 1.6 + below];
  const cell = Math.min(LARGEST_CELL, width / allWide);
  const [leftPart, rightPart] = [[0, wideLeft / allWide], [1 - wide / allWide, 1]];
  const [lowerPart, upperPart] = [[below / allHigh, (below + high) / allHigh], [1 - highAbove / allHigh, 1]];
  const placed = [
    { matrix: left, across: leftPart, up: lowerPart },
    { matrix: above, across: rightPart, up: upperPart },
    { matrix: product, across: rightPart, up: lowerPart },
  ];
  if (bias) placed.push({ matrix: { ...bias, name: `+ ${bias.name}` }, across: rightPart, up: [0, 1 / allHigh] });
  return together(bench, placed, allHigh * Math.max(24, cell) + MARGIN.t + MARGIN.b, cell, narrower(cell * allWide, width));
}

// Cells stay square-ish: a figure narrower than its place leaves the rest empty.
const narrower = (used, width) => ({ layout: { margin: { ...MARGIN, r: MARGIN.r + Math.max(0, width - used) } } });

// Matrices side by side, or one below the other where they are too wide for that.
function rowFigure(bench, matrices, width) {
  const rooms = matrices.map(room);
  const beside = rooms.reduce((sum, [, wide]) => sum + wide, 0) + GAP * 1.5 * (matrices.length - 1);
  if (width / beside < 26 && matrices.length > 1) return columnFigure(bench, matrices, width);
  const highest = Math.max(...rooms.map(([high]) => high));
  const cell = Math.min(LARGEST_CELL, width / beside);
  let start = 0;
  const placed = matrices.map((matrix, number) => {
    const [high, wide] = rooms[number];
    const across = [start / beside, Math.min(1, (start + wide) / beside)];
    start += wide + GAP * 1.5;
    return { matrix, across, up: [1 - high / highest, 1] };
  });
  return together(bench, placed, highest * Math.max(24, cell) + MARGIN.t + MARGIN.b, cell, narrower(cell * beside, width));
}

function columnFigure(bench, matrices, width) {
  const rooms = matrices.map(room);
  const widest = Math.max(...rooms.map(([, wide]) => wide));
  const allHigh = rooms.reduce((sum, [high]) => sum + high, 0) + GAP * 2 * (matrices.length - 1);
  const cell = Math.min(LARGEST_CELL, width / widest);
  let top = 0;
  const placed = matrices.map((matrix, number) => {
    const [high, wide] = rooms[number];
    const up = [1 - (top + high) / allHigh, 1 - top / allHigh];
    top += high + GAP * 2;
    return { matrix, across: [0, wide / widest], up };
  });
  return together(bench, placed, allHigh * Math.max(24, cell) + MARGIN.t + MARGIN.b, cell, narrower(cell * widest, width));
}

// What goes in and what comes out side by side, and below them one row of shares as bars.
function sharesFigure(bench, sources, weights, shares, width) {
  const figure = rowFigure(bench, [...sources, weights], width);
  if (!shares || weights.blank) return figure;
  const bars = 130; // pixels
  const { height } = figure.layout;
  const all = height + bars + 24;
  const squeezed = ([low, high]) => [low, high].map((end) => ((end * (height - MARGIN.t - MARGIN.b) + bars + 24) / (all - MARGIN.t - MARGIN.b)));
  for (const [name, axis] of Object.entries(figure.layout)) if (/^yaxis/.test(name)) axis.domain = squeezed(axis.domain);
  for (const annotation of figure.layout.annotations) annotation.y = squeezed([annotation.y, 0])[0];
  figure.layout.height = all + 30;
  figure.layout.margin = { ...figure.layout.margin, b: 38 };
  const places = Math.max(2, bench.data.view.decimals);
  figure.data.push({
    type: "bar",
    y: shares.shares,
    text: shares.shares.length <= 8 ? shares.shares.map((share) => write(share, places, CELL)) : undefined,
    textposition: "outside",
    textangle: 0,
    cliponaxis: false,
    hovertemplate: "%{y}<extra></extra>",
    marker: { color: BARS },
    xaxis: "x9",
    yaxis: "y9",
  });
  const names = weights.large ? {} : { tickvals: weights.columns.map((_, place) => place), ticktext: weights.columns.map(short) };
  const title = fillIn(bench.outline.words.bars, { name: weights.name, row: short(shares.name) });
  const top = Math.max(...shares.shares) || 1;
  figure.layout.xaxis9 = { domain: [0, 1], anchor: "y9", title: { text: title, standoff: 2 }, ...names };
  figure.layout.yaxis9 = { domain: [0, (bars - 30) / (all - MARGIN.t - MARGIN.b)], anchor: "x9", range: [0, top * 1.15], visible: false };
  return figure;
}

// Numbers that only move: one matrix, and the blocks they go to or come from; each cell has the hue of its head.
function movedFigure(bench, picture, step, width) {
  const whole = matrixOf(bench, picture.whole);
  const blocks = picture.blocks.map((block) => blockOf(bench, block, whole, step, picture));
  const headOf = new Map();
  blocks.forEach((block) => block.cells.forEach((row) => row.forEach(([r, c]) => headOf.set(`${r},${c}`, block))));
  const strong = { ...whole, hues: whole.values.map((row, r) => row.map((_, c) => headOf.get(`${r},${c}`)?.hue ?? null)) };
  const rows = packed(blocks, whole, width);
  return picture.merging ? stacked(bench, [...rows, [strong]], width) : stacked(bench, [[strong], ...rows], width);
}

function blockOf(bench, block, whole, step, picture) {
  const facts = {};
  for (let place = 0; place < block.of.length; place += 2) facts[block.of[place]] = block.of[place + 1];
  const head = facts.head ?? facts.kv_head ?? 0;
  const part = facts.part === undefined ? "" : `${"QKV"[facts.part]}, `;
  const axis = facts.kv_head === undefined ? "head" : "kv_head";
  return {
    ...whole,
    strip: undefined,
    name: `${part}${bench.outline.axes[axis]} ${head}`,
    ink: facts.part === undefined ? step.ink : "qkv"[facts.part],
    hue: hueOf(Math.floor(head / picture.shared), facts.part, bench.data.view.heads, step.ink),
    cells: block.cells,
    values: block.cells.map((row) => row.map(([r, c]) => whole.values[r][c])),
    rows: block.cells.map(([[r]]) => whole.rows[r]),
    columns: block.cells[0].map((_, place) => String(place)),
    hidden: [],
    lit: framesOf(block.cells, whole.lit),
  };
}

// Each head has its hue, copies of a shared head the same; where there is one head only, Q, K and V have theirs.
function hueOf(head, part, heads, ink) {
  if (heads > 1) return HEADS[head % HEADS.length];
  return { q: HEADS[5], k: HEADS[6], v: HEADS[3] }[part === undefined ? ink : "qkv"[part]] ?? HEADS[7];
}

function framesOf(cells, lit) {
  const marks = new Map(lit.map(([row, column, mark]) => [`${row},${column}`, mark]));
  return cells.flatMap((row, r) => row.map(([a, b], c) => [r, c, marks.get(`${a},${b}`)])).filter(([, , mark]) => mark);
}

// Blocks in rows that are about as wide as the matrix they belong to, or as the place.
function packed(blocks, whole, width) {
  const most = Math.max(room(whole)[1], Math.floor(width / 34));
  const rows = [[]];
  let used = 0;
  for (const block of blocks) {
    const wide = block.columns.length + GAP;
    if (used && used + wide > most + GAP) (rows.push([]), (used = 0));
    rows.at(-1).push(block);
    used += wide;
  }
  return rows;
}

function stacked(bench, rows, width) {
  const wides = rows.map((row) => row.reduce((sum, matrix) => sum + matrix.columns.length, 0) + GAP * (row.length - 1));
  const highs = rows.map((row) => Math.max(...row.map((matrix) => matrix.rows.length)));
  const widest = Math.max(...wides);
  const allHigh = highs.reduce((sum, high) => sum + high, 0) + GAP * 2 * (rows.length - 1);
  const cell = Math.min(LARGEST_CELL, width / widest);
  const placed = [];
  let top = 0;
  rows.forEach((row, number) => {
    let start = 0;
    for (const matrix of row) {
      const up = [1 - (top + matrix.rows.length) / allHigh, 1 - top / allHigh];
      placed.push({ matrix, across: [start / widest, Math.min(1, (start + matrix.columns.length) / widest)], up });
      start += matrix.columns.length + GAP;
    }
    top += highs[number] + GAP * 2;
  });
  const figure = together(bench, placed, allHigh * Math.max(24, Math.min(36, cell)) + MARGIN.t + MARGIN.b, cell, narrower(cell * widest, width));
  placed.forEach(({ matrix }) => paintByHead(figure, matrix));
  return figure;
}

// Here colour says where a number goes, not how large it is.
function paintByHead(figure, matrix) {
  const trace = figure.data.find((one) => one.type === "heatmap" && one.xaxis === `x${matrix.axis}`);
  const hues = matrix.hues ?? matrix.values.map((row) => row.map(() => matrix.hue));
  trace.z = hues.map((row) => row.map((hue) => (hue === null ? null : HEADS.indexOf(hue))));
  Object.assign(trace, { zmin: 0, zmax: HEADS.length - 1, opacity: HEAD_SHARE, hoverinfo: "none", hovertemplate: undefined });
  trace.colorscale = HEADS.map((hue, place) => [place / (HEADS.length - 1), hue]);
  if (matrix.cells) trace.meta = { key: matrix.key, cells: matrix.cells };
}

// The numbers of a figure in words, row by row, for those who do not see it.
function inWords(bench, matrix) {
  if (matrix.blank) return "";
  if (matrix.large) return fillIn(bench.outline.words.overview, { matrix: matrix.name, rows: matrix.large.shape[0], columns: matrix.large.shape[1] });
  return textsOf(bench, matrix).map((texts, row) => `${matrix.rows[row]}: ${listed(texts)}`).join("; ");
}
