/** Returns the age of a time: `12 s`, `3 min`, `5 h`, `2 d`. */
export function age(at: string | undefined, nowMs: number): string {
  return at === undefined ? "" : span(nowMs - Date.parse(at));
}

/** Returns a duration; empty while it is not over. */
export function duration(from: string | undefined, to: string | undefined): string {
  return from === undefined || to === undefined ? "" : span(Date.parse(to) - Date.parse(from));
}

function span(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
