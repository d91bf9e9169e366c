// @ts-check
// A large matrix: a picture of all of it, and a lens of exact numbers over a part.

/** @import { Drawn } from "./cells.js" */
/** @import { Large, MatrixOutline } from "../message/message.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn } = await import(`../message/text.js${own}`);

// The picture; its border belongs to the cells at the edge.
/** @param {number} offset @param {number} length @param {number} size */
export const cellAt = (offset, length, size) => Math.max(0, Math.min(size - 1, Math.floor((offset / length) * size)));

/** @param {Bench} bench @param {Drawn} drawn */
function picture(bench, drawn) {
  const canvas = element("canvas", "overview");
  canvas.setAttribute("role", "img");
  drawn.figure.insertBefore(canvas, drawn.grid);
  drawn.figure.classList.add("large");
  canvas.addEventListener("click", (event) => {
    const [rows, columns] = drawn.large?.shape ?? [1, 1];
    const row = cellAt(event.offsetY, canvas.clientHeight, rows);
    const column = cellAt(event.offsetX, canvas.clientWidth, columns);
    bench.acts.add("lens", drawn.key, row, column);
  });
  return canvas;
}

// A large matrix as a picture; pressing it brings the numbers under the finger.
/** @param {Bench} bench @param {Drawn} drawn @param {MatrixOutline} matrix @param {Large} large */
export function overview(bench, drawn, matrix, large) {
  drawn.large = large;
  drawn.canvas ??= picture(bench, drawn);
  const { canvas } = drawn;
  const { words } = bench.outline;
  canvas.setAttribute("aria-label", fillIn(words.overview, { matrix: matrix.name, rows: large.shape[0], columns: large.shape[1] }));
  canvas.title = words.overview_how;
  const [rows, columns] = large.size;
  canvas.width = columns;
  canvas.height = rows;
  canvas.style.aspectRatio = `${Math.max(columns, rows / 3)} / ${Math.max(rows, columns / 3)}`;
  const bytes = Uint8Array.from(atob(large.dots), (letter) => letter.charCodeAt(0));
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = context.createImageData(columns, rows);
  const [up, down] = matrix.scale === "share" ? [[107, 63, 184], [107, 63, 184]] : [[74, 109, 166], [176, 90, 31]];
  bytes.forEach((byte, place) => {
    const value = byte - 128;
    const [red, green, blue] = value < 0 ? down : up;
    pixels.data.set([red, green, blue, Math.min(255, Math.abs(value) * 2)], place * 4);
  });
  context.putImageData(pixels, 0, 0);
}

// Of a large matrix a part is shown: which one is told, counting the names as the first row and column.
/** @param {Drawn} drawn @param {Large} large */
export function countPlaces(drawn, { shape, at }) {
  const { grid, cells, heads, sides } = drawn;
  [grid.ariaRowCount, grid.ariaColCount] = shape.map((size) => String(size + 1));
  grid.rows[0].ariaRowIndex = "1";
  heads.forEach((head, place) => (head.ariaColIndex = String(at[1] + place + 2)));
  sides.forEach((side, place) => {
    side.ariaColIndex = "1";
    grid.rows[place + 1].ariaRowIndex = String(at[0] + place + 2);
  });
  for (const row of cells) row.forEach((cell, place) => (cell.ariaColIndex = String(at[1] + place + 2)));
}
