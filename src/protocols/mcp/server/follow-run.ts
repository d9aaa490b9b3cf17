// Waits for a run within a request, and reports its progress to the client.
import { isoTime, sleep } from "../../../base/clock.ts";
import { cut } from "../../../base/cut.ts";
import { EngineError } from "../../../base/error.ts";
import type { LiveEvent, RunEvent } from "../../../events/run-event.ts";
import type { PartHost } from "../../../parts/part.ts";
import { isTerminal, type Run } from "../../../runtime/run.ts";
import type { ProtocolRuns } from "../../protocol-runs.ts";
import { isSettled } from "../../run-state.ts";
import { TOOL_KIND } from "./tool-run.ts";

/** Callbacks for the client's reports of a run. */
export type RunListener = {
  /** Absent unless the client asked for progress. */
  readonly progress?: (report: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => Promise<void>;
  readonly log: (level: string, data: unknown) => Promise<void>;
};

type FollowOptions = {
  readonly tenant: string;
  readonly id: string;
  /** Time of the request, in milliseconds since the epoch. The client receives later events only. */
  readonly fromMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly listener: RunListener;
};

/** Maximum duration of one look at the run. */
const LOOK_MS = 25_000;
const PAUSE_MS = 1_000;
/** The events before the end arrive shortly after it. */
const LAST_EVENTS_MS = 2_000;
const MAX_MESSAGE_LENGTH = 200;

/** Resolves to the run once it has ended or asks a question, or after `waitMs`. */
export async function followRun(
  runs: ProtocolRuns,
  { clock }: Pick<PartHost, "clock">,
  { tenant, id, fromMs, waitMs, signal, listener }: FollowOptions,
): Promise<Run> {
  const startMs = clock.now();
  const stop = new AbortController();
  const telling = tell(runs, { tenant, id, fromMs, listener, signal: stop.signal });
  try {
    for (;;) {
      const leftMs = startMs + waitMs - clock.now();
      const lookMs = Math.max(0, Math.min(leftMs, LOOK_MS));
      const run = await lookAt(runs, { tenant, id, lookMs, signal });
      if (isTerminal(run.status))
        await Promise.race([
          telling,
          sleep(clock, LAST_EVENTS_MS, stop.signal).catch(() => undefined),
        ]);
      if (isSettled(run) || leftMs <= 0 || signal.aborted) return run;
      if (run.status === "waiting")
        await sleep(clock, Math.min(leftMs, PAUSE_MS), signal).catch(() => undefined);
    }
  } finally {
    stop.abort();
  }
}

/** Reads the run. Fails with `run_cancelled` once the client has left. */
async function lookAt(
  runs: ProtocolRuns,
  {
    tenant,
    id,
    lookMs,
    signal,
  }: { tenant: string; id: string; lookMs: number; signal: AbortSignal },
): Promise<Run> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(new EngineError("run_cancelled", "the client has gone away"));
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([runs.settled(tenant, id, lookMs), gone]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function tell(
  runs: ProtocolRuns,
  {
    tenant,
    id,
    fromMs,
    listener,
    signal,
  }: { tenant: string; id: string; fromMs: number; listener: RunListener; signal: AbortSignal },
): Promise<void> {
  const { progress } = listener;
  const from = isoTime(fromMs);
  let steps = 0;
  let isOwnTool = false;
  try {
    for await (const event of runs.handle(tenant, id).events({ signal, words: "none" })) {
      if (event.type === "run_started") isOwnTool = event.kind === TOOL_KIND;
      if (event.at < from) continue;
      if (event.type === "mcp_tool_log") await listener.log(event.level, event.data);
      if (progress === undefined) continue;
      if (event.type === "mcp_tool_progress" && isOwnTool) {
        const { progress: done, total, message } = event;
        await progress({
          progress: done,
          ...(total === undefined ? undefined : { total }),
          ...(message === undefined ? undefined : { message }),
        });
      }
      const message = isOwnTool ? undefined : progressMessage(event);
      if (message !== undefined)
        await progress({ progress: ++steps, message: cut(message, MAX_MESSAGE_LENGTH) });
    }
  } catch {
    // Progress is reported on a best-effort basis; the client's result does not depend on it.
  }
}

/** Returns the text of an event for the person at the client; undefined for events without one. */
function progressMessage(event: RunEvent | LiveEvent): string | undefined {
  switch (event.type) {
    case "task_started":
      return `${event.taskName}: started`;
    case "task_completed":
      return `${event.taskName}: done`;
    case "tool_usage_started":
      return `${event.agentRole} uses ${event.toolName}`;
    case "method_execution_started":
      return `${event.methodName}: started`;
    case "method_execution_finished":
      return `${event.methodName}: done`;
    case "llm_call_started":
      return "A model is asked";
    case "mcp_tool_progress":
      return event.message;
    default:
      return undefined;
  }
}
