// @ts-check
// Every key that does something, listed under "?".

/** @import { Bench } from "./bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);

/** @param {Bench} bench */
export function buildKeys(bench) {
  const press = button("corner-button", "?", () => openKeys(bench));
  const list = element("dialog", "keys");
  list.addEventListener("click", (event) => event.target === list && list.close()); // beside it
  bench.root.append(list);
  return { press, list };
}

/** @param {Bench} bench */
export function drawKeys(bench) {
  const { press } = bench.corner.keys;
  press.setAttribute("aria-label", bench.outline.words.keys);
  press.title = bench.outline.words.keys;
  press.setAttribute("aria-keyshortcuts", "Shift+?");
}

/** @param {Bench} bench */
export function openKeys(bench) {
  const { list } = bench.corner.keys;
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
/** @param {Bench} bench @returns {Array<[string[], string]>} */
function keysOf(bench) {
  const { words, stages } = bench.outline;
  const { lesson } = bench.data;
  if (bench.parts.homeKeys) return bench.parts.homeKeys(bench);
  if (bench.parts.headsKeys) return bench.parts.headsKeys(bench);
  /** @type {Record<string, Array<[string[], string]>>} */
  const { steps, sections, presenting } = {
    steps: [[["\u2190", "\u2192"], words.keys_steps]],
    sections: [[["\u2190", "\u2192"], words.keys_sections]],
    presenting: [[["P"], words.keys_present]],
  };
  /** @type {Array<[string[], string]>} */
  const edits = [
    [[words.key_digits, "F2"], words.keys_type],
    [["Alt+\u2191", "Alt+\u2193"], words.keys_drag],
    [["Del"], words.keys_zero],
    [["Ctrl+V"], words.keys_paste],
    [["Ctrl+Z", "Ctrl+Y"], words.keys_undo],
    [["Enter"], words.keys_rename],
  ];
  return [
    ...(stages ? steps : []),
    ...(lesson ? sections : []),
    [["Tab"], words.keys_tab],
    [["\u2190", "\u2191", "\u2192", "\u2193", "Home", "End"], words.keys_cells],
    [["Enter", words.key_space], words.keys_open],
    ...(stages || lesson ? edits : []),
    [["Ctrl+C"], words.keys_copy],
    [["Esc"], words.keys_escape],
    ...(stages || lesson ? presenting : []),
    [["?"], words.keys_list],
  ];
}
