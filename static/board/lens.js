// A large matrix: a picture of all of it, and a lens of exact numbers over a part.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element, fillIn } = await import(`../message/text.js${own}`);

// A large matrix as a picture; pressing it brings the numbers under the finger.
export function overview(bench, drawn, matrix, large) {
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

// Of a large matrix a part is shown: which one is told, counting the names as the first row and column.
export function countPlaces(drawn, { shape, at }) {
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
