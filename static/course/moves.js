// A block of cells that fly to their next places; a list says the same without motion.

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { element } = await import(`../message/text.js${own}`);

const CELL = 40; // pixels, of a cell that moves

export function moves(bench, host, block) {
  if (!host.cells) {
    host.heading = element("h3");
    host.says = element("p", "moves-title");
    host.stage = element("div", "moves-stage");
    host.frames = element("div", "moves-frames");
    host.stage.append(host.frames);
    host.cells = block.cells.map(() => element("span", "moving"));
    host.stage.append(...host.cells);
    host.list = element("ul", "unseen");
    host.append(host.heading, host.says, host.stage, host.list);
  }
  const layout = block.layouts[block.at];
  host.heading.textContent = block.title;
  host.setAttribute("role", "region"); // it may be wider than the screen
  host.setAttribute("aria-label", block.title);
  if (host.says.textContent && host.says.textContent !== layout.title) bench.hear(`${layout.title}.`);
  host.says.textContent = layout.title;
  const frames = layout.frames ?? [];
  const columns = Math.max(...layout.places.map(([column]) => column + 1), ...frames.map(([left, , wide]) => left + wide));
  const rows = Math.max(...layout.places.map(([, row]) => row + 1), ...frames.map(([, top, , high]) => top + high));
  host.stage.style.width = `${columns * CELL}px`;
  host.stage.style.height = `${rows * CELL}px`;
  host.stage.setAttribute("role", "img");
  host.stage.setAttribute("aria-label", layout.says ?? layout.title);
  host.frames.replaceChildren(...frames.map(frameOf));
  host.list.replaceChildren(...groupsOf(block, layout));
  block.cells.forEach(([text, ink, head], number) => {
    const cell = host.cells[number];
    const [column, row] = layout.places[number];
    if (cell.textContent !== text) cell.textContent = text;
    cell.dataset.ink = ink;
    cell.dataset.head = head % 8;
    cell.style.transform = `translate(${column * CELL}px, ${row * CELL}px)`;
  });
}

// The same in words: which numbers stand in which group, row by row.
function groupsOf(block, { places, frames }) {
  const whole = [0, 0, Infinity, Infinity, ""];
  return (frames?.length ? frames : [whole]).map(([left, top, columns, rows, label]) => {
    const lines = new Map();
    places
      .map(([column, row], number) => [row, column, block.cells[number][0]])
      .filter(([row, column]) => row >= top && row < top + rows && column >= left && column < left + columns)
      .sort(([row, column], [otherRow, otherColumn]) => row - otherRow || column - otherColumn)
      .forEach(([row, , text]) => lines.set(row, [...(lines.get(row) ?? []), text]));
    const numbers = [...lines.values()].map((texts) => texts.join(", ")).join("; ");
    return element("li", "", label ? `${label}: ${numbers}` : numbers);
  });
}

function frameOf([column, row, columns, rows, label]) {
  const made = element("span", "moves-frame");
  Object.assign(made.style, { left: `${column * CELL}px`, top: `${row * CELL}px`, width: `${columns * CELL}px`, height: `${rows * CELL}px` });
  made.append(element("span", "", label));
  return made;
}
