// The numbers of one race: past checks, the curve ahead, and where the leaf would split.

const STEPS = 24;

/** The state of a race `entry` of a frame, or of a race that ended with a `certificate`. */
export function contest(entry, certificate = null) {
  // The gap must exceed so many epsilons, so they are the margin; the tie line grows with it.
  const factor = entry.epsilons ?? 1;
  const checks = entry.history.map(([n, best, second, epsilon]) => ({ n, best, second: second ?? 0, epsilon: factor * (epsilon ?? 0) }));
  if (!checks.length && entry.best) {
    const second = entry.runner_up?.gain ?? 0;
    checks.push({ n: entry.rows, best: entry.best.gain, second, epsilon: factor * (entry.epsilon ?? 0) });
  }
  if (certificate) {
    const { n, gain, runner_up_gain, epsilon } = certificate;
    const before = checks.filter((check) => check.n < n);
    checks.splice(0, checks.length, ...before, { n, best: gain, second: runner_up_gain ?? 0, epsilon: factor * epsilon });
  }
  const last = checks.at(-1) ?? null;
  const tau = factor * (entry.tau ?? 0);
  const gap = last ? last.best - last.second : null;
  const more = certificate ? null : entry.rows_to_decide;
  const finish = last && more !== null && more !== undefined ? last.n + Math.max(more, 1) : null;
  return { checks, last, tau, gap, more, finish, tie: gap !== null && gap < tau, ahead: ahead(last, tau, gap, finish) };
}

/** The margin ahead: from its value now to its value at the finish, by a power of n (1/2 for Hoeffding). */
function ahead(last, tau, gap, finish) {
  const goal = Math.max(gap, tau);
  if (finish === null || !(last.epsilon > goal) || !(goal > 0) || !(last.n > 0)) return [];
  // Very near the finish the logarithms tell nothing.
  const near = finish < 1.02 * last.n;
  const power = near ? 0.5 : Math.log(last.epsilon / goal) / Math.log(finish / last.n);
  const end = Math.min(Math.max(finish * 1.06, last.n * 1.15), last.n * 5);
  return Array.from({ length: STEPS + 1 }, (_, i) => {
    const n = last.n + ((end - last.n) * i) / STEPS;
    return { n, best: last.best, second: last.second, epsilon: last.epsilon * (last.n / n) ** power };
  });
}

/** Columns for the chart: x, runner-up, top of the margin, best, and the three once more ahead, tie line. */
export function columns({ checks, ahead, tau }) {
  const all = [...checks, ...ahead.slice(1)];
  const past = checks.length;
  const behind = (value) => all.map((check, i) => (i < past ? value(check) : null));
  const future = (value) => all.map((check, i) => (i >= past - 1 && ahead.length ? value(check) : null));
  const second = (check) => check.second;
  const margin = (check) => check.second + check.epsilon;
  const best = (check) => check.best;
  const tie = all.map((check) => (tau > 0 ? check.second + tau : null));
  const x = all.map((check) => check.n);
  return [x, behind(second), behind(margin), behind(best), future(second), future(margin), future(best), tie];
}

/** The range of gains to show: early, very wide margins are cut off so that the lines stay apart. */
export function gainRange({ checks, last, tau }) {
  if (!last) return [0, 1];
  const lowest = Math.min(...checks.map((check) => check.second));
  const widest = Math.max(...checks.map((check) => Math.max(check.second + check.epsilon, check.best)));
  const now = Math.max(last.second + last.epsilon, last.best, last.second + tau);
  const high = Math.min(widest, lowest + 2.2 * (now - lowest));
  const pad = 0.12 * Math.max(high - lowest, 1e-6);
  return [lowest - 2.2 * pad, high + pad];
}

/** The share of the examples that the leaf needs at this gap, from 0 to 1; null if it is not known. */
export function progress(entry) {
  const more = entry.rows_to_decide;
  if (more === null || more === undefined) return null;
  return entry.rows / Math.max(entry.rows + more, 1);
}
