import { toBase64 } from "../../../base/bytes.ts";
import { isJsonObject } from "../../../base/json.ts";

/** Minimum length of a secret. Shorter texts occur in other texts by chance. */
const MIN_SECRET = 6;

/** Creates a function that masks secrets in texts: verbatim, URL-encoded and in base64. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets
      .filter((secret) => secret.length >= MIN_SECRET)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        new URLSearchParams([["", secret]]).toString().slice(1),
        toBase64(new TextEncoder().encode(secret)),
      ]),
  );
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, "***"), text);
}

/** Changes all texts and names in a value. */
export function withTexts<Value>(value: Value, change: (text: string) => string): Value {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return change(each);
    if (Array.isArray(each)) return each.map(changed);
    if (!isJsonObject(each)) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, inner]) => [change(name), changed(inner)]),
    );
  };
  return changed(value) as Value;
}
