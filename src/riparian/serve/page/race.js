// The race: at one leaf, the best cut against its runner-up until the gap is beyond doubt.

import { label, line, makeChart } from "./chart.js";
import { columns, contest, gainRange, progress } from "./contest.js";
import { byId, element, keyed, numbers, setAttribute, setText, table } from "./dom.js";
import { compact, count, gain, name, plural } from "./format.js";
import { colour, faint } from "./theme.js";

const HOLD = 8000; // milliseconds that a race which ended stays on the page
const STAY = 10000; // milliseconds that a leaf stays on the page, though another is nearer

export function makeRace() {
  let chosen = null; // the leaf that the reader chose, or null for the nearest
  let frame = null;
  let shown = null; // {entry, state, certificate}
  let held = null; // a race that ended, and until when it is shown
  let near = { key: null, since: 0 }; // the leaf that is shown if the reader chose none
  let rest = 0; // until then, splits of other leaves do not interrupt
  let races = new Map(); // the last entries by key, to close the race of a leaf that has split
  const chart = makeChart(byId("race-chart"), {
    series: [
      line("runner-up", "second"),
      line("margin", "second", { width: 1, opacity: 0.45 }),
      line("best", "accent", { width: 3 }),
      line("runner-up ahead", "second", { dash: [6, 5], opacity: 0.7 }),
      line("margin ahead", "second", { width: 1, dash: [3, 4], opacity: 0.6 }),
      line("best ahead", "accent", { dash: [6, 5], opacity: 0.7 }),
      line("tie", "quiet", { width: 1.5, dash: [2, 3] }),
    ],
    bands: [
      { series: [2, 1], fill: () => faint("second", 0.22) },
      { series: [5, 4], fill: () => faint("second", 0.1) },
    ],
    scales: {
      x: { range: (_, low, high) => [low, high > low ? high : low + 1] },
      y: { range: () => (shown ? gainRange(shown.state) : [0, 1]) },
    },
    xLabel: "examples at this leaf →",
    yLabel: "↑ gain: how well a cut separates the classes",
    xValues: (_, ticks) => ticks.map(compact),
    yValues: (_, ticks) => ticks.map((tick) => (tick < 0 ? "" : String(Number(tick.toFixed(4))))),
    draw: annotate,
    readout: (i) => {
      const check = shown?.state.checks[i];
      if (!check) return "";
      const { n, best, second, epsilon } = check;
      return `after ${count(n)}: best ${gain(best)}, runner-up ${gain(second)}, margin ${gain(epsilon)}`;
    },
  });
  const drawNumbers = numbers(byId("race-numbers"), () => {
    const rows = (shown?.state.checks ?? []).map((check) => [
      count(check.n),
      ...[check.best, check.second, check.best - check.second, check.epsilon].map(gain),
    ]);
    const heads = ["examples", "gain of the best cut", "gain of the runner-up", "gap", "margin of error"];
    return table("Checks of this leaf", heads, rows);
  });

  function annotate(u, context, pixels) {
    if (!shown?.state.last) return;
    const { last, finish, more, tie, tau, gap } = shown.state;
    const x = (n) => u.valToPos(n, "x", true);
    const y = (value) => u.valToPos(value, "y", true);
    const right = u.bbox.left + u.bbox.width;
    const top = u.bbox.top;
    const lines = u.bbox.width / pixels;
    if (tau > 0 && y(last.second + tau) > top) {
      label(context, pixels, `tie, τ ${tau}`, u.bbox.left + 6 * pixels, y(shown.state.checks[0].second + tau), "quiet");
    }
    context.setLineDash([]);
    context.strokeStyle = faint("ink", 0.5);
    context.lineWidth = pixels;
    context.beginPath();
    context.moveTo(x(last.n), top);
    context.lineTo(x(last.n), top + u.bbox.height);
    context.stroke();
    // The names stand where there is more room: before or after the last check.
    const after = right - x(last.n) > 0.4 * u.bbox.width;
    const place = x(last.n) + (after ? 8 : -8) * pixels;
    const align = after ? "left" : "right";
    const most = (align === "left" ? right - place : place - u.bbox.left) / pixels - 8;
    // The two names keep a distance of one line even when the gains are almost equal.
    const apart = Math.max(0, 15 * pixels - (y(last.second) - y(last.best))) / 2;
    const { best, runner_up } = shown.entry;
    const write = (text, height, role) => label(context, pixels, text, place, height, role, { bold: true, align, most });
    const below = y(last.second) + 11 * pixels + apart;
    const room = below < top + u.bbox.height - 24 * pixels;
    const secondHeight = room ? below : y(last.second) - 11 * pixels;
    const bestHeight = Math.min(y(last.best) - 11 * pixels - apart, secondHeight - 16 * pixels);
    write(`${name(best.cut, 48)}: ${gain(last.best)}`, bestHeight, "accent");
    write(`${runner_up ? name(runner_up.cut, 48) : "no split"}: ${gain(last.second)}`, secondHeight, "second");
    if (finish !== null && last.epsilon > 0) {
      const goal = tie ? last.second + tau : last.best;
      const inside = x(finish) <= right;
      const spot = inside ? x(finish) : right - 6 * pixels;
      context.fillStyle = colour("ground");
      context.strokeStyle = colour("ink");
      context.lineWidth = 2 * pixels;
      context.beginPath();
      if (inside) context.arc(spot, y(goal), 5 * pixels, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      const what = tie ? "splits here as a tie" : "splits here";
      const ahead = more < 1 ? "next check" : `${count(more)} more${lines > 450 ? " examples at this gap" : ""}`;
      const text = inside ? `${what}: ${ahead}` : `${ahead} →`;
      const above = Math.min(bestHeight - 19 * pixels, y(goal) - 16 * pixels);
      const height = above > top + 20 * pixels ? above : secondHeight + 19 * pixels;
      label(context, pixels, text, Math.min(spot + 40 * pixels, right - 4 * pixels), height, "ink", { bold: true, align: "right", most: lines - 20 });
    }
    if (shown.certificate) {
      context.fillStyle = colour("good");
      context.beginPath();
      context.arc(x(last.n), y(last.best), 6 * pixels, 0, 2 * Math.PI);
      context.fill();
    } else if (last.epsilon > gap && last.epsilon > 0) {
      // Between the best cut and the upper edge of the margin: the way that is left.
      const edge = Math.max(y(last.second + last.epsilon), top + 12 * pixels);
      const middle = (edge + y(last.best)) / 2;
      const text = `not sure yet: margin of error ${gain(last.epsilon)}`;
      const wide = (x(last.n) - u.bbox.left) / pixels - 16;
      if (wide > 160 && bestHeight - edge > 34 * pixels) {
        label(context, pixels, text, x(last.n) - 8 * pixels, middle, "ink", { align: "right", most: wide });
      }
    }
  }

  function show(entry, certificate) {
    shown = entry?.best ? { entry, certificate, state: contest(entry, certificate) } : null;
    chart.setData(shown ? columns(shown.state) : columns({ checks: [], ahead: [], tau: 0 }));
    writeLegend(shown && !shown.entry.runner_up);
    drawNumbers();
  }

  function draw() {
    if (held && performance.now() > held.until) held = null;
    const entries = frame?.race ?? [];
    const entry = entries.find((each) => keyOf(each) === chosen) ?? nearest(entries);
    byId("race").classList.toggle("ended", Boolean(held));
    if (held) {
      show(held.entry, held.certificate);
      setText(byId("race-title"), "The race is over: this leaf has split");
      setText(byId("race-place"), placeText(held.entry));
      setText(byId("race-sentence"), held.text);
    } else {
      show(entry, null);
      setText(byId("race-title"), "The race: which cut will split this leaf?");
      setText(byId("race-place"), entry ? placeText(entry) : "");
      setText(byId("race-sentence"), shown ? sentence(shown) : emptyText(frame, entry));
    }
    setAttribute(byId("race-chart").querySelector("canvas"), "role", "img");
    setAttribute(byId("race-chart").querySelector("canvas"), "aria-label", byId("race-sentence").textContent);
    drawList(entries, entry);
  }

  /** The leaf nearest to a split; it changes at most every STAY milliseconds, so that one can follow it. */
  function nearest(entries) {
    const now = performance.now();
    const same = entries.find((each) => keyOf(each) === near.key);
    if (same && now - near.since < STAY) return same;
    if (!entries.length) return null;
    near = { key: keyOf(entries[0]), since: now };
    return entries[0];
  }

  function drawList(entries, current) {
    const box = byId("race-leaves");
    // The order stays while the reader points at the list or has the focus in it.
    if (box.matches(":hover, :focus-within")) {
      const order = new Map([...box.children].map((node, i) => [node.dataset.key, i]));
      entries = [...entries].sort((a, b) => (order.get(keyOf(a)) ?? 99) - (order.get(keyOf(b)) ?? 99));
    }
    const items = entries.length ? [null, ...entries] : [];
    keyed(box, items, (item) => (item ? keyOf(item) : "nearest"), makeOption, (node, item) => {
      node.querySelector("input").checked = item ? keyOf(item) === chosen : chosen === null;
      if (!item) return;
      node.classList.toggle("shown", item === current && !held);
      setText(node.querySelector(".path"), shortPath(item));
      setText(node.querySelector(".cut"), item.best ? name(item.best.cut, 60) : "no check yet");
      setText(node.querySelector(".more"), moreText(item));
      node.querySelector(".bar").style.width = `${100 * (progress(item) ?? 0)}%`;
    });
  }

  function makeOption(item) {
    const input = element("input", { type: "radio", name: "race-leaf" });
    input.addEventListener("change", () => {
      chosen = item ? keyOf(item) : null;
      held = null;
      draw();
    });
    if (!item) return element("label", { class: "follow" }, input, "show the nearest leaf");
    const track = element("span", { class: "track" }, element("span", { class: "bar" }));
    const texts = ["cut", "path", "more"].map((part) => element("span", { class: part }));
    return element("label", { class: "leaf" }, input, ...texts, track);
  }

  return {
    update(next) {
      frame = next;
      if (chosen !== null && !frame.race.some((entry) => keyOf(entry) === chosen)) chosen = null;
      draw();
      races = new Map(frame.race.map((entry) => [keyOf(entry), entry]));
    },
    /** A leaf has split: its race stays on the page for some seconds, with the certificate. */
    split(event) {
      const list = byId("race-splits");
      const item = element("li", {}, element("span", { class: "when" }, `row ${count(event.rows)}`), ` ${name(event.text, 120)}`);
      list.prepend(item);
      while (list.children.length > 1) list.lastChild.remove();
      const key = keyOf(event);
      // The race that is shown ends on the page; of other leaves, one now and then.
      const own = shown !== null && keyOf(shown.entry) === key;
      const certificate = event.certificate;
      if (held || !certificate || (!own && (chosen !== null || performance.now() < rest))) return;
      const entry = races.get(key) ?? { leaf: event.leaf, member: event.member, path: null, history: [] };
      const best = { cut: certificate.cut, gain: certificate.gain };
      const alone = certificate.runner_up === "no split";
      const runner_up = alone ? null : { cut: certificate.runner_up, gain: certificate.runner_up_gain };
      held = { entry: { ...entry, best, runner_up, tau: certificate.tau }, certificate, text: name(event.text, 400), until: performance.now() + HOLD };
      rest = held.until + STAY;
      draw();
    },
  };
}

const keyOf = ({ leaf, member }) => `${member ?? ""}/${leaf}`;


/** The path from the leaf upwards: the nearest test says most. */
function shortPath(entry) {
  const member = entry.member === null || entry.member === undefined ? "" : `member ${entry.member}: `;
  return member + (entry.path?.length ? [...entry.path].reverse().slice(0, 4).map((step) => name(step, 40)).join(", ") : "the root");
}

function placeText({ member, leaf, path }) {
  const tree = member === null || member === undefined ? "" : ` of member ${member}`;
  if (!path) return `At leaf ${leaf}${tree}`;
  if (!path.length) return `At the root${tree}: every example arrives here`;
  const tail = path.slice(-3).map((step) => name(step));
  return `At the leaf${tree} where ${path.length > 3 ? "… and " : ""}${tail.join(" and ")}`;
}

function moreText({ rows_to_decide: more, until_check, best }) {
  if (!best) return until_check ? `first check in ${count(until_check)}` : "";
  if (more === null || more === undefined) return "not known";
  return more >= 1 ? `${more < 1e5 ? count(more) : compact(more)} more` : "next check";
}

function sentence({ entry, state }) {
  const { last, gap, tie, more, tau } = state;
  const best = name(entry.best.cut);
  const lead = entry.runner_up
    ? `${best} separates the classes better than ${name(entry.runner_up.cut)}, by ${gain(gap)}`
    : `${best} separates the classes better than no split, by ${gain(gap)}`;
  if (typeof entry.evidence === "number" && typeof entry.threshold === "number") {
    return `${lead}. After ${plural(last.n, "example")} the evidence for it is ${entry.evidence.toFixed(1)}; the leaf splits at ${entry.threshold.toFixed(1)}.`;
  }
  if (!(last.epsilon > 0)) return `${lead}, after ${plural(last.n, "example")}.`;
  if (more === null || more === undefined) {
    return `${lead}. After ${plural(last.n, "example")} this is uncertain by ${gain(last.epsilon)}: too much to split the leaf.`;
  }
  const need = tie
    ? `Too close to prove soon; the leaf splits as a tie at ${gain(tau)}`
    : "The leaf splits when the lead is larger than the uncertainty";
  const when = more >= 1 ? `${plural(more, "more example")} at this gap` : "at the next check";
  return `${lead}. After ${plural(last.n, "example")} this is uncertain by ${gain(last.epsilon)}. ${need}: ${when}.`;
}

function emptyText(frame, entry) {
  if (!frame) return "Waiting for the first frame from the server.";
  if (entry) return "This leaf has not been checked yet.";
  if (!frame.model.learning) return "This server answers only: no leaf of the model is learning.";
  if (!frame.model.rows) return "No example has arrived yet. The race begins with the first check of a leaf.";
  return "No leaf has been checked yet, or this model does not split by a bound.";
}

function writeLegend(alone) {
  const items = [
    ["solid accent", "best cut"],
    ["solid second", alone ? "no split" : "runner-up"],
    ["band second", "margin of error, shrinking: the best cut must get above it"],
    ["dotted quiet", "tie line: or the margin must get below it"],
  ];
  keyed(byId("race-legend"), items, ([key]) => key, ([key]) => element("li", { class: key }), (node, [, text]) => setText(node, text));
}
