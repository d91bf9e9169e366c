// @ts-check
// The question of a section: it stands at the matrix it is asked of, else above the stage; on a phone below the text. One
// number of the board is typed straight into its cell (asked.js).

/** @import { LessonBench } from "./lesson.js" */
/** @import { Ask, SectionShown } from "../message/message.js" */

const own = new URL(import.meta.url).search;
/** @type {typeof import("../message/text.js")} */
const { button, element } = await import(`../message/text.js${own}`);
/** @type {typeof import("./asked.js")} */
const { drawAsked, fieldInCell, lightTerms } = await import(`./asked.js${own}`);
/** @type {typeof import("./prose.js")} */
const { paragraphs } = await import(`./prose.js${own}`);
/** @type {typeof import("./stage.js")} */
const { isNarrow } = await import(`./stage.js${own}`);
/** @type {typeof import("./telling.js")} */
const { focusWithin, wayOn } = await import(`./telling.js${own}`);

let made = 0; // forms so far

export function buildAsk() {
  const host = element("section", "ask");
  const form = element("form", "answering");
  made += 1;
  form.id = `answer-${made}`;
  /** @type {{ section: string, names: string[] }} */
  const covered = { section: "", names: [] };
  const news = /** @type {HTMLElement | null} */ (null);
  return { host, form, helped: "", shown: "", covered, news };
}

/** @param {LessonBench} bench @param {SectionShown} told */
export function drawAsk(bench, told) {
  const { host, form } = bench.lesson.ask;
  const { ask } = told;
  host.hidden = form.hidden = !ask;
  const isCrowded = bench.lesson.stage.crowded === bench.lesson.section;
  const matrix = (!isNarrow() && !isCrowded && ask?.matrix && bench.matrices.get(ask.matrix)) || null;
  placeAsk(bench, matrix?.figure ?? null);
  const inCell = drawAsked(bench, ask, !isNarrow());
  if (!ask) return;
  const helped = bench.lesson.ask.helped === bench.lesson.section;
  const wanted = JSON.stringify([told.place, ask, helped, inCell, isNarrow(), bench.data.language]);
  if (host.dataset.of === wanted) return;
  const focus = (focusWithin(host) ?? focusWithin(form))?.dataset.part;
  const about = `${bench.lesson.section} ${ask.about}`;
  const isSame = host.dataset.about === about; // the question that was there before
  const beganAnew = host.dataset.given !== undefined && ask.given === undefined; // so the answer is gone, too
  const typed = isSame && !beganAnew ? form.querySelector("input")?.value : undefined;
  host.dataset.of = wanted;
  host.dataset.about = about;
  if (ask.given === undefined) delete host.dataset.given;
  else host.dataset.given = ask.given;
  drawForm(bench, ask, typed, inCell, helped);
  const reply = replyOf(bench, ask, helped);
  const options = ask.kind === "choice" ? [optionsOf(bench, ask)] : [];
  host.replaceChildren(...paragraphs(bench, ask.text), ...options, ...(isNarrow() ? [] : [form]), reply);
  if (isNarrow()) bench.lesson.telling.foot.before(form);
  const isNews = isSame && bench.isNews && (ask.given !== undefined || ask.answered);
  if (isNews) bench.hear((reply.textContent ?? "").trim());
  if (isNews && isNarrow()) bench.lesson.ask.news = reply; // brought into sight when all has its place
  returnFocus(bench, ask, focus, reply, isNews);
}

// Where the question stands: at its matrix, above the stage, or on a phone below the text.
/** @param {LessonBench} bench @param {HTMLElement | null} figure */
function placeAsk(bench, figure) {
  const { ask, stage, telling } = bench.lesson;
  for (const other of bench.board.querySelectorAll(".matrix.asked")) other.classList.toggle("asked", other === figure);
  figure?.classList.add("asked");
  const place = figure ?? (isNarrow() ? telling.body : stage.top);
  if (ask.host.parentElement !== place) place === telling.body ? telling.why.before(ask.host) : place.append(ask.host);
  ask.host.classList.toggle("at-matrix", figure !== null);
}

// A right answer leads on: Enter checks, then Enter goes on.
/** @param {LessonBench} bench @param {Ask} ask @param {string | undefined} focus @param {HTMLElement} reply @param {boolean} isNews */
function returnFocus(bench, ask, focus, reply, isNews) {
  const { host, form } = bench.lesson.ask;
  const wasHere = focus !== undefined || bench.lesson.ask.shown === "cell";
  if (!wasHere) return;
  /** @param {HTMLElement} part @returns {HTMLElement | null} */
  const partOf = (part) => part.querySelector(`[data-part="${focus}"]`);
  const again = partOf(host) ?? partOf(form);
  const field = fieldInCell(bench);
  bench.lesson.ask.shown = "";
  if (isNews && ask.right && ask.kind !== "choice") wayOn(bench)?.focus();
  else if (field && !focus) field.focus();
  else (again ?? reply).focus();
}

/** @param {LessonBench} bench @param {Ask} ask */
function optionsOf(bench, ask) {
  const group = element("div", "options");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", bench.outline.words.answers);
  for (const [id, label] of ask.options ?? []) {
    const press = button("option", undefined, (event) => {
      const byKey = event.detail === 0;
      if (byKey && ask.right && ask.given === id) wayOn(bench)?.click();
      else bench.acts.add("answer", id);
    });
    press.append(label);
    press.dataset.part = `option-${id}`;
    press.setAttribute("aria-pressed", String(ask.given === id));
    if (ask.given === id) press.classList.add(ask.right ? "right" : "wrong");
    group.append(press);
  }
  return group;
}

/** @param {LessonBench} bench @param {Ask} ask @param {string | undefined} typed @param {boolean} inCell @param {boolean} helped */
function drawForm(bench, ask, typed, inCell, helped) {
  const { form } = bench.lesson.ask;
  const { words } = bench.outline;
  const isDone = Boolean(ask.right || ask.answered);
  /** @type {HTMLElement[]} */
  const parts = [];
  if (ask.right && ask.kind !== "choice") return leave(form);
  const isCell = inCell || (isDone && ask.cell !== undefined && !isNarrow());
  if (ask.kind !== "choice" && !isCell) {
    const input = element("input");
    Object.assign(input, { type: "text", inputMode: "text", autocomplete: "off", maxLength: 60 });
    input.value = typed ?? ask.given ?? "";
    input.dataset.part = "input";
    input.setAttribute("aria-label", words.your_answer);
    input.placeholder = ask.kind === "shape" ? "3\u00D75" : "";
    parts.push(input);
  }
  if (ask.kind !== "choice" && !(isDone && isCell)) {
    const check = button("check", words.check, () => {});
    check.type = "submit";
    check.dataset.part = "check";
    parts.push(check);
  }
  if (!isDone) {
    if (ask.help && !helped) {
      const hint = button("show", words.hint, () => {
        bench.lesson.ask.helped = bench.lesson.section;
        bench.hear(ask.help ?? "");
        lightTerms(bench, ask);
        bench.draw();
      });
      hint.dataset.part = "hint";
      parts.push(hint);
    }
    const show = button("show", words.show_answer, () => bench.acts.add("show"));
    show.dataset.part = "show";
    parts.push(show);
  }
  form.hidden = isNarrow() && !parts.length; // elsewhere its place stays, so that nothing moves
  form.onsubmit = (event) => {
    event.preventDefault();
    const given = (fieldInCell(bench) ?? form.querySelector("input"))?.value.trim() ?? "";
    if (ask.right && given === ask.given) return wayOn(bench)?.click();
    if (!given) return;
    if (fieldInCell(bench) === document.activeElement) bench.lesson.ask.shown = "cell";
    bench.acts.add("answer", given);
  };
  form.replaceChildren(...parts);
}

// What was asked is answered.
/** @param {HTMLElement} form */
function leave(form) {
  form.hidden = isNarrow();
  form.replaceChildren();
}

/** @param {LessonBench} bench @param {Ask} ask @param {boolean} helped */
function replyOf(bench, ask, helped) {
  const { words } = bench.outline;
  const reply = element("p", "reply");
  reply.tabIndex = -1;
  const help = helped && ask.hint !== ask.help ? ask.help ?? "" : "";
  if (ask.right) reply.append(element("strong", "verdict right", `\u2713 ${words.answer_right}`), ` ${ask.answer ?? ""}`);
  else if (ask.answered) reply.append(`${words.answer_is} `, element("strong", "", ask.answer));
  else if (ask.given !== undefined) reply.append(element("strong", "verdict wrong", `\u2715 ${words.answer_wrong}`), ` ${ask.hint || help}`);
  else reply.append(help);
  return reply;
}
