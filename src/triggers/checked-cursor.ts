import { EngineError } from "../base/error.ts";

/** Throws `invalid_input` for what is no cursor of ours. */
export function checkedCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(cursor)) return cursor;
  throw new EngineError(
    "invalid_input",
    "the cursor is not valid; leave it out to start from the first page",
    { issues: [{ path: "/cursor", message: "expected a nextCursor from an earlier answer" }] },
  );
}
