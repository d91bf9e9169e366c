// @ts-check
// A line of arithmetic, drawn: the LaTeX that attention_core writes, as MathML, which browsers draw themselves.

/** @type {Record<string, string>} */
const SIGNS = { cdot: "\u22C5", infty: "\u221E", dots: "\u2026", left: "", right: "", tanh: "tanh" };
Object.assign(SIGNS, { sum: "\u2211", to: "\u2192", top: "\u22A4", mu: "\u03BC", sigma: "\u03C3", varepsilon: "\u03B5" });
const NAMESPACE = "http://www.w3.org/1998/Math/MathML";

/** @param {string} tag @param {...(Node | string)} children */
const node = (tag, ...children) => {
  const made = document.createElementNS(NAMESPACE, tag);
  made.append(...children);
  return made;
};

// The right-hand side of "name = …", in pieces between which a line may break; the name is written beside it, in
// the learner's words.
/** @param {string} latex */
export function drawFormula(latex) {
  return piecesOf(latex.slice(latex.indexOf(" = ") + 3));
}

// A number that was only moved has no formula of its own, just the name of where it came from.
/** @param {string} latex */
export const isMoved = (latex) => latex.slice(latex.indexOf(" = ") + 3).startsWith("\\mathrm");

// `breaks` are the signs before which a line may break.
/** @param {string} latex @param {string[]} [breaks] */
export function piecesOf(latex, breaks = ["="]) {
  /** @type {string[]} */
  const tokens = latex.match(/\\mathrm\{[^}]*\}|\\[a-zA-Z]+|\\.|[\d.](?:[\d.]|\{,\}(?=\d))*|\S/g) ?? [];
  /** @type {Element[]} */
  const pieces = [];
  while (tokens.length) {
    const equals = pieces.length ? [node("mo", next(tokens))] : [];
    pieces.push(node("math", ...equals, ...readRow(tokens, breaks)));
  }
  for (const piece of pieces) piece.setAttribute("displaystyle", "true");
  return pieces;
}

// The token in front, which is taken away.
/** @param {string[]} tokens */
const next = (tokens) => tokens.shift() ?? "";

/** @param {string[]} tokens @param {string[]} until @returns {Element[]} */
function readRow(tokens, until) {
  const row = [];
  while (tokens.length && !until.includes(tokens[0])) {
    const piece = readOne(tokens);
    /** @type {Record<string, Element | undefined>} */
    const beside = {};
    while (tokens[0] === "^" || tokens[0] === "_") beside[next(tokens)] = group(tokens);
    const { _: below, "^": above } = beside;
    if (below && above) row.push(node("msubsup", piece, below, above));
    else if (above) row.push(node("msup", piece, above));
    else if (below) row.push(node("msub", piece, below));
    else row.push(piece);
  }
  return row;
}

/** @param {string[]} tokens @returns {Element} */
function group(tokens) {
  if (tokens[0] !== "{") return readOne(tokens);
  tokens.shift();
  const row = readRow(tokens, ["}"]);
  tokens.shift();
  return node("mrow", ...row);
}

/** @param {string[]} tokens @returns {Element} */
function readOne(tokens) {
  const token = next(tokens);
  if (token === "{") {
    tokens.unshift(token);
    return group(tokens);
  }
  if (token === "\\frac") return node("mfrac", group(tokens), group(tokens));
  if (token === "\\sqrt") return node("msqrt", group(tokens));
  if (token.startsWith("\\mathrm")) return node("mtext", token.slice(8, -1).replaceAll("\\", "").replace(/^ | $/g, "\u00A0"));
  if (token.startsWith("\\")) {
    const sign = SIGNS[token.slice(1)];
    return sign === undefined ? node("mo", token.slice(1)) : node("mo", sign);
  }
  if (/^[\d.]/.test(token)) return node("mn", token.replaceAll("{,}", ",")); // as LaTeX writes a comma inside a number
  if (/^[a-z]$/i.test(token)) return node("mi", token);
  return node("mo", token === "-" ? "\u2212" : token);
}
