// Elements and texts. Every text from data is set by `textContent`, never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element with attributes and children; strings become text nodes. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An SVG element, as `element`. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** Set a text if it differs, so that an unchanged frame touches nothing. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  const text = String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** Make the children of `parent` follow `items`: `make(item)` once for a key, `update(node, item)` always. */
export function keyed(parent, items, key, make, update) {
  const known = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let node = known.get(name);
    if (node) known.delete(name);
    else {
      node = make(item);
      node.dataset.key = name;
    }
    update(node, item);
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
  for (const node of known.values()) node.remove();
}

/** A table whose first column names the row. */
export function table(caption, heads, rows) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...rest]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((text) => element("td", {}, text))),
  );
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, head),
    element("tbody", {}, ...body),
  );
}

/** Keep a table inside a fold up to date while the fold is open. */
export function numbers(details, make) {
  const draw = () => {
    if (!details.open) return;
    details.querySelector(".scroll")?.remove();
    details.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, make()));
  };
  details.addEventListener("toggle", draw);
  return draw;
}
