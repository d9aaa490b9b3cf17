// A call of a tool, its caller, and the runs visible to the caller.
//
//   MTC1. A key without the scope `read` sees only the runs started with it.
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Run } from "../../../runtime/run.ts";
import { type ProtocolRuns } from "../../protocol-runs.ts";
import { maySeeRun } from "../../started-by.ts";
import type { ThreadRun } from "../../thread-store.ts";
import type { RunListener } from "./follow-run.ts";
import type { ClientAbilities } from "./questions.ts";

/** A caller, with the client's capabilities. */
export type McpCaller = {
  readonly tenant: string;
  readonly callerId: string;
  readonly mayRead: boolean;
  readonly abilities: ClientAbilities;
  /** True if the client supports the tasks extension. */
  readonly hasTasks: boolean;
};

/** An incoming call of a tool. */
export type ToolCall = {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly meta: JsonObject;
  /** Answers by the names of the questions. */
  readonly responses?: Readonly<Record<string, unknown>> | undefined;
  readonly state?: string | undefined;
  readonly signal: AbortSignal;
  readonly listener: RunListener;
};

/**
 * Returns a run visible to a caller. Fails with `not_found` for any other: a key that may not read sees only the runs
 * started with it (MTC1).
 */
export async function findRun(
  runs: ProtocolRuns,
  caller: Pick<McpCaller, "tenant" | "callerId" | "mayRead">,
  id: string,
): Promise<{ readonly run: Run; readonly thread: ThreadRun }> {
  const found = await runs.find(caller.tenant, id);
  if (maySeeRun(caller, found.thread)) return found;
  throw new EngineError("not_found", `there is no task ${id}`);
}
