// @ts-check
// One number line: every score of the word as a dot, and where the step moves it.

/** @import { Draw } from "./picture.js" */

const MOST = 40; // dots
const [ABOVE, BELOW] = ["#4a6da6", "#b05a1f"];
const INK = "var(--st-text-color)";
const GRID = "rgba(128,128,128,0.5)";

/** @type {Draw} */
export function numberLine({ row, step, from, word, setting, write, plain, words }) {
  const before = row(from[0]);
  const after = row(step);
  if (!before || !after || before.values.length > MOST) return null;
  const finite = (/** @type {number | null} */ value) => value !== null && Number.isFinite(value);
  const moved = before.values
    .map((value, place) => ({ from: value, to: after.values[place], name: before.labels[place] }))
    .filter((one) => finite(one.from) && finite(one.to));
  if (!moved.length) return null;
  const groups = new Map();
  for (const one of moved) {
    const key = `${Number(one.from).toPrecision(9)}`;
    groups.set(key, { ...one, names: [...(groups.get(key)?.names ?? []), plain(one.name)] });
  }
  const shown = [...groups.values()].sort((one, other) => one.from - other.from);
  const reach = Math.max(...shown.map((one) => Math.abs(one.from))) || 1; // all of them may be 0
  const ways = shown.flatMap((one) => [
    [one.from, 1],
    [one.to, 0],
    [null, null],
  ]);
  const dots = shown.flatMap((one) => [
    [one.from, 1],
    [one.to, 0],
  ]);
  const colours = dots.map(([x]) => (Number(x) < 0 ? BELOW : ABOVE));
  // Neighbours have their names at different heights, so that none covers another.
  const heights = shown.map((_, place) => 1.18 + 0.2 * (place % 3));
  const data = [
    {
      type: "scatter",
      mode: "lines",
      x: ways.map(([x]) => x),
      y: ways.map(([, y]) => y),
      line: { color: GRID, width: 1.2 },
      hoverinfo: "skip",
    },
    {
      type: "scatter",
      mode: "markers",
      x: dots.map(([x]) => x),
      y: dots.map(([, y]) => y),
      marker: { size: 13, color: colours },
      hoverinfo: "skip",
    },
    {
      type: "scatter",
      mode: "text",
      x: shown.map((one) => one.from),
      y: heights,
      text: shown.map((one) => `${one.names.slice(0, 3).join(", ")}${one.names.length > 3 ? "\u2026" : ""}<br>${write(one.from)}`),
      textfont: { size: 13, color: INK },
      hoverinfo: "skip",
      cliponaxis: false,
    },
    {
      type: "scatter",
      mode: "text",
      x: shown.map((one) => one.to),
      y: shown.map((_, place) => -0.2 - 0.16 * (place % 3)),
      text: shown.map((one) => `<b>${write(one.to)}</b>`),
      textfont: { size: 13, color: INK },
      hoverinfo: "skip",
      cliponaxis: false,
    },
  ];
  const level = { type: "line", xref: "paper", x0: 0, x1: 1, line: { color: GRID, width: 1.5 } };
  const low = Math.min(0, ...shown.map((one) => one.from), ...shown.map((one) => one.to));
  const layout = {
    xaxis: {
      range: [low - reach * 0.12, Math.max(0, ...shown.map((one) => one.from)) + reach * 0.12],
      fixedrange: true,
      zeroline: true,
      zerolinecolor: GRID,
      showgrid: false,
    },
    yaxis: {
      range: [-0.75, 1.85],
      fixedrange: true,
      showgrid: false,
      zeroline: false,
      tickvals: [0, 1],
      ticktext: [words[step] ?? step, words[from[0]] ?? from[0]].map(plain),
    },
    shapes: [0, 1].map((y) => ({ ...level, y0: y, y1: y })),
    height: 330,
    showlegend: false,
    margin: { l: 74, r: 12, t: 8, b: 30 },
    meta: { kind: "curves", of: step },
  };
  const largest = shown.reduce((best, one) => (Math.abs(one.from) > Math.abs(best.from) ? one : best));
  const facts = {
    word,
    scale: write(setting("scale"), 4),
    cap: write(setting("softcap"), 2),
    before: write(largest.from),
    after: write(largest.to),
  };
  const shrinks = Math.abs(largest.to) < Math.abs(largest.from);
  return { figure: { data, layout }, says: step === "softcapped" ? "softcap" : shrinks ? "scale" : "scale_other", facts };
}
