// The top of the tree: the width of a node is its weight, its colour the class that it predicts.

import { hierarchy, partition } from "d3-hierarchy";
import { FONT, fitted } from "./chart.js";
import { byId, element, keyed, setAttribute, setText, svg } from "./dom.js";
import { compact, count, name, percent, plural } from "./format.js";
import { drawMembers } from "./members.js";
import { classColour, motionAllowed } from "./theme.js";

const LEVEL = 34; // pixels
const NARROWEST = 2;
const MOST = 400;
const LEGEND = 8;
const ruler = document.createElement("canvas").getContext("2d");

export function makeTree(detail) {
  const box = byId("tree-picture");
  const picture = svg("svg", { role: "group", "aria-label": "The tree. Arrow keys move between nodes, Enter opens one." });
  box.append(picture);
  let frame = null;
  let rows = new Map(); // rows at each node in the frame before
  let current = null; // the node that has the tab stop

  function draw() {
    const nodes = frame.tree.nodes;
    const classes = new Map(frame.model.classes.map((each, i) => [each, i]));
    drawMembers(byId("tree-members"), frame.tree.members);
    setText(byId("tree-note"), noteText(frame));
    box.hidden = !nodes.length;
    byId("tree").classList.toggle("forest", Boolean(frame.tree.members?.length));
    writeClasses(nodes, classes);
    if (!nodes.length) return keyed(picture, [], String, svg, () => {});
    const placed = place(nodes, Math.max(box.clientWidth, 200));
    const height = LEVEL * (1 + Math.max(...placed.map((node) => node.depth)));
    setAttribute(picture, "height", height);
    setAttribute(picture, "width", Math.max(box.clientWidth, 200));
    if (!placed.some((node) => node.data.id === current)) current = placed[0].data.id;
    const first = rows.size === 0;
    keyed(picture, placed, (node) => node.data.id, makeNode, (group, node) => {
      group.node = node;
      updateNode(group, node, classes);
      pulse(group, node, rows.get(node.data.id), first);
    });
    rows = new Map(nodes.map((node) => [node.id, node.rows]));
  }

  function makeNode(node) {
    const group = svg("g", { class: "node", role: "button" });
    group.append(svg("rect", { class: "frame", rx: 3 }), svg("rect", { class: "flash", rx: 3 }), svg("g", { class: "shares" }));
    group.append(svg("text", { class: "title" }), " ", svg("text", { class: "sub" }));
    const open = () => detail.open(() => nodeDetail(frame, node.data.id));
    group.addEventListener("click", open);
    group.addEventListener("focus", () => (current = node.data.id));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") open();
      else if (!move(group.node, event.key)) return;
      event.preventDefault();
    });
    return group;
  }

  function updateNode(group, node, classes) {
    const { data, x0, x1, y0 } = node;
    const width = x1 - x0;
    const [frameRect, flash, shares, title, sub] = group.children;
    for (const rect of [frameRect, flash]) {
      setAttribute(rect, "x", (x0 + 1).toFixed(1));
      setAttribute(rect, "y", y0 + 1);
      setAttribute(rect, "width", Math.max(width - 2, 0.5).toFixed(1));
      setAttribute(rect, "height", LEVEL - 2);
    }
    const position = classes.get(data.class) ?? -1;
    const total = Object.values(data.classes).reduce((sum, weight) => sum + weight, 0);
    const own = Object.hasOwn(data.classes, data.class) ? data.classes[data.class] : 0;
    const purity = total > 0 ? own / total : 0;
    const strength = data.test ? 10 : 18 + 30 * purity;
    frameRect.style.fill = `color-mix(in srgb, ${classColour(position)} ${strength.toFixed(0)}%, var(--ground))`;
    const parts = Object.entries(data.classes).filter(([, weight]) => weight > 0.005 * total);
    let left = x0 + 5;
    const scale = Math.max(width - 10, 0) / Math.max(total, 1e-9);
    keyed(shares, width > 14 ? parts.slice(0, 24) : [], ([label]) => label, () => svg("rect", { height: 4 }), (rect, [label, weight]) => {
      setAttribute(rect, "x", left.toFixed(1));
      setAttribute(rect, "y", y0 + LEVEL - 7);
      setAttribute(rect, "width", (scale * weight).toFixed(1));
      rect.style.fill = classColour(classes.get(label) ?? -1);
      left += scale * weight;
    });
    const main = data.test ?? (data.class === null ? "no example yet" : String(data.class));
    place_text(title, x0 + 6, y0 + 12, width > 34 ? short(main, width, "600 ") : "");
    const side = sideOf(node);
    const branch = side ? `${name(side, 14)}: ` : "";
    const size = plural(data.rows, "row");
    const pure = data.test ? [] : [`${branch}${size}, ${percent(purity, 0)} ${name(data.class ?? "", 12)}`];
    const texts = [...pure, branch + size, branch + compact(data.rows), compact(data.rows)];
    const more = data.cut_off ? " …" : "";
    ruler.font = FONT.replace("12px", "11px");
    const about = texts.find((text) => ruler.measureText(text + more).width <= width - 10);
    place_text(sub, x0 + 6, y0 + 23, about ? about + more : "");
    group.classList.toggle("leaf", !data.test);
    setAttribute(group, "tabindex", data.id === current ? 0 : -1);
    // The visible texts come first, as people who speak to their browser say what they see.
    const kind = data.test ? `test ${name(data.test)}` : `leaf that predicts ${name(data.class ?? "nothing yet")}`;
    const told = `${title.textContent} ${sub.textContent} (${kind}, ${plural(data.rows, "row")}, level ${node.depth + 1})`;
    setAttribute(group, "aria-label", told.trim());
  }

  /** Move the focus to the parent, the first child or a sibling. */
  function move(node, key) {
    const siblings = node.parent?.children ?? [node];
    const i = siblings.indexOf(node);
    const to = { ArrowUp: node.parent, ArrowDown: node.children?.[0], ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1] }[key];
    const group = to && [...picture.children].find((each) => each.node.data.id === to.data.id);
    if (!group) return false;
    for (const each of picture.children) setAttribute(each, "tabindex", each === group ? 0 : -1);
    group.focus();
    return true;
  }

  new ResizeObserver(() => frame && draw()).observe(box);
  return {
    update(next) {
      frame = next;
      draw();
    },
  };
}

/** The nodes that are wide enough to be seen, with their places; children lie below their parent. */
function place(nodes, width) {
  const children = new Map();
  for (const node of nodes) {
    const key = node.parent ?? "root";
    if (!children.has(key)) children.set(key, []);
    children.get(key).push(node);
  }
  const root = hierarchy(children.get("root")[0], (node) => children.get(node.id));
  // A node is as wide as its children together; a leaf without rows still has a little width.
  root.eachAfter((node) => {
    const own = Math.max(node.data.weight, 0) + 1e-3;
    node.value = node.children ? node.children.reduce((sum, child) => sum + child.value, 0) : own;
  });
  const levels = root.height + 1;
  partition().size([width, LEVEL * levels])(root);
  return root.descendants().filter((node) => node.x1 - node.x0 >= NARROWEST).slice(0, MOST);
}

/** Flash a leaf by the share of rows that reached it since the last frame; frame a new node. */
function pulse(group, node, before, first) {
  const { data } = node;
  if (first || !motionAllowed()) return;
  if (before === undefined) {
    group.classList.add("fresh");
    setTimeout(() => group.classList.remove("fresh"), 6000);
  }
  const came = data.rows - (before ?? data.rows);
  if (data.test || came <= 0) return;
  const strength = Math.min(0.55, 0.12 + came / Math.max(data.rows, 1));
  group.children[1].animate([{ opacity: strength }, { opacity: 0 }], { duration: 900, easing: "ease-out" });
}

/** Which way leads to a node: "yes" or "no" to the test of its parent, or one of several values. */
function sideOf({ data, parent }) {
  if (!parent) return "";
  if (data.branch === parent.data.test) return "yes";
  return parent.children.length === 2 ? "no" : data.branch;
}

function short(text, width, weight) {
  ruler.font = weight + FONT;
  return fitted(ruler, name(text, 80), width - 10);
}

function place_text(node, x, y, text) {
  setAttribute(node, "x", x.toFixed(1));
  setAttribute(node, "y", y);
  setText(node, text);
}

function noteText({ model, tree }) {
  if (!tree.nodes.length && !tree.members?.length) return model.rows ? "This model has no tree to show." : "No example has arrived yet.";
  const size = `${plural(model.n_leaves, "leaf").replace("leafs", "leaves")}, depth ${count(model.depth)}`;
  const more = tree.nodes.some((node) => node.cut_off) ? "; … means more below" : "";
  return `${size}; wide nodes see more rows${more}`;
}

function writeClasses(nodes, classes) {
  const named = [...nodes.map((node) => node.class), ...Object.keys(nodes[0]?.classes ?? {})];
  const seen = [...new Set(named.filter((each) => each !== null))];
  seen.sort((a, b) => (classes.get(a) ?? 0) - (classes.get(b) ?? 0));
  const items = seen.slice(0, LEGEND);
  if (seen.length > LEGEND) items.push(null);
  keyed(byId("tree-classes"), items, (item) => `${item === null ? "more" : `class ${item}`}`, () => element("li", { class: "swatch" }), (node, item) => {
    node.style.setProperty("--swatch", item === null ? "transparent" : classColour(classes.get(item) ?? -1));
    setText(node, item === null ? `and ${plural(seen.length - LEGEND, "class").replace("classs", "classes")} more` : name(item, 24));
  });
}

/** What the dialog shows of a node: the path, class weights, the certificate. */
function nodeDetail(frame, id) {
  const byNode = new Map(frame.tree.nodes.map((node) => [node.id, node]));
  const node = byNode.get(id);
  if (!node) return { title: "This node is gone", body: [element("p", {}, "The tree has replaced it.")] };
  const steps = [];
  for (let each = node; each && each.parent !== null; each = byNode.get(each.parent)) steps.unshift(name(each.branch, 200));
  const total = Object.values(node.classes).reduce((sum, weight) => sum + weight, 0);
  const classes = new Map(frame.model.classes.map((each, i) => [each, i]));
  const weights = Object.entries(node.classes).sort((a, b) => b[1] - a[1]);
  const bars = weights.slice(0, 20).map(([label, weight]) => {
    const bar = element("span", { class: "share" });
    bar.style.width = `${(100 * weight) / Math.max(total, 1e-9)}%`;
    bar.style.background = classColour(classes.get(label) ?? -1);
    const cells = [element("td", { class: "wide" }, bar), element("td", {}, count(weight)), element("td", {}, percent(weight / total))];
    return element("tr", {}, element("th", { scope: "row", class: "name" }, name(label, 200)), ...cells);
  });
  const rest = weights.length > 20 ? [element("p", { class: "quiet" }, `and ${count(weights.length - 20)} classes with less weight`)] : [];
  const path = steps.length ? element("ol", { class: "path" }, ...steps.map((step) => element("li", { class: "name" }, step))) : element("p", {}, "This is the root: every row passes it.");
  return {
    title: node.test ? `Test: ${name(node.test, 300)}` : `Leaf: predicts ${name(node.class ?? "nothing yet", 300)}`,
    body: [
      element("h3", {}, "The path of a row to this node"),
      path,
      element("h3", {}, `Class weights of ${plural(node.rows, "row")}`),
      element("table", { class: "bars" }, element("tbody", {}, ...bars)),
      ...rest,
      ...(node.certificate ? [element("h3", {}, "Why it was split"), element("p", { class: "name" }, node.certificate)] : []),
    ],
  };
}
