// Waits of the earlier runs of a thread, as their logs have them.
import type { RunEvent } from "../../events/run-event.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import type { ProtocolRuns } from "../protocol-runs.ts";
import type { ThreadRun } from "../thread-store.ts";
import { callPathOf } from "./ids.ts";

/** Runs of a request's thread. */
export type ThreadRuns = {
  readonly tenant: string;
  readonly threadId: string;
  readonly exposed: ExposedSubject;
  readonly runs: ProtocolRuns;
  readonly nowMs: number;
};

/** Maximum number of runs of a thread searched for earlier answers. */
export const MAX_EARLIER = 20;
/** Event types of waits. */
export const WAIT_EVENTS = ["run_waiting", "wait_opened", "wait_settled"];

/** A settled wait of an earlier run. */
export type EarlierWait = {
  readonly thread: ThreadRun;
  readonly key: string;
  readonly isExpired: boolean;
  /** True for a call of a front-end tool. */
  readonly isCall: boolean;
};

/** Lists the settled waits of the thread's runs. */
export async function earlierWaits({
  runs,
  tenant,
  threadId,
  exposed,
}: ThreadRuns): Promise<readonly EarlierWait[]> {
  const { items } = await runs.list(tenant, { threadId, subject: exposed, limit: MAX_EARLIER });
  const found = await Promise.all(
    items.map(async (thread) => {
      const events = await runs.kept(tenant, thread.runId, [...WAIT_EVENTS, "tool_usage_started"]);
      const callers = new Set(callerToolsOf(thread).map(sanitizeToolName));
      const calls = new Set(
        events.flatMap((event) =>
          event.type === "tool_usage_started" && callers.has(event.toolName) ? [event.path] : [],
        ),
      );
      const settled = new Map(
        events.flatMap((event) =>
          event.type === "wait_settled" ? [[event.key, event.expired === true] as const] : [],
        ),
      );
      return events.flatMap((event) =>
        event.type === "wait_opened"
          ? [
              {
                thread,
                key: event.key,
                isExpired: settled.get(event.key) ?? false,
                isCall: event.kind === "input" && calls.has(callPathOf(event.key) ?? ""),
              },
            ]
          : [],
      );
    }),
  );
  return found.flat();
}

/** Returns the `seq` before the part continued by these answers: the run's last wait before the first of them. */
export function startOf(events: readonly RunEvent[], answered: ReadonlySet<string>): number {
  let waitedAt: number | undefined;
  let openedAt = 0;
  for (const event of events) {
    if (event.type === "run_waiting") waitedAt = event.seq;
    if (event.type === "wait_opened" && answered.has(event.key)) openedAt = event.seq;
    if (event.type === "wait_settled" && answered.has(event.key)) break;
  }
  return waitedAt !== undefined && waitedAt > openedAt ? waitedAt : openedAt;
}

/** Returns the names of a run's front-end tools. */
export function callerToolsOf({ data }: ThreadRun): readonly string[] {
  const { tools } = data;
  return Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : [];
}
