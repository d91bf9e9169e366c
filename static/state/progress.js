// @ts-check
// What this browser has seen done of the course: kept here and nowhere else.

const KEY = "qkv-lab-progress";

/** @param {string} lesson */
export function doneSections(lesson) {
  const found = read()[lesson];
  return Array.isArray(found) ? found.filter((id) => typeof id === "string") : [];
}

/** @param {string} lesson @param {string} section */
export function markDone(lesson, section) {
  const known = read();
  if (doneSections(lesson).includes(section)) return;
  known[lesson] = [...doneSections(lesson), section];
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // A browser that keeps nothing still shows the lesson.
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
