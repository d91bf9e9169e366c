// What the learner does, on its way to the server: repeated until acknowledged, so that nothing is lost between
// two runs or while the connection is cut.

const REPEAT_AFTER = 1500; // milliseconds without an acknowledgement
const MOST_REPEATS = 40; // a minute

export class Acts {
  constructor() {
    this.waiting = [];
    this.count = 0;
    this.repeats = 0;
    this.holding = null; // the outline that this browser has
    this.send = () => {};
    document.addEventListener("visibilitychange", () => this.again()); // a tab that slept
  }

  add(kind, ...details) {
    this.count += 1;
    this.waiting.push([this.count, kind, ...details]);
    this.report();
  }

  report() {
    this.send("acts", { holding: this.holding, acts: this.waiting });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.waiting.length || this.repeats >= MOST_REPEATS) return;
      this.repeats += 1;
      this.report();
    }, REPEAT_AFTER);
  }

  acknowledge(count) {
    this.waiting = this.waiting.filter(([own]) => own > count);
    this.count = Math.max(this.count, count);
    this.repeats = 0; // somebody is there
  }

  again() {
    if (document.hidden || !this.waiting.length) return;
    this.repeats = 0;
    this.report();
  }

  get settled() {
    return this.waiting.length === 0;
  }
}
