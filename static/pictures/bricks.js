// @ts-check
// A weighted sum of any width: for each channel a column of bricks, as high as the weight and as wide as the value. A
// brick's area is what that word adds; all areas together are the output.

/** @import { Draw } from "./picture.js" */

const MOST_CHANNELS = 4;
const MOST_WORDS = 12;
const [ABOVE, BELOW] = ["rgba(74,109,166,0.66)", "rgba(176,90,31,0.66)"];
const INK = "var(--st-text-color)";

/** @type {Draw} */
export function bricks({ row, step, matrix, weights: ofWeights, values: ofValues, word, write, plain, words }) {
  const weights = row(ofWeights);
  const values = matrix(ofValues);
  const output = row(step);
  if (!weights || !values || !output || values.rows.length !== weights.values.length) return null;
  const channels = Math.min(MOST_CHANNELS, output.values.length);
  const heaviest = weights.values
    .map((weight, place) => ({ weight: Number(weight), place }))
    .sort((one, other) => other.weight - one.weight);
  const shown = heaviest
    .slice(0, MOST_WORDS)
    .sort((one, other) => one.place - other.place)
    .filter(({ weight }) => weight > 0);
  if (!shown.length) return null;
  const bases = shown.map((_, place) => shown.slice(0, place).reduce((sum, { weight }) => sum + weight, 0));
  const whole = shown.reduce((sum, { weight }) => sum + weight, 0);
  const reach = Math.max(
    ...shown.flatMap(({ place }) => values.values[place].slice(0, channels).map((value) => Math.abs(Number(value)))),
  ) || 1;
  /** @type {any[]} */
  const data = [];
  /** @type {Record<string, any>} */
  const layout = {
    barmode: "overlay",
    height: 400,
    showlegend: false,
    margin: { l: 64, r: 8, t: 30, b: 40 },
    annotations: [],
    meta: { kind: "curves", of: "bricks" },
  };
  const middles = bases.map((base, place) => base + shown[place].weight / 2);
  for (let channel = 0; channel < channels; channel += 1) {
    const axis = channel ? String(channel + 1) : "";
    const own = shown.map(({ place }) => Number(values.values[place][channel]));
    data.push({
      ...{
        type: "bar",
        orientation: "h",
        y: middles,
        x: own,
        width: shown.map(({ weight }) => weight),
        xaxis: `x${axis}`,
        yaxis: "y",
        hoverinfo: "skip",
      },
      marker: { color: own.map((value) => (value < 0 ? BELOW : ABOVE)), line: { color: "var(--st-background-color)", width: 1.5 } },
    });
    const across = [channel / channels + 0.02, (channel + 1) / channels - 0.02];
    layout[`xaxis${axis}`] = {
      domain: across,
      range: [-reach * 1.05, reach * 1.05],
      fixedrange: true,
      nticks: 3,
      zeroline: true,
      zerolinecolor: INK,
      showgrid: false,
      anchor: "y",
    };
    layout.annotations.push({
      xref: "paper",
      yref: "paper",
      x: (across[0] + across[1]) / 2,
      y: 1,
      yanchor: "bottom",
      showarrow: false,
      text: `<b>${plain(output.labels[channel])}: ${write(output.values[channel])}</b>`,
      font: { size: 14, color: INK },
    });
  }
  const named = shown.map(({ place, weight }) => (weight > whole / 24 ? `${plain(weights.labels[place])} ${write(weight, 2)}` : ""));
  layout.yaxis = {
    range: [whole, 0],
    fixedrange: true,
    showgrid: false,
    zeroline: false,
    tickvals: middles,
    ticktext: named,
    tickfont: { size: 13, color: INK },
    automargin: true,
  };
  return {
    figure: { data, layout },
    says: "mix_bricks",
    facts: { word, more: output.values.length > channels ? words.first_channels.replace("{count}", String(channels)) : "" },
  };
}
