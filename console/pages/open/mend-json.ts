// Recovers the readable beginning of a JSON text that ends too early or is broken in its middle.

const SCALAR = /true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

type Open = { readonly close: "}" | "]"; after: "start" | "key" | "colon" | "value" | "comma" };

/**
 * Returns the text up to its last complete value, with open brackets closed. Undefined if there is no complete value. A
 * cut object or list at the end of another counts with its values so far.
 */
export function mendJson(text: string): string | undefined {
  const open: Open[] = [];
  let good: { readonly end: number; readonly closing: string } | undefined;
  let place = 0;
  const mark = (end: number): void => {
    good = {
      end,
      closing: open
        .map(({ close }) => close)
        .toReversed()
        .join(""),
    };
  };
  const read = (pattern: RegExp): boolean => {
    pattern.lastIndex = place;
    if (!pattern.test(text)) return false;
    place = pattern.lastIndex;
    return true;
  };
  for (; place < text.length;) {
    const sign = text.charAt(place);
    const inner = open.at(-1);
    if (/\s/.test(sign)) place++;
    else if (mayBeValue(inner) && (sign === "{" || sign === "[")) {
      if (inner !== undefined) inner.after = "value";
      open.push({ close: sign === "{" ? "}" : "]", after: "start" });
      mark(++place);
    } else if (inner !== undefined && sign === inner.close && inner.after !== "colon") {
      if (inner.after === "key" || inner.after === "comma") break;
      open.pop();
      mark(++place);
      if (open.length === 0) break;
    } else if (inner !== undefined && sign === "," && inner.after === "value") {
      inner.after = "comma";
      place++;
    } else if (inner !== undefined && sign === ":" && inner.after === "key") {
      inner.after = "colon";
      place++;
    } else if (inner?.close === "}" && (inner.after === "start" || inner.after === "comma")) {
      if (!read(STRING)) break;
      inner.after = "key";
    } else if (mayBeValue(inner)) {
      if (!read(sign === '"' ? STRING : SCALAR)) break;
      if (inner === undefined) break;
      inner.after = "value";
      mark(place);
    } else break;
  }
  return good === undefined ? undefined : text.slice(0, good.end) + good.closing;
}

function mayBeValue(inner: Open | undefined): boolean {
  if (inner === undefined) return true;
  return inner.close === "]"
    ? inner.after === "start" || inner.after === "comma"
    : inner.after === "colon";
}
