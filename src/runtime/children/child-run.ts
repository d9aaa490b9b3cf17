// What parents and children know of each other.
import type { ErrorRecord } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";

/** Whose child a run is: the parent's id, and the key of the first step there that waits for it. */
export type RunParent = { readonly id: string; readonly key: string };

/** Children of one parent, by their ids. */
export type ChildPointers = {
  readonly tenant: string;
  readonly parent: string;
  readonly children: readonly string[];
};

/** How a child ended. */
export type ChildReport = {
  /** The child's id. */
  readonly runId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly output?: JsonValue;
  /** It has an output that is too long to be handed over: to be read from the run itself. */
  readonly omitted?: true;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
};
