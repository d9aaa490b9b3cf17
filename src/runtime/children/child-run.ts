// Data exchanged between parents and children.
import type { ErrorRecord } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";

/** Parent of a run: its id, and the key of its first step waiting for the child. */
export type RunParent = { readonly id: string; readonly key: string };

/** Children of one parent, by their ids. */
export type ChildPointers = {
  readonly tenant: string;
  readonly parent: string;
  readonly children: readonly string[];
};

/** Report about the end of a child. */
export type ChildReport = {
  /** The child's id. */
  readonly runId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly output?: JsonValue;
  /** Set when the output is too long for the report: it must be read from the run itself. */
  readonly omitted?: true;
  readonly error?: ErrorRecord;
  readonly usage: Usage;
};
