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
    this.session = null; // the session that the last message came from
    this.resumed = false; // whether there was another before
    this.send = () => {};
    document.addEventListener("visibilitychange", () => this.again()); // a tab that slept
  }

  add(kind, ...details) {
    this.count += 1;
    this.waiting.push([this.count, kind, ...details]);
    this.report();
  }

  report() {
    // A state, not a trigger: Streamlit sends it at once, and sends it again after a cut connection.
    const { session, resumed, holding, repeats, waiting } = this;
    this.send("acts", { session, resumed, holding, repeats, acts: waiting });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.waiting.length || this.repeats >= MOST_REPEATS) return;
      this.repeats += 1;
      this.report();
    }, REPEAT_AFTER);
  }

  // A new session knows nothing of what was not acknowledged: it is told.
  acknowledge(count, session) {
    const another = this.session !== null && this.session !== session;
    this.session = session;
    this.resumed ||= another;
    this.waiting = this.waiting.filter(([own]) => own > count);
    this.count = Math.max(this.count, count);
    this.repeats = 0; // somebody is there
    if (another) this.again();
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
