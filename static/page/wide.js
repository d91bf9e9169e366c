// @ts-check
// What is wider than its place scrolls inside it: an edge that fades says so, and the keyboard can scroll it too.

/** @import { Bench } from "./bench.js" */

const WIDE = [
  ".matrix, .in-lab .board, .film ol, .bar .worked, .bar .backs",
  ".block.table, .block.moves, .block pre, .code pre",
  ".tensors, .set, .arithmetic .formula, .arithmetic math",
].join();
const FOCUSABLE = "button, input, select, summary, [tabindex]";
const EDGE = 2; // pixels that do not count

/** @type {WeakMap<Element, HTMLElement>} */
const hostOf = new WeakMap(); // by what is in it
/** @type {WeakMap<HTMLElement, Element | null>} */
const watched = new WeakMap(); // the last child of each host when it was looked at last

// Sizes are read when they have changed, not on every repaint.
const sizes = new ResizeObserver((entries) => {
  for (const host of new Set(entries.map(({ target }) => hostOf.get(target) ?? /** @type {HTMLElement} */ (target)))) mark(host);
});

/** @param {Bench} bench */
export function watchWide(bench) {
  /** @type {NodeListOf<HTMLElement>} */
  const hosts = bench.root.querySelectorAll(WIDE);
  for (const host of hosts) {
    if (!watched.has(host)) host.addEventListener("scroll", () => mark(host), { passive: true });
    if (watched.get(host) === host.lastElementChild) continue;
    watched.set(host, host.lastElementChild);
    sizes.observe(host);
    for (const child of host.children) {
      hostOf.set(child, host);
      sizes.observe(child);
    }
  }
}

/** @param {HTMLElement} host */
function mark(host) {
  if (!host.isConnected) return;
  const rest = host.scrollWidth - host.clientWidth;
  const at = Math.abs(host.scrollLeft);
  const more = [at > EDGE && "left", at < rest - EDGE && "right"].filter(Boolean).join(" ");
  if ((host.dataset.more ?? "") === more) return;
  if (more) host.dataset.more = more;
  else delete host.dataset.more;
  if (host.matches(".block.table, pre")) return; // these are reached anyway
  if (more && !host.querySelector(FOCUSABLE)) host.tabIndex = 0;
  else if (!more) host.removeAttribute("tabindex");
}
