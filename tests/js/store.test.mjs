// The state of a page against answers that come twice, late or only in part. The server here puts letters together.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

const kept = new Map();
const address = { href: "http://here/lab", pathname: "/lab", search: "" };
const nothing = () => {};
let entry = null;
Object.assign(globalThis, {
  sessionStorage: { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) },
  location: address,
  history: { get state() { return entry; }, pushState: goTo, replaceState: goTo },
  window: { addEventListener: nothing, removeEventListener: nothing },
  document: { addEventListener: nothing, baseURI: address.href },
});

function goTo(state, _title, href) {
  entry = state;
  Object.assign(address, { href, search: new URL(href).search });
}

const { Store } = await import("../../static/state/state.js");

// The answer to a request, of which only the first acts were done.
function answer({ id, state, acts }, most = acts.length) {
  let { link } = state;
  const trail = acts.slice(0, most).map(([, letter]) => [(link += letter), "new"]);
  return { id, state: { link }, trail };
}

let store, asked;

function opened() {
  store = new Store("lab");
  asked = [];
  store.report = (_name, request) => asked.push(request);
  store.arrive({ state: { link: "" } }, []);
}

beforeEach(() => {
  kept.clear();
  goTo(null, "", "http://here/lab");
  opened();
});

afterEach(() => store.end());

const type = (letters) => [...letters].forEach((letter) => store.add("edit", letter));
const isAll = (link, undo) => {
  assert.equal(store.state.link, link);
  assert.deepEqual(store.undo, undo);
  assert.equal(store.waiting.length, 0);
  assert.equal(address.search, `?s=${link}`);
};

test("what was done stays done when a repeated request is answered again, and less of it", () => {
  type("abc");
  store.repeat();
  store.take(answer(asked[2]));
  assert.equal(store.take(answer(asked[3], 1)), false);
  isAll("abc", ["", "a", "ab"]);
});

test("an answer to more than is done is taken, whatever it began with", () => {
  type("abc");
  store.take(answer(asked[0]));
  assert.equal(store.take(answer(asked[2], 2)), true);
  store.take(answer(asked.at(-1)));
  isAll("abc", ["", "a", "ab"]);
});

test("an answer that came less far than another is nothing, and the rest is asked for", () => {
  type("ab");
  store.take(answer(asked[0]));
  type("c");
  store.repeat();
  assert.equal(store.take(answer(asked[1], 0)), false);
  store.take(answer(asked.at(-1)));
  isAll("abc", ["", "a", "ab"]);
});

test("a page that is drawn anew in the middle of two acts does not go back to the address", () => {
  type("ab");
  store.take(answer(asked[0])); // its address is of a place that was left
  assert.equal(address.search, "");
  store.arrive({ state: { link: "" } }, []);
  store.take(answer(asked.at(-1)));
  isAll("ab", ["", "a"]);
});

test("what has no answer is asked for again after the page was away", (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  store.isThere = () => false;
  type("a");
  test.mock.timers.tick(5000);
  store.isThere = () => true;
  test.mock.timers.tick(2000);
  assert.ok(asked.length > 1);
  store.take(answer(asked.at(-1)));
  isAll("a", [""]);
});

test("a copy of a tab has what its address does not have yet", () => {
  type("ab");
  store.take(answer(asked[0]));
  store.end();
  goTo(null, "", address.href); // a history of its own
  opened();
  store.take(answer(asked.at(-1)));
  isAll("ab", ["", "a"]);
});

test("another address is followed, and can be undone", () => {
  type("a");
  store.take(answer(asked[0]));
  store.end();
  goTo(null, "", "http://here/lab?s=b");
  opened();
  assert.deepEqual(asked.at(-1).acts, [["follow", "b"]]);
});

test("acts without an answer are there after a reload, once", () => {
  type("ab");
  store.take(answer(asked[0]));
  store.end();
  opened();
  store.take(answer(asked.at(-1)));
  isAll("ab", ["", "a"]);
});
