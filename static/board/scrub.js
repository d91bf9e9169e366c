// @ts-check
// Dragging a number sideways: everything follows while it moves. By mouse on any number that may be changed, by finger on
// the one that is chosen (elsewhere a finger scrolls), by keyboard with Alt and the arrows.
//
// A drag is one step of undo. Escape returns to where it began.

/** @import { Bench } from "../page/bench.js" */

/**
 * What is dragged: the number it begins at, what the act says for another one, and what shows that it is dragged.
 * `asked` is called when the server was asked, `ended` at the end.
 * @typedef {{ value: number, place: HTMLElement, act: (value: number) => any[], least?: number, most?: number,
 *   asked?: () => void, ended?: () => void }} Dragged
 */

const STEP = 12; // pixels to the next number
const BEGINS = 5; // pixels before a press becomes a drag
const PAUSE = 150; // milliseconds without a move after which the server is asked
const FEWEST = 1e-6; // the finest step

/** @type {Drag | null} */
let present = null; // one at a time

// One step for a number: of its last decimal, whole numbers by 1.
/** @param {number} value */
export function stepOf(value) {
  const [, decimals = ""] = String(Number(Math.abs(value).toPrecision(9))).split(/\.|e.*/);
  return Math.max(FEWEST, 10 ** -decimals.length);
}

// Steps away from a number, without the dust of binary fractions.
/** @param {number} value @param {number} steps @param {number} step */
export const moved = (value, steps, step) => Number((value + steps * step).toFixed(Math.max(0, Math.round(-Math.log10(step))))) + 0;

class Drag {
  steps = 0;
  began = false; // an act was made
  /** @type {ReturnType<typeof setTimeout> | undefined} */ pause;
  frame = 0;

  /** @param {Bench} bench @param {Dragged} dragged */
  constructor(bench, dragged) {
    this.bench = bench;
    this.dragged = dragged;
    this.step = stepOf(dragged.value);
    this.value = dragged.value;
    present?.end();
    present = this;
    bench.scrubbing = true;
    dragged.place.classList.add("dragged");
    document.documentElement.classList.add("dragging");
  }

  // To so many steps from where it began; painted once a frame.
  /** @param {number} steps */
  to(steps) {
    const { value, least = -1e9, most = 1e9 } = this.dragged;
    this.steps = steps;
    const next = Math.min(most, Math.max(least, moved(value, steps, this.step)));
    if (next === this.value) return;
    this.value = next;
    if (!this.frame) this.frame = requestAnimationFrame(() => this.show());
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.tell(), PAUSE);
  }

  show() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.bench.acts.hold(this.began ? "on" : "drag", this.dragged.act(this.value));
  }

  // What is held is sent.
  tell() {
    clearTimeout(this.pause);
    if (this.frame) this.show();
    if (!this.bench.acts.release()) return;
    this.began = true;
    this.dragged.asked?.();
  }

  end() {
    this.tell();
    this.over();
  }

  // Back to the number it began with.
  escape() {
    clearTimeout(this.pause);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.bench.acts.drop();
    if (this.began) {
      this.bench.acts.hold("back", this.dragged.act(this.dragged.value));
      this.tell();
    }
    this.over();
  }

  over() {
    present = null;
    this.bench.scrubbing = false;
    this.dragged.place.classList.remove("dragged");
    document.documentElement.classList.remove("dragging");
    this.dragged.ended?.();
    this.bench.draw();
  }
}

/** @param {(event: PointerEvent) => Dragged | null} draggedOf what is under the pointer @param {Bench} bench @param {HTMLElement} host */
export function scrubs(bench, host, draggedOf) {
  host.addEventListener("pointerdown", (event) => {
    const dragged = event.button === 0 && event.isPrimary ? draggedOf(event) : null;
    if (dragged) follow(bench, dragged, event);
  });
}

// A press that moves sideways is a drag; one that moves up or down is left to the browser.
/** @param {Bench} bench @param {Dragged} dragged @param {PointerEvent} down */
function follow(bench, dragged, down) {
  const { pointerId, clientX: from, clientY } = down;
  /** @type {Drag | null} */
  let drag = null;
  const leaves = new AbortController();
  const { signal } = leaves;
  /** @param {PointerEvent} event */
  const move = (event) => {
    if (event.pointerId !== pointerId) return;
    const across = event.clientX - from;
    if (!drag) {
      if (Math.abs(event.clientY - clientY) > Math.max(BEGINS, Math.abs(across))) return leaves.abort();
      if (Math.abs(across) < BEGINS) return;
      drag = new Drag(bench, dragged);
      getSelection()?.removeAllRanges();
    }
    event.preventDefault();
    drag.to(Math.round(across / STEP) * (event.shiftKey ? 10 : 1));
  };
  /** @param {PointerEvent} event */
  const up = (event) => {
    if (event.pointerId !== pointerId) return;
    leaves.abort();
    if (!drag) return;
    if (present === drag) drag.end();
    withoutClick();
  };
  addEventListener("pointermove", move, { signal });
  addEventListener("pointerup", up, { signal });
  addEventListener("pointercancel", up, { signal });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    leaves.abort();
    drag.escape();
    addEventListener("pointerup", withoutClick, { once: true });
  }, { signal, capture: true });
}

// The press that ends a drag opens no cell.
function withoutClick() {
  /** @param {Event} event */
  const stop = (event) => event.stopPropagation();
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
}

/** @type {Record<string, number>} */
const ARROWS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

// Alt and an arrow: one step, with Shift ten. All of them until Alt is let go are one drag; of an arrow alone, where that
// is enough, all until it is let go.
/** @param {Bench} bench @param {KeyboardEvent} event @param {() => Dragged | null} draggedOf @param {boolean} [alone] */
export function scrubbedByKey(bench, event, draggedOf, alone = false) {
  const by = event.altKey || alone ? ARROWS[event.key] : undefined;
  if (by === undefined) return false;
  const dragged = present ? null : draggedOf();
  const drag = present ?? (dragged && new Drag(bench, dragged));
  if (!drag) return false;
  if (dragged) endWithKeys(drag, alone);
  drag.to(drag.steps + by * (event.shiftKey ? 10 : 1));
  return true;
}

/** @param {Drag} drag @param {boolean} alone */
function endWithKeys(drag, alone) {
  /** @param {KeyboardEvent} event */
  const goesOn = ({ key, altKey }) => (alone ? key in ARROWS || key === "Shift" : altKey);
  const leaves = new AbortController();
  const options = { signal: leaves.signal, capture: true };
  const end = () => {
    leaves.abort();
    if (present === drag) drag.end();
  };
  addEventListener("keyup", ({ key }) => (alone ? key in ARROWS : key === "Alt") && end(), options);
  addEventListener("blur", end, options);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopImmediatePropagation();
      leaves.abort();
      drag.escape();
    } else if (!goesOn(event)) end();
  }, options);
}
