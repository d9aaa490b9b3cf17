import { EngineError } from "../base/error.ts";

const PREFIX = "after:";

/** An opaque cursor that continues after `key`. */
export function cursorAfter(key: string): string {
  const bytes = new TextEncoder().encode(PREFIX + key);
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** The key that a cursor continues after. Throws `invalid_input` for a cursor that we did not make. */
export function keyOfCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
    );
    if (text.startsWith(PREFIX)) return text.slice(PREFIX.length);
  } catch {
    // not base64: refused below
  }
  throw unfit();
}

/** The number that a cursor continues after. Throws `invalid_input` for any other cursor. */
export function numberOfCursor(cursor: string | undefined): number | undefined {
  const key = keyOfCursor(cursor);
  if (key === undefined) return undefined;
  if (/^\d{1,15}$/.test(key)) return Number(key);
  throw unfit();
}

function unfit(): EngineError {
  return new EngineError(
    "invalid_input",
    "the cursor is not valid; leave it out to start from the first page",
    {
      issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }],
    },
  );
}
