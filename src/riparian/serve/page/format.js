// Numbers and names as short texts.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const known = (x) => typeof x === "number" && Number.isFinite(x);

export const count = (x) => (known(x) ? whole.format(x) : "unknown");
export const compact = (x) => (known(x) ? short.format(x) : "unknown");
export const percent = (x, digits = 1) => (known(x) ? `${(100 * x).toFixed(digits)} %` : "unknown");
export const gain = (x) => (known(x) ? (Math.abs(x) >= 0.001 || x === 0 ? x.toFixed(3) : x.toPrecision(2)) : "unknown");
export const plural = (x, word) => `${count(x)} ${word}${Math.round(x) === 1 ? "" : "s"}`;

export function bytes(x) {
  if (!known(x)) return "unknown";
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(x, 1)) / 3), units.length - 1);
  return power ? `${(x / 1000 ** power).toPrecision(3)} ${units[power]}` : `${x} bytes`;
}

export function seconds(x) {
  if (!known(x)) return "unknown";
  if (x < 1) return `${Math.round(1000 * x)} ms`;
  if (x < 120) return `${x < 10 ? x.toFixed(1) : Math.round(x)} s`;
  if (x < 7200) return `${Math.round(x / 60)} min`;
  return x < 172800 ? `${Math.round(x / 3600)} h` : `${Math.round(x / 86400)} days`;
}

// Characters that would end a line or turn the direction of the text around a name.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A name from data as one line of at most `most` characters. */
export function name(text, most = 60) {
  const plain = String(text).slice(0, 4 * most + 4).replace(INVISIBLE, "\ufffd");
  const characters = [...plain];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : plain;
}
