// The figure in focus, drawn by Plotly and updated in place: no flash, zoom and hover stay.
//
// It waits until the page has painted, so that the numbers on the board come first.

const AXIS = { showgrid: false, zeroline: false, ticks: "", tickfont: { size: 12 } };
const TITLE = {
  xref: "paper",
  yref: "paper",
  xanchor: "left",
  yanchor: "bottom",
  yshift: 22,
  showarrow: false,
  font: { size: 14 },
};
const PAPER = { showlegend: false, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };

function styled(layout, font) {
  const axes = Object.entries(layout).filter(([name]) => /^[xy]axis/.test(name));
  const annotations = layout.annotations.map((annotation) => ({ ...TITLE, ...annotation }));
  const plain = Object.fromEntries(axes.map(([name, axis]) => [name, { ...AXIS, ...axis }]));
  return { ...PAPER, ...layout, ...plain, annotations, font };
}

let loading = null;

function plotly(url) {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

export async function draw({ data, parentElement, setTriggerValue }) {
  const place = parentElement.place ?? (parentElement.place = start(parentElement));
  place.turn = (place.turn ?? 0) + 1;
  const turn = place.turn;
  place.setAttribute("role", "figure");
  place.setAttribute("aria-label", data.label);
  place.style.height = `${data.figure.layout.height}px`; // nothing jumps while it loads
  const Plotly = await plotly(new URL("plotly.min.js", import.meta.url));
  await painted();
  if (turn !== place.turn) return; // a newer figure is on its way
  const style = getComputedStyle(place);
  const font = { color: style.getPropertyValue("--st-text-color"), family: style.getPropertyValue("--st-font") };
  const layout = styled(data.figure.layout, font);
  const png = {
    name: "PNG",
    title: "PNG",
    icon: Plotly.Icons.camera,
    click: (figure) => Plotly.downloadImage(figure, { format: "png", scale: 2, filename: "attention" }),
  };
  const config = {
    displaylogo: false,
    responsive: true,
    modeBarButtonsToAdd: [png],
    toImageButtonOptions: { format: "svg", filename: "attention" },
  };
  await Plotly.react(place, data.figure.data, layout, config);
  place.removeAllListeners?.("plotly_click");
  place.on("plotly_click", ({ points: [point] }) => {
    const matrix = point.data.meta;
    if (matrix) setTriggerValue("cell", [matrix.id, ...(matrix.turned ? [point.x, point.y] : [point.y, point.x])]);
  });
}

function start(parentElement) {
  const place = document.createElement("div");
  place.className = "figure";
  parentElement.append(place);
  return place;
}
