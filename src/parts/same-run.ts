// Returns the run with a requested id instead of starting one.
//
//   ID1. A used id returns its run only if that run was started for the same work: kind, name, inputs, model, person and entry.
//        Anything else is a conflict, which reveals no data of the run.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { Run, RunStart } from "../runtime/run.ts";
import { shownDefinition } from "./definition-specs.ts";

/** Returns the run. Throws `conflict` if it was started for other work. */
export function sameRun(
  run: Run,
  start: Pick<RunStart, "kind" | "name" | "inputs" | "entry" | "overrides" | "person">,
): Run {
  const isSame =
    run.kind === start.kind &&
    run.name === start.name &&
    run.llm === start.overrides?.llm &&
    run.person === start.person &&
    canonical(run.inputs) === canonical(start.inputs) &&
    canonical(work(run.entry)) === canonical(work(start.entry));
  if (isSame) return run;
  throw idTaken(run.id);
}

/**
 * Returns the fork. Throws `conflict` for a run that is not a fork of that run under that branch, or has another edited
 * step.
 */
export function sameFork(
  fork: Run,
  {
    of,
    branch,
    edited,
  }: {
    readonly of: string;
    readonly branch?: string | undefined;
    readonly edited?: string | undefined;
  },
): Run {
  const { origin } = fork;
  if (origin?.runId === of && origin.branch === branch && origin.edited === edited) return fork;
  throw idTaken(fork.id);
}

/** Returns the run for display: without the keys in its entry. */
export function shownRun(run: Run): Run {
  return run.entry === undefined ? run : { ...run, entry: shownDefinition(run.entry) };
}

function idTaken(id: string): EngineError {
  return new EngineError(
    "conflict",
    `the run id ${id} is in use by a run that was started for something else, or with other inputs: use another id or Idempotency-Key`,
  );
}

/** Returns the entry of a run without its stream option and sealed keys: those differ each time. */
function work(entry: RunStart["entry"]): JsonValue {
  const { stream: _, ...rest } = entry ?? {};
  return shownDefinition(rest);
}

/** Returns the same text for equal JSON values with any order of fields. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, item: JsonValue) =>
    isJsonObject(item)
      ? Object.fromEntries(
          Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : item,
  );
}
