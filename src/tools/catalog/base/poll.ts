// Jobs that take long: begun once, asked for until they have ended, with durable timers in between.
//
//   JOB1. The job's id is on record before anything is asked for: a crash begins no second job.
//   JOB2. Each question is a step, each pause a durable timer: while the job goes on, the run costs nothing.
//   JOB3. At the deadline the failure names the job, which may still end.
//   JOB4. A run that ends while the job goes on has it cancelled, where the service can do that.
//   JOB5. A question that the service cannot answer for now is asked again later: the job goes on meanwhile.
import type { JsonValue } from "../../../base/json.ts";
import type { Effect } from "../../../journal/step-spec.ts";
import { endRequest, type EndRequest } from "./end-request.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import { isServiceFailure, serviceFailure } from "./service-failure.ts";
import type { ToolIo } from "./tool-io.ts";

/** How a job stands: it has a result, it has failed, or it goes on. */
export type JobState<Result> = { readonly done: Result } | { readonly failed: string } | "running";

export type PollOptions<Result extends JsonValue> = {
  /** Begins the job and answers its id. */
  readonly start: (step: { readonly idempotencyKey: string }) => Promise<string>;
  /** The request that cancels the job, for runs that end before it. @default it goes on */
  readonly cancel?: (jobId: string) => EndRequest["request"];
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

/** Where a job is polled. */
export type PollPlace = {
  readonly io: ToolIo;
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

/** What a question without an answer says of the job: nothing, if it can be asked again. */
function unanswered(error: unknown): Checked<never> {
  if (isServiceFailure(error) && error.retryable) return { state: "running", atMs: 0 };
  throw error;
}
