// A uPlot chart that fills its box, follows the colour scheme and draws names on its canvas.

import uPlot from "uplot";
import { colour, faint, onSchemeChange } from "./theme.js";

export const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** A line of the chart: `role` is a colour of the palette, `dash` a pattern, `width` in pixels. */
export function line(label, role, { width = 2, dash, opacity = 1 } = {}) {
  return { label, stroke: () => faint(role, opacity), width, dash, spanGaps: true, points: { show: false } };
}

/** Make a chart in `box`. `scales` are uPlot's; `draw(u, context, pixels)` adds to the canvas. */
export function makeChart(box, { series, bands, scales, xLabel, yLabel, xValues, yValues, draw, readout }) {
  const axis = (extra) => ({
    stroke: () => colour("quiet"),
    font: FONT,
    grid: { stroke: () => faint("line", 0.6), width: 1 },
    ticks: { show: false },
    gap: 4,
    ...extra,
  });
  const size = () => ({ width: Math.max(box.clientWidth, 120), height: Math.max(box.clientHeight, 80) });
  const tip = document.createElement("p");
  tip.className = "readout";
  const options = {
    ...size(),
    series: [{ label: xLabel }, ...series],
    bands,
    scales: { x: { time: false, ...scales.x }, y: scales.y },
    axes: [
      axis({ size: 22, values: xValues, space: 70 }),
      axis({ size: 44, values: yValues, space: 30 }),
    ],
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, points: { size: 6 } },
    hooks: {
      draw: [(u) => onCanvas(u, xLabel, yLabel, draw)],
      setCursor: [(u) => (tip.textContent = u.cursor.idx == null ? "" : readout(u.cursor.idx))],
    },
  };
  const chart = new uPlot(options, [[], ...series.map(() => [])], box);
  chart.over.append(tip);
  new ResizeObserver(() => chart.setSize(size())).observe(box);
  onSchemeChange(() => chart.redraw(false));
  return chart;
}

/** The names of the axes stand inside the plot, at the ends of the axes. */
function onCanvas(u, xLabel, yLabel, draw) {
  const context = u.ctx;
  const pixels = devicePixelRatio;
  const { left, top, width, height } = u.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top - 8 * pixels, width + 12 * pixels, height + 8 * pixels);
  context.clip();
  label(context, pixels, xLabel, left + width - 4 * pixels, top + height - 9 * pixels, "quiet", { align: "right" });
  if (yLabel) label(context, pixels, yLabel, left + 6 * pixels, top + 6 * pixels, "quiet", { most: width / pixels - 20 });
  draw(u, context, pixels);
  context.restore();
}

/** A text, shortened until it is at most `width` wide in the font of the context. */
export function fitted(context, text, width) {
  let shown = text;
  while (shown.length > 2 && context.measureText(shown).width > width) {
    shown = `${shown.slice(0, Math.floor(shown.length * 0.9) - 1)}…`;
  }
  return shown;
}

/** Write a text at a place in canvas pixels on a faint ground, shortened to fit `most` pixels. */
export function label(context, pixels, text, x, y, role, { bold = false, align = "left", most = 260 } = {}) {
  context.font = `${bold ? "600 " : ""}${FONT.replace("12px", `${12 * pixels}px`)}`;
  context.textAlign = align;
  context.textBaseline = "middle";
  const shown = fitted(context, text, most * pixels);
  const width = context.measureText(shown).width + 6 * pixels;
  const left = align === "left" ? x - 3 * pixels : align === "right" ? x - width + 3 * pixels : x - width / 2;
  context.fillStyle = faint("ground", 0.78);
  context.fillRect(left, y - 8 * pixels, width, 16 * pixels);
  context.fillStyle = colour(role);
  context.fillText(shown, x, y);
}
