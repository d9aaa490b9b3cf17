// A run that a request finds by its id, in place of starting one.
//
//   ID1. A used id answers with its run only if that was started for the same: kind, name, inputs, model and what is done with
//        them. For anything else it is a conflict, which tells nothing of the run.
//   ID2. A caller without the scope `read` learns of a run that was there before id, status and links. A run that this very
//        request has started may answer it, also with its output and events.
import { EngineError } from "../base/error.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { Run, RunStart } from "../runtime/run.ts";
import { shownDefinition } from "./definition-specs.ts";
import type { Scope } from "./key-store.ts";

/** Returns the run. Throws `conflict` if it was started for something else. */
export function sameRun(
  run: Run,
  start: Pick<RunStart, "kind" | "name" | "inputs" | "entry" | "overrides">,
): Run {
  const isSame =
    run.kind === start.kind &&
    run.name === start.name &&
    run.llm === start.overrides?.llm &&
    canonical(run.inputs) === canonical(start.inputs) &&
    canonical(work(run.entry)) === canonical(work(start.entry));
  if (isSame) return run;
  throw idTaken(run.id);
}

/** Returns the fork. Throws `conflict` for a run that is no fork of that run under that branch, or has another edited step. */
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

/** The run as it is shown: without the keys of what it was started with. */
export function shownRun(run: Run): Run {
  return run.entry === undefined ? run : { ...run, entry: shownDefinition(run.entry) };
}

/** Whether a caller may be shown runs that it did not start just now. */
export function mayRead(scopes: readonly Scope[]): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}

function idTaken(id: string): EngineError {
  return new EngineError(
    "conflict",
    `the run id ${id} is in use by a run that was started for something else, or with other inputs: use another id or Idempotency-Key`,
  );
}

/** How a run enters its program, without how its answer is sent, and without sealed keys: those differ each time. */
function work(entry: RunStart["entry"]): JsonValue {
  const { stream: _, ...rest } = entry ?? {};
  return shownDefinition(rest);
}

/** The same text for values that JSON holds alike, whatever the order of their fields. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, item: JsonValue) =>
    isJsonObject(item)
      ? Object.fromEntries(
          Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : item,
  );
}
