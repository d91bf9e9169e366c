// What is wider than its place scrolls inside it: an edge that fades says so, and the keyboard can scroll it too.

const WIDE = ".matrix, .rail ol, .block.table, .block.moves, .block pre, .code pre, .tensors, .set, .arithmetic .formula, .arithmetic math";
const FOCUSABLE = "button, input, select, summary, [tabindex]";
const EDGE = 2; // pixels that do not count

// Sizes are read when they have changed, not on every repaint.
const sizes = new ResizeObserver((entries) => {
  for (const host of new Set(entries.map(({ target }) => target.wide ?? target))) mark(host);
});

export function watchWide(bench) {
  for (const host of bench.root.querySelectorAll(WIDE)) {
    if (host.watched !== host.firstElementChild) {
      host.watched = host.firstElementChild;
      sizes.observe(host);
      for (const child of host.children) {
        child.wide = host;
        sizes.observe(child);
      }
    }
    if (host.isWatched) continue;
    host.isWatched = true;
    host.addEventListener("scroll", () => mark(host), { passive: true });
  }
}

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
