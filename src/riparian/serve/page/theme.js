// The colours of the page for canvases, which cannot use the variables of a style sheet.

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const read = new Map();

/** The colour of a role such as "accent", in the present scheme. */
export function colour(role) {
  if (!read.has(role)) {
    read.set(role, getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim());
  }
  return read.get(role);
}

/** The colour with an opacity from 0 to 1. */
export function faint(role, opacity) {
  const hex = Math.round(255 * opacity).toString(16).padStart(2, "0");
  return colour(role) + hex;
}

/** The style variable of a class by its position; palette.css has as many as the build wrote. */
export const CLASS_COLOURS = 256;
export const classColour = (position) => (position < 0 ? "var(--quiet)" : `var(--class-${position % CLASS_COLOURS})`);

export function onSchemeChange(redraw) {
  dark.addEventListener("change", () => {
    read.clear();
    redraw();
  });
}

export const motionAllowed = () => !still.matches;
