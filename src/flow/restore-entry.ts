import type { JsonObject } from "../base/json.ts";

/** What a run keeps of its start that begins with a state kept under another flow id. */
export function restoreEntry(restoreFromStateId: string): JsonObject {
  return { action: "restore", restoreFromStateId };
}
