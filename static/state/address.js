// @ts-check
// The address of a page, with the state as a link in it, and its place in the browser's history.

export const entryOfHistory = () => history.state?.qkv ?? 0;

export const linkInAddress = () => new URLSearchParams(location.search).get("s") ?? "";

/** @param {string} link @param {string} [path] @param {string} [language] */
export function addressWith(link, path = location.href, language = "") {
  const address = new URL(path, document.baseURI);
  const embed = new URLSearchParams(location.search).get("embed");
  address.search = "";
  if (link) address.searchParams.set("s", link);
  else if (language) address.searchParams.set("l", language);
  if (embed) address.searchParams.set("embed", embed);
  return address.href;
}

// Another page, as it was left; Streamlit hears of it as it hears of Back.
/** @param {import("../message/message.js").Leaving} leaving */
export function turnToPage({ page, link, language }) {
  history.pushState({}, "", addressWith(link, page === "home" ? "./" : page, language));
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
