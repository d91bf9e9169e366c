// Reads [{ figure, numbers, view, width }] as JSON and writes each figure fitted and filled by static/figures/fill.js.
// view.colours stands for the theme; view.marks for the marks of a language.

const folder = process.argv[2];
const { fill, fit } = await import(`${folder}/figures/fill.js`);
const { useMarks } = await import(`${folder}/message/numbers.js`);

let text = "";
for await (const piece of process.stdin) text += piece;
const found = JSON.parse(text).map(({ figure, numbers, view, width }) => {
  useMarks(view.marks);
  const [fitted, cell] = fit(figure, width);
  return { cell, figure: fill(fitted, numbers, { ...view, cell, colour: (name) => view.colours[name] }) };
});
process.stdout.write(JSON.stringify(found));
