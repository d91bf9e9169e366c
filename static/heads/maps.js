// @ts-check
// Every head as a small map, in the order that was chosen: the maps glide to their places.

/** @import { Bench } from "../page/bench.js" */
/** @import { HeadsBench, Seen } from "./heads.js" */
/** @import { Arranged } from "./order.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);
/** @type {typeof import("../page/choices.js")} */
const { markRadio, radioGroup } = await import(`../page/choices.js${own}`);
/** @type {typeof import("./order.js")} */
const { arranged, nextTile } = await import(`./order.js${own}`);

const MEASURES = ["previous", "next", "same", "repeated", "first", "sink", "broad", "sharp", "noticed"];
const GAP = 4;
const LARGEST = 44; // pixels of a map
const UNDER = 20; // of a measure below it
const dark = matchMedia("(prefers-color-scheme: dark)");
const INKS = { light: [107, 63, 184], dark: [179, 148, 240] }; // of a weight

/** @param {Bench} bench @param {HTMLElement} host */
export function buildMaps(bench, host) {
  const section = element("section", "of-maps");
  const tabs = element("div", "sorts");
  const about = element("p", "about");
  const field = element("div", "maps");
  field.setAttribute("role", "radiogroup");
  const legend = element("p", "legend");
  section.append(tabs, field, about, legend);
  host.append(section);
  field.addEventListener("keydown", (event) => walk(bench, event));
  const tiles = /** @type {HTMLButtonElement[]} */ ([]);
  return { section, tabs, about, field, legend, tiles, arranged: /** @type {Arranged | null} */ (null), of: "", named: "" };
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawMaps(bench, seen) {
  const { maps } = bench.heads;
  const { all, words } = seen;
  const of = `${bench.data.outline} ${dark.matches}`;
  if (maps.of !== of) {
    maps.of = of;
    if (maps.tiles.length !== all.tiles.length || all.tiles[0].example) makeTiles(bench, seen);
    paintMaps(bench, seen);
    drawTabs(bench, seen);
  }
  markRadio(maps.tabs, seen.sort);
  maps.field.setAttribute("aria-label", words.maps);
  const isExamples = Boolean(all.tiles[0].example);
  maps.section.classList.toggle("of-examples", isExamples);
  maps.tabs.hidden = isExamples;
  put(maps.legend, words.legend);
  drawAbout(bench, seen);
  if (!isExamples) arrange(bench, seen);
  maps.tiles.forEach((press, tile) => {
    press.ariaChecked = String(tile === seen.tile);
    press.tabIndex = tile === Math.max(0, seen.tile) ? 0 : -1;
    const value = all.measures[seen.sort]?.[tile];
    const { layer, head, title } = all.tiles[tile];
    const facts = { layer, head, measure: words[seen.sort], value: value === undefined ? "" : write(value, 2, CELL) };
    const name = title ?? fillIn(value === undefined ? words.tile : words.tile_measured, facts);
    if (press.ariaLabel !== name) press.ariaLabel = name;
    press.title = name;
    put(/** @type {Element} */ (press.lastElementChild), title ?? facts.value);
  });
}

/** @param {HeadsBench} bench @param {Seen} seen */
function makeTiles(bench, { all }) {
  const { maps } = bench.heads;
  maps.tiles = all.tiles.map((tile, place) => {
    const press = button("tile", "", () => choose(bench, place));
    press.setAttribute("role", "radio");
    press.append(element("canvas"), element("span", "under"));
    return press;
  });
  maps.field.replaceChildren(...maps.tiles);
  maps.arranged = null;
}

/** @param {Bench} bench @param {number} place */
function choose(bench, place) {
  const tile = bench.outline.heads?.tiles[place];
  if (!tile || !bench.heads) return;
  bench.heads.maps.tiles.forEach((press, one) => (press.ariaChecked = String(one === place))); // at once
  if (tile.example) bench.acts.add("example", tile.example);
  else bench.acts.add("head", tile.layer, tile.head);
}

// The weights as shades, on one scale from 0 to 1.
/** @param {HeadsBench} bench @param {Seen} seen */
function paintMaps(bench, { all }) {
  const bytes = Uint8Array.from(atob(all.maps), (letter) => letter.charCodeAt(0));
  let at = 0;
  all.tiles.forEach(({ size }, place) => {
    const canvas = /** @type {HTMLCanvasElement} */ (bench.heads.maps.tiles[place].firstElementChild);
    paint(canvas, bytes.subarray(at, at + size * size), size);
    at += Math.ceil((size * size) / 3) * 3;
  });
}

/** @param {HTMLCanvasElement} canvas @param {ArrayLike<number>} bytes @param {number} size */
export function paint(canvas, bytes, size) {
  canvas.width = canvas.height = size;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(size, size);
  const [red, green, blue] = dark.matches ? INKS.dark : INKS.light;
  for (let cell = 0; cell < size * size; cell += 1) image.data.set([red, green, blue, 235 * (bytes[cell] / 255) ** 0.8], 4 * cell);
  context.putImageData(image, 0, 0);
}

/** @param {HeadsBench} bench @param {Seen} seen */
function drawTabs(bench, { all, words }) {
  const there = MEASURES.filter((name) => all.measures[name]);
  /** @type {Array<[string, string]>} */
  const options = [["", words.layer], ["kind", words.by_kind], ...there.map((name) => /** @type {[string, string]} */ ([name, words[name]]))];
  const group = radioGroup(fillIn(words.all, { count: all.tiles.length }), options, (sort) => {
    bench.heads.sort = sort;
    bench.acts.add("sort", sort);
    bench.draw(); // at once; the link follows
  });
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLButtonElement && bench.heads.maps.tabs.contains(activeElement) ? activeElement.value : null;
  bench.heads.maps.tabs.replaceChildren(group);
  if (focused !== null) [...group.querySelectorAll("button")].find((press) => press.value === focused)?.focus();
}

/** @param {HeadsBench} bench @param {Seen} seen */
function drawAbout(bench, { all, sort, words }) {
  const { about } = bench.heads.maps;
  const key = JSON.stringify([sort, bench.data.language]);
  if (about.dataset.of === key) return;
  about.dataset.of = key;
  about.replaceChildren();
  if (!sort) return;
  about.append(words[`about_${sort}`]);
  const formula = sort === "noticed" ? "(abs(weights - before).sum(-1) / 2).mean(-1)" : all.formulas[sort];
  if (formula) about.append(" ", element("code", "", formula));
}

/** @param {HeadsBench} bench @param {Seen} seen */
function arrange(bench, { all, sort, words }) {
  const { maps } = bench.heads;
  const wide = maps.field.clientWidth;
  const kind = sort === "kind";
  const gutter = kind ? Math.min(150, wide * 0.3) : sort ? 0 : 46;
  const perRow = Math.max(1, all.heads);
  const pitch = Math.min(LARGEST + GAP, Math.floor((wide - (kind ? 0 : gutter)) / perRow));
  const columns = Math.max(1, Math.floor((wide - gutter) / pitch));
  const count = all.tiles.length;
  const found = arranged({ ...all, count }, sort, sort ? Math.min(columns, kind ? columns : Math.max(perRow, 8)) : perRow);
  maps.arranged = found;
  const top = sort ? 0 : 24;
  const rows = found.rows > 7 || pitch < LARGEST ? pitch + (sort && !kind ? UNDER : 4) : pitch + 16;
  const named = JSON.stringify([all.layers, all.heads, sort, wide, bench.data.language, bench.data.outline]);
  if (maps.named === named) return;
  const isFirst = maps.named === "";
  maps.named = named;
  maps.field.classList.toggle("still", isFirst);
  maps.field.style.height = `${top + found.rows * rows}px`;
  maps.field.style.setProperty("--map", `${pitch - GAP}px`);
  maps.field.classList.toggle("measured", Boolean(sort) && !kind);
  found.places.forEach(({ column, row }, tile) => {
    maps.tiles[tile].style.transform = `translate(${gutter + column * pitch}px, ${top + row * rows}px)`;
  });
  for (const old of maps.field.querySelectorAll(".side")) old.remove();
  const sides = found.labels.map(({ row, key, count: many }) => {
    const side = element("p", "side");
    side.style.transform = `translateY(${top + row * rows}px)`;
    side.style.width = `${gutter - 8}px`;
    const said = many === 1 ? words.count_one : fillIn(words.count, { count: many });
    side.append(...(kind ? [element("strong", "", words[`group_${key}`]), element("span", "", said)] : [key]));
    return side;
  });
  if (!sort) {
    const corner = element("p", "side corner-of", words.layer);
    const numbers = Array.from({ length: all.heads }, (_, head) => {
      const side = element("p", "side top", head);
      side.style.transform = `translateX(${gutter + head * pitch}px)`;
      return side;
    });
    sides.push(corner, ...numbers);
  }
  for (const side of sides) side.setAttribute("aria-hidden", "true");
  maps.field.append(...sides);
}

// Arrows go on to the next map, which is shown.
/** @param {Bench} bench @param {KeyboardEvent} event */
function walk(bench, event) {
  const maps = bench.heads?.maps;
  if (!maps || event.altKey || event.ctrlKey || event.metaKey) return;
  const from = maps.tiles.indexOf(/** @type {HTMLButtonElement} */ (event.target));
  const places = maps.arranged?.places ?? maps.tiles.map((_, row) => ({ column: 0, row }));
  const next = from < 0 ? null : nextTile(places, from, event.key);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  maps.tiles[from].tabIndex = -1;
  maps.tiles[next].tabIndex = 0;
  maps.tiles[next].focus();
  if (next !== from) choose(bench, next);
}
