// Jobs that take long: begun once, asked for until they have ended, with durable timers in between.
//
//   JOB1. The job's id is on record before anything is asked for: a crash begins no second job.
//   JOB2. Each question is a step, each pause a durable timer: while the job goes on, the run costs nothing.
//   JOB3. At the deadline the failure names the job, which may still end.
import type { JsonValue } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { Effect } from "../../../journal/step-spec.ts";
import type { ToolContext } from "../../tool.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import { serviceFailure } from "./service-failure.ts";

/** How a job stands: it has a result, it has failed, or it goes on. */
export type JobState<Result> = { readonly done: Result } | { readonly failed: string } | "running";

export type PollOptions<Result extends JsonValue> = {
  /** Begins the job and answers its id. */
  readonly start: (step: { readonly idempotencyKey: string }) => Promise<string>;
  /** Asks how the job stands. */
  readonly check: (jobId: string) => Promise<JobState<Result>>;
  /** Pauses between the questions; the last one repeats. @default [1000, 2000, 3000, 5000, 10_000] */
  readonly everyMs?: readonly number[];
  /** From the start, in milliseconds. @default 600_000 */
  readonly untilMs?: number;
  /** Whether beginning the job twice does harm. @default "idempotent" */
  readonly effect?: Effect;
  /** How the model, or a person, can look at the job after the deadline. @default only its id */
  readonly lookAgain?: (jobId: string) => string;
};

const EVERY_MS = [1000, 2000, 3000, 5000, 10_000];
const UNTIL_MS = 600_000;

export async function pollJob<Result extends JsonValue>(
  options: PollOptions<Result> & { readonly service: string; readonly toolName: string },
  { context, scope }: { readonly context: ToolContext; readonly scope: RunScope },
): Promise<Result> {
  const { everyMs = EVERY_MS, untilMs = UNTIL_MS, effect = "idempotent" } = options;
  const { service, toolName } = options;
  const retry = REQUEST_RETRY;
  const startedAtMs = context.now();
  const jobId = await context.step("job", options.start, { effect, retry });
  const named = { toolName, service, jobId };
  scope.emit("tool_job_started", named);
  let atMs = startedAtMs;
  for (let polls = 1; ; polls++) {
    const pauseMs = everyMs[Math.min(polls, everyMs.length) - 1] ?? 1000;
    if (atMs + pauseMs - startedAtMs > untilMs) {
      scope.emit("tool_job_finished", { ...named, status: "timeout", polls: polls - 1 });
      const again = options.lookAgain?.(jobId) ?? "it may still end";
      throw serviceFailure({
        code: "timeout",
        message: `${service} has not finished the job ${jobId} in ${untilMs / 1000} s; ${again}.`,
      });
    }
    atMs += pauseMs;
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    await context.sleep(`pause:${polls}`, pauseMs);
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    const state = await context.step(`check:${polls}`, () => options.check(jobId), {
      retry,
    });
    if (state === "running") continue;
    const failed = "failed" in state;
    const status = failed ? "failed" : "completed";
    scope.emit("tool_job_finished", { ...named, status, polls });
    if (!failed) return state.done;
    throw serviceFailure({
      code: "failed",
      message: `${service} could not finish the job ${jobId}: ${state.failed}`,
    });
  }
}
