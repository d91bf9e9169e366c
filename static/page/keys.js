// Every key that does something, listed under "?".

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);

export function buildKeys(bench) {
  const press = button("corner-button", "?", () => openKeys(bench));
  const list = element("dialog", "keys");
  list.addEventListener("click", (event) => event.target === list && list.close()); // beside it
  bench.corner.append(press);
  bench.root.append(list);
  bench.keys = { press, list };
}

export function drawKeys(bench) {
  const { press } = bench.keys;
  press.setAttribute("aria-label", bench.outline.words.keys);
  press.title = bench.outline.words.keys;
  press.setAttribute("aria-keyshortcuts", "Shift+?");
}

export function openKeys(bench) {
  const { list } = bench.keys;
  const { words } = bench.outline;
  const title = element("h2", "", words.keys);
  title.id = `keys-${bench.number}`;
  list.setAttribute("aria-labelledby", title.id);
  const table = element("table", "plain");
  for (const [keys, meaning] of keysOf(bench)) {
    const row = table.insertRow();
    const name = element("th");
    name.scope = "row";
    keys.forEach((key, place) => name.append(place ? " " : "", element("kbd", "", key)));
    row.append(name, element("td", "", meaning));
  }
  const close = button("close", words.close, () => list.close());
  list.replaceChildren(title, table, close);
  list.showModal();
}

// The keys that there are on this page.
function keysOf(bench) {
  const { words, stages } = bench.outline;
  const { lesson } = bench.data;
  const edits = [
    [[words.key_digits, "F2"], words.keys_type],
    [["Del"], words.keys_zero],
    [["Ctrl+V"], words.keys_paste],
    [["Ctrl+Z", "Ctrl+Y"], words.keys_undo],
    [["Enter"], words.keys_rename],
  ];
  return [
    ...(stages ? [[["\u2190", "\u2192"], words.keys_steps]] : []),
    ...(lesson ? [[["\u2190", "\u2192"], words.keys_sections]] : []),
    [["Tab"], words.keys_tab],
    [["\u2190", "\u2191", "\u2192", "\u2193", "Home", "End"], words.keys_cells],
    [["Enter", words.key_space], words.keys_open],
    ...(stages || lesson ? edits : []),
    [["Ctrl+C"], words.keys_copy],
    [["Esc"], words.keys_escape],
    ...(stages || lesson ? [[["P"], words.keys_present]] : []),
    [["?"], words.keys_list],
  ];
}
