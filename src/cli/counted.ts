/** `1 run`, `3 runs`; `plural` where an `s` does not make it. */
export function counted(count: number, thing: string, plural = `${thing}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? thing : plural}`;
}
