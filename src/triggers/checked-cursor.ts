import { EngineError } from "../base/error.ts";

/** Returns the cursor. Fails with `invalid_input` for an impossible cursor. */
export function checkedCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(cursor)) return cursor;
  throw new EngineError(
    "invalid_input",
    "the cursor is not valid; leave it out to start from the first page",
    { issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }] },
  );
}
