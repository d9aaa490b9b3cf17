import type { JsonObject } from "../base/json.ts";

/** Returns the start data of a run that begins with a state stored under another flow id. */
export function restoreEntry(restoreFromStateId: string): JsonObject {
  return { action: "restore", restoreFromStateId };
}
