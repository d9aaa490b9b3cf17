// Long jobs: started once and polled until their end, with durable timers in between.
//
//   JOB1. The job's id is recorded before the first poll, so a crash starts no second job.
//   JOB2. Each poll is a step, each pause a durable timer: while the job continues, the run costs nothing.
//   JOB3. At the deadline the failure names the job, which may still finish.
//   JOB4. If the run ends before the job, the job is cancelled if the service supports it.
//   JOB5. A poll with a temporary failure is repeated later; the job continues.
import type { JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { Effect } from "../../../journal/step-spec.ts";
import type { ToolContext } from "../../tool-context.ts";
import { endRequest, type EndRequest } from "./end-request.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import { isServiceFailure, serviceFailure } from "./service-failure.ts";

/** State of a job: a result, a failure, or still running. */
export type JobState<Result> = { readonly done: Result } | { readonly failed: string } | "running";

export type PollOptions<Result extends JsonValue> = {
  /** Starts the job and returns its id. */
  readonly start: (step: { readonly idempotencyKey: string }) => Promise<string>;
  /** Request to cancel the job, for runs ending before it. @default it goes on */
  readonly cancel?: (jobId: string) => EndRequest["request"];
  /** Returns the state of the job. */
  readonly check: (jobId: string) => Promise<JobState<Result>>;
  /** Pauses between the polls; the last one repeats. @default [1000, 2000, 3000, 5000, 10_000] */
  readonly everyMs?: readonly number[];
  /** Deadline after the start, in milliseconds. @default 600_000 */
  readonly untilMs?: number;
  /** Effect of starting the job twice. @default "idempotent" */
  readonly effect?: Effect;
  /** Returns instructions for the model, or a person, to look at the job after the deadline. @default only its id */
  readonly lookAgain?: (jobId: string) => string;
};

const EVERY_MS = [1000, 2000, 3000, 5000, 10_000];
const UNTIL_MS = 600_000;

/** Means of a tool to poll a job; see `ToolIo`. */
export type PollIo = {
  readonly context: ToolContext;
  readonly scope: RunScope;
  toEndRequest(request: EndRequest["request"]): EndRequest | undefined;
};

/** Context of a polled job. */
export type PollPlace = {
  readonly io: PollIo;
  readonly service: string;
  readonly toolName: string;
};

export async function pollJob<Result extends JsonValue>(
  options: PollOptions<Result>,
  { io, service, toolName }: PollPlace,
): Promise<Result> {
  const { everyMs = EVERY_MS, untilMs = UNTIL_MS, effect = "idempotent" } = options;
  const { context, scope } = io;
  const retry = REQUEST_RETRY;
  const cleanUpId = `${scope.path}/job`;
  const startedAtMs = context.now();
  const begin = async (step: { readonly idempotencyKey: string }): Promise<string> => {
    const id = await options.start(step);
    const cancel = options.cancel && io.toEndRequest(options.cancel(id));
    if (cancel !== undefined) scope.addCleanUp(endRequest, cancel, cleanUpId);
    return id;
  };
  const jobId = await io.context.step<string>("job", begin, { effect, retry });
  const named = { toolName, service, jobId };
  scope.emit("tool_job_started", named);
  const finished = (status: "completed" | "failed" | "timeout", polls: number): void => {
    scope.removeCleanUp(cleanUpId);
    scope.emit("tool_job_finished", { ...named, status, polls });
  };
  const check = async (): Promise<Checked<Result>> => {
    const state = await options.check(jobId);
    return { state, atMs: scope.clock.now() };
  };
  let atMs = startedAtMs;
  for (let polls = 1; ; polls++) {
    const pauseMs = everyMs[Math.min(polls, everyMs.length) - 1] ?? 1000;
    if (atMs + pauseMs - startedAtMs > untilMs) {
      finished("timeout", polls - 1);
      const again = options.lookAgain?.(jobId) ?? "it may still end";
      throw serviceFailure({
        code: "timeout",
        message: `${service} has not finished the job ${jobId} in ${untilMs / 1000} s; ${again}.`,
      });
    }
    await context.sleep(`pause:${polls}`, pauseMs);
    const checked = await io.context
      .step<Checked<Result>>(`check:${polls}`, check, { retry })
      .catch(unanswered);
    atMs = Math.max(atMs + pauseMs, checked.atMs);
    const { state } = checked;
    if (state === "running") continue;
    finished("failed" in state ? "failed" : "completed", polls);
    if ("done" in state) return state.done;
    throw serviceFailure({
      code: "failed",
      message: `${service} could not finish the job ${jobId}: ${state.failed}`,
    });
  }
}

type Checked<Result> = { readonly state: JobState<Result>; readonly atMs: number };

/** Treats a failed poll as a running job if it can be repeated. */
function unanswered(error: unknown): Checked<never> {
  if (isServiceFailure(error) && error.retryable) return { state: "running", atMs: 0 };
  throw error;
}
