/** Returns the values of a form or query by name, in one pass. A repeated name has a list. */
export function valuesByName(
  pairs: Iterable<readonly [string, string]>,
): Record<string, string | readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries(
    Array.from(values, ([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}
