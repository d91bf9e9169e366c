// What the learner does, on its way to the server: repeated until acknowledged, so that nothing is lost between
// two runs or while the connection is cut.

const REPEAT_AFTER = 1500; // milliseconds without an acknowledgement
const MOST_REPEATS = 40; // a minute
const AWAY = 1000; // milliseconds without a server after which it is said
const TURNING = 10000; // milliseconds in which another page comes

export class Acts {
  constructor() {
    this.waiting = [];
    this.count = 0;
    this.repeats = 0;
    this.holding = null; // the outline that this browser has
    this.session = null; // the session that the last message came from
    this.send = () => {};
    this.isThere = () => true; // whether what sends them is still on the page
    this.asleep = false; // it was not, so that repeating ended
    this.done = []; // what was acknowledged last
    this.link = 0; // of the state that was sent last, its fingerprint
    this.lost = []; // what was acknowledged, but did not come into the address
    document.addEventListener("visibilitychange", () => this.again()); // a tab that slept
  }

  add(kind, ...details) {
    if (kind === "go") turnPageInOneStep();
    this.count += 1;
    this.waiting.push([this.count, kind, ...details]);
    this.report();
  }

  report() {
    // A state, not a trigger: Streamlit sends it at once, and sends it again after a cut connection.
    const { session, holding, repeats, waiting } = this;
    this.send("acts", { session, holding, repeats, acts: waiting });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.asleep = !this.isThere();
      if (this.asleep || !this.waiting.length || this.repeats >= MOST_REPEATS) return;
      this.repeats += 1;
      this.report();
    }, REPEAT_AFTER);
  }

  // A new session knows nothing of what was not acknowledged, and of the rest what is in the address: it is told.
  acknowledge(count, session, link) {
    const another = this.session !== null && this.session !== session;
    this.session = session;
    if (another) this.waiting.unshift(...this.lost);
    this.lost = [];
    this.link = link;
    const done = this.waiting.filter(([own]) => own <= count);
    if (done.length) this.done = done;
    this.waiting = this.waiting.filter(([own]) => own > count);
    this.count = Math.max(this.count, count);
    this.repeats = 0; // somebody is there
    if (another || this.asleep) this.again();
  }

  // The connection is cut. The numbers come before the address, so what they answered may be nowhere but here.
  cut() {
    const link = new URLSearchParams(location.search).get("s") ?? "";
    this.lost = fingerprint(link) === this.link ? [] : this.done;
  }

  again() {
    if (document.hidden || !this.waiting.length || !this.isThere()) return;
    this.asleep = false;
    this.repeats = 0;
    this.report();
  }

  // Whether nothing that the learner did is on its way; that an experiment goes on is not their doing.
  get settled() {
    return this.waiting.every(([, kind]) => kind === "more");
  }
}

// The same as `session.fingerprint`: a CRC-32.
function fingerprint(text) {
  let found = -1;
  for (const letter of text) {
    found ^= letter.charCodeAt();
    for (let bit = 0; bit < 8; bit += 1) found = (found >>> 1) ^ (found & 1 ? 0xedb88320 : 0);
  }
  return ~found >>> 0;
}

// Whether the server is there: Streamlit's page knows, and says so in an attribute. `tell` hears it while `place` is
// on the page.
export function watchServer(place, acts, tell) {
  const page = document.querySelector("[data-test-connection-state]");
  if (!page) return; // a handout
  let waiting = null;
  const watch = new MutationObserver(() => {
    if (!place.isConnected) return watch.disconnect();
    if (page.dataset.testConnectionState === "CONNECTED") {
      clearTimeout(waiting);
      waiting = null;
      tell(true);
      acts.again();
    } else if (!waiting) {
      acts.cut();
      waiting = setTimeout(() => tell(false), AWAY);
    }
  });
  watch.observe(page, { attributes: true, attributeFilter: ["data-test-connection-state"] });
}

// Streamlit leaves a page in two steps: it writes the next page's state into this page's address, then turns the
// page. The first is no place to come back to: Back leads to where the learner was.
let turning = null;
function turnPageInOneStep() {
  let between = false;
  history.pushState = function (state, unused, url) {
    const there = new URL(url, location.href);
    const turns = there.pathname !== location.pathname;
    if (turns) delete history.pushState;
    const way = turns && between ? "replaceState" : "pushState";
    between = there.search !== location.search;
    History.prototype[way].call(history, state, unused, url);
  };
  clearTimeout(turning);
  turning = setTimeout(() => delete history.pushState, TURNING);
}
