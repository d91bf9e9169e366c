// @ts-check
// A block that is a document of its own, as wide as there is room: printed without the page around it, or saved.

/** @import { Block } from "./blocks.js" */
/** @import { Host } from "../message/text.js" */
/** @import { Bench } from "../page/bench.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);

/** @param {Bench} bench @param {Host} host @param {Block} block */
export function paper(bench, host, block) {
  if (!host.sheet) {
    const ways = element("div", "paper-ways");
    host.print = button("print", "", () => host.sheet.contentWindow.print());
    host.save = element("a", "save");
    ways.append(host.print, host.save);
    host.desk = element("div", "desk");
    host.sheet = element("iframe");
    host.sheet.setAttribute("sandbox", "allow-same-origin allow-modals");
    host.desk.append(host.sheet);
    host.desk.tabIndex = 0;
    host.desk.setAttribute("role", "region");
    new ResizeObserver(() => fitSheet(host)).observe(host.desk);
    host.append(ways, host.desk);
  }
  host.print.textContent = block.print;
  host.save.textContent = block.save;
  host.save.download = block.file;
  host.save.href = `data:text/html;charset=utf-8,${encodeURIComponent(block.html)}`;
  host.desk.setAttribute("aria-label", block.title);
  host.sheet.title = block.title;
  host.sheet.srcdoc = block.html;
}

/** @param {Host} host */
function fitSheet({ desk, sheet }) {
  const scale = Math.min(1, desk.clientWidth / sheet.offsetWidth);
  sheet.style.transform = `scale(${scale})`;
  sheet.style.marginBottom = `${(scale - 1) * sheet.offsetHeight}px`;
  sheet.style.marginRight = `${(scale - 1) * sheet.offsetWidth}px`;
}
