/**
 * Returns any value as JSON, for records that must not fail because of a user's values. A value without a JSON form
 * becomes its own text. Values to be restored later go through `recorded.ts`, which refuses such values. Never throws.
 */
export function anyText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return lenientText(value);
  }
}

function lenientText(value: unknown): string {
  const open: object[] = [];
  const plain = (each: unknown): unknown => {
    if (typeof each === "bigint") return String(each);
    if (typeof each !== "object" || each === null) return each;
    if (open.includes(each)) return "[circular]";
    open.push(each);
    try {
      if (Array.isArray(each)) return Array.from(each, plain);
      return Object.fromEntries(Object.keys(each).map((key) => [key, plain(fieldOf(each, key))]));
    } finally {
      open.pop();
    }
  };
  try {
    return JSON.stringify(plain(value)) ?? "null";
  } catch {
    return '"[unreadable]"';
  }
}

function fieldOf(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key) as unknown;
  } catch {
    return "[unreadable]";
  }
}
