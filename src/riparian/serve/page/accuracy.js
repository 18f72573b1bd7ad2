// Accuracy over time with its baselines, and the rows at which something happened to the model.

import { line, makeChart } from "./chart.js";
import { byId, element, keyed, numbers, setAttribute, setText, table } from "./dom.js";
import { compact, count, name, percent, plural, seconds } from "./format.js";
import { colour, faint } from "./theme.js";

// The colour and the sign of each kind of mark; splits are small ticks at the bottom.
const MARKS = {
  drift: { role: "warn", sign: "▼" },
  replacement: { role: "good", sign: "◆" },
  rollback: { role: "warn", sign: "◀" },
  upload: { role: "accent", sign: "▲" },
  reset: { role: "warn", sign: "✕" },
  split: { role: "quiet", sign: "|" },
};
const LINES = [
  ["sliding", "solid accent"],
  ["overall", "solid ink"],
  ["majority", "dashed quiet"],
  ["no_change", "dotted quiet"],
];

export function makeAccuracy() {
  let frame = null;
  const chart = makeChart(byId("accuracy-chart"), {
    series: [
      line("sliding", "accent", { width: 2.5 }),
      line("overall", "ink", { width: 1.5, opacity: 0.75 }),
      line("majority", "quiet", { width: 1.3, dash: [6, 4] }),
      line("no_change", "quiet", { width: 1.3, dash: [2, 3] }),
    ],
    scales: { x: { range: (_, low, high) => [low, high > low ? high : low + 1] }, y: { range: accuracyRange } },
    xLabel: "rows →",
    xValues: (_, ticks) => ticks.map(compact),
    yValues: (_, ticks) => ticks.map((tick) => `${Number((100 * tick).toFixed(1))} %`),
    draw: drawMarks,
    readout: (i) => {
      const point = frame?.accuracy?.points[i];
      return point ? `row ${count(point[0])}: ${percent(point[1])} lately, ${percent(point[2])} in all` : "";
    },
  });
  const drawNumbers = numbers(byId("accuracy-numbers"), () => {
    const points = frame?.accuracy?.points ?? [];
    const step = Math.max(1, Math.ceil(points.length / 50));
    const rows = points
      .filter((_, i) => (points.length - 1 - i) % step === 0)
      .map(([row, sliding, overall]) => [count(row), percent(sliding), percent(overall)]);
    return table("Accuracy", ["rows", "lately", "in all"], rows);
  });

  function drawMarks(u, context, pixels) {
    if (!frame) return;
    const { left, top, width, height } = u.bbox;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.font = `${12 * pixels}px system-ui, sans-serif`;
    for (const { rows, kind } of frame.marks) {
      const x = u.valToPos(rows, "x", true);
      if (x < left || x > left + width) continue;
      const { role, sign } = MARKS[kind] ?? MARKS.reset;
      const split = kind === "split";
      context.strokeStyle = split ? colour(role) : faint(role, 0.75);
      context.lineWidth = (split ? 1 : 1.5) * pixels;
      context.beginPath();
      context.moveTo(x, split ? top + height - 7 * pixels : top + 12 * pixels);
      context.lineTo(x, top + height);
      context.stroke();
      context.fillStyle = colour(role);
      if (!split) context.fillText(sign, x, top - 2 * pixels);
    }
  }

  function writeLegend({ accuracy, marks }) {
    const texts = {
      sliding: `last ${count(accuracy?.window)}`,
      overall: "all rows",
      majority: "commonest class",
      no_change: "class of the row before",
    };
    const items = LINES.filter(([key]) => accuracy?.[key] !== null && accuracy?.[key] !== undefined).map(([key, style]) => ({
      key,
      style,
      text: texts[key],
      value: percent(accuracy[key]),
    }));
    const kinds = Object.entries(MARKS).filter(([kind]) => marks.some((mark) => mark.kind === kind));
    for (const [kind, { role, sign }] of kinds) {
      items.push({ key: `mark-${kind}`, style: `sign ${role}`, text: `${sign} ${kind}`, value: "" });
    }
    const make = ({ style }) => element("li", { class: style }, element("span"), " ", element("b"));
    keyed(byId("accuracy-legend"), items, ({ key }) => key, make, (node, item) => {
      setText(node.children[0], item.text);
      setText(node.children[1], item.value);
    });
  }

  return {
    update(next) {
      frame = next;
      const { accuracy, marks, labels } = frame;
      const points = accuracy?.points ?? [];
      const flat = (value) => points.map(() => value ?? null);
      const column = (i) => points.map((point) => point[i]);
      chart.setData([column(0), column(1), column(2), flat(accuracy?.majority), flat(accuracy?.no_change)]);
      writeLegend(frame);
      const last = marks.filter((mark) => mark.kind !== "split").at(-1);
      const parts = [];
      if (!points.length) parts.push("No labelled row has arrived yet.");
      if (last) parts.push(`Last change, ${last.kind} at row ${count(last.rows)}: ${name(last.text, 160).replace(`${count(last.rows)}: `, "")}.`);
      if (labels && (labels.pending > 0 || labels.delay_seconds !== null)) {
        const late = labels.delay_seconds === null ? "" : ` Labels arrive ${seconds(labels.delay_seconds)} after the prediction.`;
        parts.push(`${plural(labels.pending, "prediction")} wait for a label.${late}`);
      }
      setText(byId("accuracy-note"), parts.join(" "));
      const canvas = byId("accuracy-chart").querySelector("canvas");
      setAttribute(canvas, "role", "img");
      const now = accuracy ? `${percent(accuracy.sliding)} in the last ${count(accuracy.window)} rows, ${percent(accuracy.overall)} in all` : "not known";
      setAttribute(canvas, "aria-label", `Accuracy: ${now}`);
      drawNumbers();
    },
  };
}

function accuracyRange(_, low, high) {
  if (low === null || high === null) return [0, 1];
  const pad = Math.max(0.08 * (high - low), 0.01);
  return [Math.max(0, low - pad), Math.min(1.005, high + pad)];
}
