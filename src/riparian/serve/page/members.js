// The members of a forest as small multiples: weight, accuracy over time, size, warnings.

import { element, keyed, setAttribute, setText, svg } from "./dom.js";
import { count, percent } from "./format.js";

const KEPT = 60; // frames of a member's accuracy
const past = new Map();

export function drawMembers(box, members) {
  box.hidden = !members?.length;
  if (!members?.length) return;
  const heaviest = Math.max(...members.map((each) => each.weight ?? 0), 1e-9);
  keyed(box, members, (each) => each.member, make, (node, each) => {
    const seen = past.get(each.member) ?? [];
    seen.push(each.accuracy);
    if (seen.length > KEPT) seen.shift();
    past.set(each.member, seen);
    const [head, picture, weight, facts] = node.children;
    setText(head.children[0], `member ${each.member}`);
    setText(head.children[1], percent(each.accuracy));
    setAttribute(picture.firstChild, "points", spark(seen));
    weight.firstChild.style.width = `${(100 * (each.weight ?? 0)) / heaviest}%`;
    const parts = [`${count(each.leaves)} leaves`];
    if (each.warnings) parts.push(`${count(each.warnings)} ⚠`);
    if (each.replacements) parts.push(`${count(each.replacements)} ↻`);
    setText(facts, parts.join(" · "));
    const told = `weight ${each.weight?.toPrecision(3) ?? "unknown"}, ${count(each.warnings ?? 0)} warnings, replaced ${count(each.replacements ?? 0)} times`;
    setAttribute(node, "title", told);
    setText(node.children[4], told);
  });
}

function make() {
  return element(
    "div",
    { class: "member" },
    element("p", {}, element("span"), element("b")),
    svg("svg", { viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("polyline")),
    element("span", { class: "track" }, element("span", { class: "bar" })),
    element("p", { class: "quiet" }),
    element("p", { class: "hidden" }),
  );
}

function spark(values) {
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known, 1);
  const span = Math.max(Math.max(...known, 0) - low, 0.02);
  return values.map((value, i) => `${(100 * i) / Math.max(values.length - 1, 1)},${22 - (20 * ((value ?? low) - low)) / span}`).join(" ");
}
