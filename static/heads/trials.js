// @ts-check
// What can be tried with the sentence: a word hidden, two words or only their positions swapped; and which heads notice.

/** @import { Bench } from "../page/bench.js" */
/** @import { HeadsBench, Seen } from "./heads.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element, fillIn, put } = await import(`../message/text.js${own}`);
/** @type {typeof import("../message/numbers.js")} */
const { CELL, write } = await import(`../message/numbers.js${own}`);

/** @param {Bench} bench @param {HTMLElement} host */
export function buildTrials(bench, host) {
  const section = element("section", "trials");
  const title = element("h2", "small");
  const controls = element("p", "controls");
  const hide = button("hide", "", () => bench.acts.add("hide", bench.data.heads?.focus));
  const [swap, positions] = /** @type {const} */ (["swap", "positions"]).map((kind) => {
    const label = element("label");
    const name = element("span");
    const select = element("select");
    label.append(name, select);
    select.addEventListener("change", () => begin(bench, kind, Number(select.value)));
    return { label, name, select };
  });
  const back = button("undo-trial", "", () => bench.acts.add("swap"));
  controls.append(hide, swap.label, positions.label, back);
  const told = element("p", "told");
  section.append(title, controls, told);
  host.append(section);
  return { section, title, hide, swap, positions, back, told, of: "" };
}

// Words are swapped whole, positions place by place.
/** @param {Bench} bench @param {"swap" | "positions"} kind @param {number} place */
function begin(bench, kind, place) {
  const all = bench.outline.heads;
  const focus = bench.data.heads?.focus;
  if (!all || focus === undefined) return;
  bench.acts.add(kind, ...(kind === "swap" ? [all.token_words[focus], all.token_words[place]] : [focus, place]));
}

/** @param {HeadsBench} bench @param {Seen} seen */
export function drawTrials(bench, seen) {
  const { trials } = bench.heads;
  const { all, shown, words } = seen;
  trials.section.hidden = !all.can_type || Boolean(shown.example);
  const { focus } = shown;
  const of = JSON.stringify([bench.data.outline, focus]);
  if (trials.of === of) return;
  trials.of = of;
  const word = wholeWord(all, focus);
  put(trials.title, words.try);
  put(trials.hide, fillIn(all.hidden.includes(focus) ? words.unhide : words.hide, { word }));
  const isSpecial = all.token_words[focus] < 0;
  const others = all.tokens.map((_, place) => place);
  const { token_words: wordOf } = all;
  /** @param {number} place */
  const beginsAnother = (place) => wordOf[place] >= 0 && wordOf[place] !== wordOf[focus] && wordOf[place] !== wordOf[place - 1];
  const toSwap = isSpecial ? [] : others.filter(beginsAnother);
  const toMove = others.filter((place) => place !== focus);
  fillSelect(trials.swap, fillIn(words.swap, { word }), words.choose, toSwap.map((place) => [place, wholeWord(all, place)]));
  fillSelect(trials.positions, words.positions, words.choose, toMove.map((place) => [place, all.tokens[place]]));
  const isTried = all.hidden.length + all.swapped.length + all.positions.length > 0;
  trials.back.hidden = !isTried;
  put(trials.back, words.back);
  put(trials.told, isTried ? `${toldOf(seen)} ${noticingOf(seen)}` : "");
}

/** @typedef {{ label: HTMLElement, name: HTMLElement, select: HTMLSelectElement }} Chooser */

/** @param {Chooser} made @param {string} called @param {string} choose @param {Array<[number, string]>} options */
function fillSelect({ label, name, select }, called, choose, options) {
  label.hidden = !options.length;
  put(name, called);
  select.replaceChildren(new Option(choose, ""), ...options.map(([place, text]) => new Option(text, String(place))));
}

/** @param {Seen["all"]} all @param {number} place */
export function wholeWord(all, place) {
  const word = all.token_words[place];
  if (word < 0) return all.tokens[place];
  return all.tokens.filter((_, one) => all.token_words[one] === word).join("");
}

/** @param {Seen} seen */
function toldOf({ all, words }) {
  /** @param {string[]} found */
  const quoted = (found) => [...new Set(found)].map((word) => `\u201C${word}\u201D`).join(", ");
  const { hidden, swapped, positions, token_words: wordOf } = all;
  if (hidden.length) return fillIn(words.tried_hide, { words: quoted(hidden.map((place) => wholeWord(all, place))) });
  if (swapped.length) return fillIn(words.tried_swap, { words: quoted(swapped.map((word) => wholeWord(all, wordOf.indexOf(word)))) });
  return fillIn(words.tried_positions, { words: quoted(positions.map((place) => all.tokens[place])) });
}

/** @param {Seen} seen */
function noticingOf({ all, words }) {
  const changes = all.measures.noticed ?? [];
  const most = changes.indexOf(Math.max(...changes));
  const tile = all.tiles[most];
  if (!tile) return "";
  return fillIn(words.noticing, { head: fillIn(words.tile, { layer: tile.layer, head: tile.head }), value: write(changes[most], 2, CELL) });
}
