// The learner's language: chosen anywhere, with everything else as it is.

const own = new URL(import.meta.url).search;
const { element } = await import(`./text.js${own}`);

export function drawLanguage(bench) {
  const { languages, words } = bench.outline;
  document.documentElement.lang = bench.data.language;
  if (!bench.language) {
    bench.language = element("label", "language-choice");
    const select = element("select");
    select.addEventListener("change", () => bench.acts.add("language", select.value));
    bench.language.append(element("span", "label"), select);
    bench.root.prepend(bench.language);
  }
  const [label, select] = bench.language.children;
  bench.language.hidden = languages.length < 2;
  label.textContent = words.language;
  if (select.length !== languages.length) select.replaceChildren(...languages.map(([code, name]) => new Option(name, code)));
  if (document.activeElement !== select) select.value = bench.data.language;
}
