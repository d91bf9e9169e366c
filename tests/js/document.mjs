// A document that only remembers what is made: enough for what draws pictures and formulas.

class Made {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [] });
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  append(...children) {
    this.children.push(...children);
  }

  set textContent(text) {
    this.children = [text];
  }

  get text() {
    return this.children.map((child) => child.text ?? child).join("");
  }

  // As a line of Lisp: (mfrac (mn 1) (mn 2)).
  get outline() {
    return `(${[this.tag, ...this.children.map((child) => child.outline ?? child)].join(" ")})`;
  }

  all(tag) {
    return this.children.flatMap((child) => (child instanceof Made ? [...(child.tag === tag ? [child] : []), ...child.all(tag)] : []));
  }
}

globalThis.document = { createElementNS: (_, tag) => new Made(tag) };
