import { EngineError } from "../base/error.ts";

const PREFIX = "after:";

/** Returns an opaque cursor to continue after `key`. */
export function cursorAfter(key: string): string {
  const bytes = new TextEncoder().encode(PREFIX + key);
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Returns the key behind a cursor. Throws `invalid_input` for a cursor not made by `cursorAfter`. */
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

/** Returns the number behind a cursor. Throws `invalid_input` for any other cursor. */
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
