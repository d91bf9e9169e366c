// @ts-check
// Softmax as a ladder: the scores as bars, their powers of e laid end to end, and the whole of them as 100 %. And what
// dropout leaves of it.

/** @import { Draw } from "./picture.js" */

const MOST = 12; // words that have a rung of their own
const FEW = 8; // of more, so many of the largest
const [ABOVE, BELOW] = ["#4a6da6", "#b05a1f"];
const [WEIGHT, PALE] = ["#6b3fb8", "rgba(107,63,184,0.5)"];
const INK = "var(--st-text-color)";
const THIN = "rgba(128,128,128,0.55)";

/** @type {Draw} */
export function ladder({ row, from, hidden, word, write, plain, words }) {
  const given = row(from[0]);
  const weights = row("weights");
  if (!given || !weights) return null;
  // Where a mask adds a very low number, it hides as well as with −∞.
  const scores = { labels: given.labels, values: given.values.map((score, place) => (hidden.has(place) ? null : score)) };
  const highest = Math.max(...scores.values.map((score) => score ?? -Infinity));
  if (highest === -Infinity) return { marks: [], size: [460, 10], says: "softmax_nothing", facts: { word } };
  const shift = highest > 20 || highest < -20 ? highest : 0; // as the arithmetic of the cell does
  let rungs = scores.values.map((score, place) => ({
    name: plain(scores.labels[place]),
    score,
    power: score === null ? 0 : Math.exp(score - shift),
    weight: Number(weights.values[place]),
  }));
  if (rungs.length > MOST) {
    const sorted = [...rungs].sort((one, other) => other.power - one.power);
    const rest = sorted.slice(FEW);
    const sum = (/** @type {"power" | "weight"} */ part) => rest.reduce((all, one) => all + one[part], 0);
    rungs = [...sorted.slice(0, FEW), { name: words.others, score: null, power: sum("power"), weight: sum("weight") }];
  }
  const total = rungs.reduce((sum, { power }) => sum + power, 0);
  const bases = rungs.map((_, place) => rungs.slice(0, place).reduce((sum, { power }) => sum + power, 0));
  const n = rungs.length;
  const places = rungs.map((_, place) => place);
  const below = n + 0.4; // where the whole lies
  const reach = Math.max(...rungs.map(({ score }) => Math.abs(score ?? 0)), 1e-9);
  const low = Math.min(0, ...rungs.map(({ score }) => score ?? 0));
  const lines = rungs.flatMap((_, place) => [
    [bases[place], place],
    [bases[place], below],
    [null, null],
  ]);
  const on = { xaxis: "x2", yaxis: "y2", hoverinfo: "skip" };
  const texts = rungs.map(({ score }) => (score === null ? "" : write(score)));
  const data = [
    {
      type: "bar",
      orientation: "h",
      y: places,
      x: rungs.map(({ score }) => score ?? 0),
      text: texts,
      textposition: "outside",
      constraintext: "none",
      textfont: { size: 14, color: INK },
      cliponaxis: false,
      marker: { color: rungs.map(({ score }) => (Number(score) < 0 ? BELOW : ABOVE)) },
      width: 0.42,
      hoverinfo: "skip",
    },
    { type: "scatter", mode: "lines", x: lines.map(([x]) => x), y: lines.map(([, y]) => y), line: { color: THIN, width: 1 }, ...on },
    {
      type: "bar",
      orientation: "h",
      y: places,
      x: rungs.map(({ power }) => power),
      base: bases,
      width: 0.5,
      marker: { color: PALE },
      ...on,
    },
    {
      type: "scatter",
      mode: "text",
      y: places,
      x: rungs.map(({ power }, place) => (bases[place] + power / 2 > total * 0.55 ? bases[place] : bases[place] + power)),
      text: rungs.map(({ power }) => ` ${brief(power, write)} `),
      textposition: rungs.map(({ power }, place) => (bases[place] + power / 2 > total * 0.55 ? "middle left" : "middle right")),
      textfont: { size: 14, color: INK },
      cliponaxis: false,
      ...on,
    },
    {
      type: "bar",
      orientation: "h",
      y: places.map(() => below),
      x: rungs.map(({ power }) => power),
      base: bases,
      width: 0.85,
      marker: { color: WEIGHT, line: { color: "var(--st-background-color)", width: 1.5 } },
      text: rungs.map(({ weight }) => (weight >= 0.1 ? `<b>${write(weight, 2)}</b>` : "")),
      textposition: "inside",
      insidetextanchor: "middle",
      textangle: 0,
      textfont: { size: 15, color: "#ffffff" },
      ...on,
    },
  ];
  const rows = { range: [below + 0.6, -0.6], fixedrange: true, showgrid: false, zeroline: false };
  const layout = {
    xaxis: { domain: [0, 0.24], range: [low * 1.5, reach * 1.75], visible: false, fixedrange: true },
    yaxis: {
      ...rows,
      tickvals: [...places, below],
      ticktext: [...rungs.map(({ name }) => name), `<b>${plain(words.weights)}</b>`],
      tickfont: { size: 14, color: INK },
    },
    xaxis2: { domain: [0.33, 1], range: [0, total], visible: false, fixedrange: true, anchor: "y2" },
    yaxis2: { ...rows, anchor: "x2", showticklabels: false, matches: "y" },
    barmode: "overlay",
    height: Math.min(430, 70 + 42 * (n + 1)),
    showlegend: false,
    margin: { l: 70, r: 8, t: 30, b: 6 },
    annotations: [
      title(
        0,
        words.scores_of.replace("{word}", () => plain(word)),
      ),
      title(0.33, shift ? `e<sup>${words.score} \u2212 ${write(shift)}</sup>` : `e<sup>${words.score}</sup>, ${words.end_to_end}`),
    ],
    meta: { kind: "curves", of: "weights" },
  };
  const [first, second] = [...rungs].filter(({ score }) => score !== null).sort((one, other) => Number(other.score) - Number(one.score));
  if (!second) return { figure: { data, layout }, says: "softmax_one", facts: { word, first: first.name } };
  const lead = Number(first.score) - Number(second.score);
  const facts = {
    word,
    first: raw(first.name),
    second: raw(second.name),
    lead: write(lead, 2),
    times: brief(Math.exp(lead), write),
    weight: write(first.weight, 2),
  };
  return { figure: { data, layout }, says: lead > 0 ? "softmax" : "softmax_alike", facts };
}

/** @param {number} x @param {string} text */
const title = (x, text) => ({
  xref: "paper",
  yref: "paper",
  x,
  y: 1,
  xanchor: "left",
  yanchor: "bottom",
  text,
  showarrow: false,
  font: { size: 14, color: "var(--st-gray-text-color)" },
});

// A power with as many digits as say something.
/** @param {number} value @param {(value: number, places?: number) => string} write */
const brief = (value, write) => (value >= 1000 ? write(value, 0) : value >= 1 ? write(value, 1) : write(value, 2));

// A name that went through `plain` as it was.
/** @param {string} name */
const raw = (name) => name.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

// The whole with holes: what was dropped is gone, the rest has grown by 1 / (1 − p).
/** @type {Draw} */
export function holes({ row, matrix, focus, from, word, setting, write, plain, words }) {
  const weights = row(from[0]);
  const dropped = row("dropped");
  const keep = matrix("keep");
  const p = setting("dropout_p");
  if (!weights || !dropped || weights.values.length > MOST || p === null) return null;
  const shares = weights.values.map(Number);
  const left = dropped.values.map(Number);
  const kept = keep?.values[focus]?.map(Boolean) ?? left.map((share) => share > 0);
  const bases = (/** @type {number[]} */ of) => of.map((_, place) => of.slice(0, place).reduce((sum, one) => sum + one, 0));
  const names = weights.labels.map(plain);
  const grown = shares.map((share) => share / (1 - p)); // had none been dropped
  const inside = { textposition: "inside", insidetextanchor: "middle", textangle: 0, hoverinfo: "skip", orientation: "h" };
  const whole = { color: "var(--st-background-color)", width: 1.5 };
  const named = (/** @type {number[]} */ of) => of.map((share, place) => (share > 0.09 ? `${names[place]}<br>${write(share, 2)}` : ""));
  const data = [
    {
      type: "bar",
      y: shares.map(() => 0),
      x: shares,
      base: bases(shares),
      width: 0.55,
      text: named(shares),
      textfont: { color: "#ffffff", size: 13 },
      marker: { color: WEIGHT, line: whole },
      ...inside,
    },
    {
      type: "bar",
      y: shares.map(() => 1),
      x: grown,
      base: bases(grown),
      width: 0.55,
      text: named(grown).map((text, place) => (kept[place] ? text : text && "0")),
      textfont: { color: kept.map((isKept) => (isKept ? "#ffffff" : INK)), size: 13 },
      marker: {
        color: kept.map((isKept) => (isKept ? WEIGHT : "rgba(128,128,128,0.08)")),
        line: { color: kept.map((isKept) => (isKept ? "var(--st-background-color)" : THIN)), width: 1.5 },
      },
      ...inside,
    },
  ];
  const sum = left.reduce((all, one) => all + one, 0);
  const layout = {
    xaxis: {
      range: [0, Math.max(1, 1 / (1 - p))],
      fixedrange: true,
      showgrid: false,
      zeroline: false,
      tickvals: [0, 1],
      ticktext: ["0", "1"],
    },
    yaxis: {
      range: [1.6, -0.6],
      fixedrange: true,
      showgrid: false,
      zeroline: false,
      tickvals: [0, 1],
      ticktext: [words.before, words.after].map(plain),
      tickfont: { size: 14, color: INK },
    },
    shapes: [{ type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { color: INK, width: 1, dash: "dot" } }],
    barmode: "overlay",
    height: 260,
    showlegend: false,
    margin: { l: 70, r: 12, t: 8, b: 28 },
    meta: { kind: "curves", of: "dropped" },
  };
  const gone = kept.filter((isKept) => !isKept).length;
  return {
    figure: { data, layout },
    says: gone ? "dropout" : "dropout_none",
    facts: { word, count: String(gone), all: String(kept.length), p: write(p, 2), sum: write(sum, 2), factor: write(1 / (1 - p), 2) },
  };
}
