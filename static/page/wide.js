// What is wider than its place scrolls inside it: an edge that fades says so, and the keyboard can scroll it too.

const WIDE = ".matrix, .rail ol, .block.table, .block.moves, .block pre, .code pre, .tensors, .set, .arithmetic .formula, .arithmetic math";
const FOCUSABLE = "button, input, select, summary, [tabindex]";
const EDGE = 2; // pixels that do not count

// Sizes are read when they have changed, not on every repaint.
const sizes = new ResizeObserver((entries) => {
  for (const place of new Set(entries.map(({ target }) => target.wide ?? target))) mark(place);
});

export function watchWide(bench) {
  for (const place of bench.root.querySelectorAll(WIDE)) {
    if (place.watched !== place.firstElementChild) {
      place.watched = place.firstElementChild;
      sizes.observe(place);
      for (const child of place.children) {
        child.wide = place;
        sizes.observe(child);
      }
    }
    if (place.isWatched) continue;
    place.isWatched = true;
    place.addEventListener("scroll", () => mark(place), { passive: true });
  }
}

function mark(place) {
  if (!place.isConnected) return;
  const rest = place.scrollWidth - place.clientWidth;
  const at = Math.abs(place.scrollLeft);
  const more = [at > EDGE && "left", at < rest - EDGE && "right"].filter(Boolean).join(" ");
  if ((place.dataset.more ?? "") === more) return;
  if (more) place.dataset.more = more;
  else delete place.dataset.more;
  if (place.matches(".block.table, pre")) return; // these are reached anyway
  if (more && !place.querySelector(FOCUSABLE)) place.tabIndex = 0;
  else if (!more) place.removeAttribute("tabindex");
}
