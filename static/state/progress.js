// @ts-check
// What this browser has seen done of the course: kept here and nowhere else.

const KEY = "qkv-lab-progress";
const VISITED = "qkv-lab-visited";

/** @param {string} lesson */
export function doneSections(lesson) {
  const found = read()[lesson];
  return Array.isArray(found) ? found.filter((id) => typeof id === "string") : [];
}

/** @param {string} lesson @param {string} section */
export function markDone(lesson, section) {
  const known = read();
  if (doneSections(lesson).includes(section)) return;
  const sections = [...doneSections(lesson), section];
  delete known[lesson]; // the lesson in which something was done last comes last
  known[lesson] = sections;
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // A browser that keeps nothing still shows the lesson.
  }
}

// The lesson in which something was done last.
export const lastLesson = () => Object.keys(read()).at(-1);

// Whether home was not seen here before.
export function isFirstVisit() {
  try {
    return localStorage.getItem(VISITED) === null;
  } catch {
    return true;
  }
}

export function markVisit() {
  try {
    localStorage.setItem(VISITED, "1");
  } catch {
    // A browser that keeps nothing sees it again.
  }
}

export function forgetAll() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There is nothing to forget.
  }
}

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}
