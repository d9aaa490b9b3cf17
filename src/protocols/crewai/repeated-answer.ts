// Answers that come again. Requests of the hosted API name a task and no question, so an answer is a repetition if the
// latest ended question of its task has got the same one.
import { EngineError } from "../../base/error.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { RunDirectory } from "../../runtime/run-directory.ts";
import type { Run } from "../../runtime/run.ts";
import { answerTo, isForPeople, taskKeyOf } from "./codec.ts";

/** Returns the run of a repeated answer; undefined for other answers. */
export async function repeatedAnswer(
  runs: Pick<RunDirectory, "snapshot" | "step" | "resume">,
  tenant: string,
  {
    run,
    taskKey,
    answer: { id, ...answer },
  }: {
    readonly run: Run;
    readonly taskKey: string;
    readonly answer: Parameters<typeof answerTo>[1] & { readonly id?: string };
  },
): Promise<Run | undefined> {
  const { events } = await runs.snapshot(tenant, run.id, ["wait_opened"]);
  const key = lastEnded(run, events, taskKey);
  const wait = key === undefined ? undefined : (await runs.step(tenant, run.id, key)).wait;
  if (key === undefined || wait === undefined) return undefined;
  const named = id === undefined ? undefined : { id };
  return runs
    .resume(tenant, run.id, { ...answerTo(wait, answer), key, ...named })
    .catch((error: unknown) => {
      if (isConflict(error)) return undefined;
      throw error;
    });
}

export function isConflict(error: unknown): error is EngineError {
  return EngineError.is(error) && error.code === "conflict";
}

/** Returns the key of a task's latest question that is not open any more. */
function lastEnded(
  { waits }: Run,
  events: readonly RunEvent[],
  taskKey: string,
): string | undefined {
  const open = new Set(waits.map(({ key }) => key));
  for (const event of events.toReversed())
    if (event.type === "wait_opened" && isForPeople(event) && !open.has(event.key))
      if (taskKeyOf(event.key) === taskKey) return event.key;
  return undefined;
}
