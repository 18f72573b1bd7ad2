// Features: how much the model uses each one, and how far its values have moved.

import { byId, element, keyed, setText } from "./dom.js";
import { name, percent } from "./format.js";

const MOST = 100;
const known = (x) => x !== null && x !== undefined;

export function makeFeatures(detail) {
  const body = element("tbody");
  const heads = ["feature", "importance", "drift (PSI)", "missing"].map((text) => element("th", { scope: "col" }, text));
  byId("features-scroll").append(element("table", { class: "features" }, element("thead", {}, element("tr", {}, ...heads)), body));
  let frame = null;

  function make(feature) {
    const button = element("button", { class: "name" });
    button.addEventListener("click", () => detail.open(() => featureDetail(frame, feature.name)));
    const cell = () => element("td", {}, element("span", { class: "track" }, element("span", { class: "bar" })), element("span", { class: "value" }));
    return element("tr", {}, element("th", { scope: "row" }, button), cell(), cell(), element("td", { class: "value" }));
  }

  return {
    update(next) {
      frame = next;
      const features = frame.features.slice(0, MOST);
      const top = Math.max(...features.map((feature) => feature.importance ?? 0), 1e-9);
      const some = features.length < frame.features.length || features.length === MOST;
      setText(byId("features-note"), features.length ? (some ? `the ${features.length} most important` : "") : "none seen yet");
      keyed(body, features, (feature) => feature.name, make, (row, feature) => {
        const [head, importance, psi, missing] = row.children;
        setText(head.firstChild, name(feature.name, 40));
        setBar(importance, (feature.importance ?? 0) / top, known(feature.importance) ? percent(feature.importance) : "unknown");
        const state = psiState(feature.psi);
        setBar(psi, Math.min((feature.psi ?? 0) / 0.5, 1), known(feature.psi) ? `${feature.psi.toFixed(2)} ${state}` : "not yet known");
        psi.dataset.state = state;
        setText(missing, known(feature.missing) ? percent(feature.missing, 0) : "");
      });
    },
  };
}

function setBar(cell, share, text) {
  cell.firstChild.firstChild.style.width = `${(100 * share).toFixed(1)}%`;
  setText(cell.lastChild, text);
}

/** The marks at 0.1 and 0.25 that are in common use for this index. */
const psiState = (psi) => (!known(psi) ? "" : psi < 0.1 ? "stable" : psi < 0.25 ? "moved" : "changed");

function featureDetail(frame, key) {
  const feature = frame.features.find((each) => each.name === key);
  const title = `Feature: ${name(key, 300)}`;
  if (!feature) return { title, body: [element("p", {}, "It is no longer among the most important features.")] };
  const facts = [
    known(feature.psi) ? `Population stability index ${feature.psi.toFixed(3)}: ${psiState(feature.psi)} (0.1 and 0.25 are the usual marks).` : "Too few rows for a comparison yet.",
    `Missing in ${percent(feature.missing ?? 0)} of the recent rows; values never seen before in ${percent(feature.new_values ?? 0)}.`,
  ].map((text) => element("p", {}, text));
  if (!feature.reference || !feature.recent) return { title, body: facts };
  const top = Math.max(...feature.reference, ...feature.recent, 1e-9);
  const bar = (kind, share) => {
    const node = element("span", { class: `share ${kind}` });
    node.style.width = `${(100 * share) / top}%`;
    return node;
  };
  const rows = feature.bins.slice(0, 60).map((bin, i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", class: "name" }, name(bin, 40)),
      element("td", { class: "wide" }, bar("reference", feature.reference[i] ?? 0), bar("recent", feature.recent[i] ?? 0)),
      element("td", {}, percent(feature.reference[i] ?? 0)),
      element("td", {}, percent(feature.recent[i] ?? 0)),
    ),
  );
  const heads = ["value", "share of rows", "at first", "lately"].map((text) => element("th", { scope: "col" }, text));
  const legend = element("ul", { class: "legend" }, element("li", { class: "box quiet" }, "the first rows"), element("li", { class: "box accent" }, "the recent rows"));
  const table = element("table", { class: "bars" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  return { title, body: [...facts, legend, table] };
}
