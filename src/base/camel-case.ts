/** Converts `max_retry_limit` to `maxRetryLimit`; a name in camelCase stays unchanged. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `maxRetryLimit` as `max_retry_limit`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A value with the names of all its fields in snake_case. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [snakeCase(name), snakeKeys(each)]),
  );
}

/** Returns a value with the names of all its fields in camelCase. The contents of the fields in `as` stay unchanged. */
export function camelKeys(value: unknown, as: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => camelKeys(each, as));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      camelCase(name),
      as.includes(name) ? each : camelKeys(each, as),
    ]),
  );
}
