// Replays an exported run over the current code, in a test.
//
//   RX1. The replay calls no model, no tool and no callback with a recorded result. The first call without a record
//        ends the replay.
//   RX2. Code that only runs other steps (tasks, methods, agents) runs again, so a change inside it is found.
//   RX3. For an export without texts, only the steps are compared, not their inputs and results.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { environmentVariables, systemClock } from "../base/system.ts";
import { EventLog, InMemoryEventStore } from "../events/event-log.ts";
import type { ChildPort } from "../events/child-port.ts";
import { RunScope } from "../events/run-scope.ts";
import { type RunEnvironment } from "../events/run-environment.ts";
import type { RunServices } from "../events/run-services.ts";
import { holdsSteps } from "../journal/holds-steps.ts";
import { Journal } from "../journal/journal.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { InMemoryJournalStore } from "../journal/in-memory-journal-store.ts";
import { ancestors } from "../journal/step-key.ts";
import { changedInput } from "../journal/step-row.ts";
import type { DriveResult } from "../journal/step-spec.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import { rowsOfExport, type ExportedRun } from "../runtime/export-run.ts";
import type { RunProgram } from "../runtime/run-program.ts";

/** A crew, a flow or an agent. */
export type ReplayedCode = { program(entry?: never): RunProgram };

/** Environment of a replay. */
export type ReplayOptions = {
  /** Models of the agents; the replay calls none of them. @default made from the process's environment variables */
  readonly models?: ModelCatalog;
  /** Services of the run beside models. */
  readonly services?: RunServices;
};

/** Result of a replay: the code still fits the exported run, or it does not. */
export type ReplayResult =
  /**
   * The code asks for the recorded steps, in their order. `until` is the step left unfinished at the time of the
   * export.
   */
  | { readonly fits: true; readonly output?: JsonValue; readonly until?: string }
  /** `step` is the key of the first misfitting step. Absent if all steps fit and only the end differs. */
  | { readonly fits: false; readonly step?: string; readonly message: string };

const OPTIONS = definitionOptions<ReplayOptions>("replayRun()", {
  models: true,
  services: true,
});

/**
 * Runs the code over the journal of an exported run and reports the first misfitting step. Throws `invalid_input` for
 * an invalid export.
 */
export async function replayRun(
  exported: ExportedRun,
  code: ReplayedCode,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  refuseUnknownOptions(options, OPTIONS);
  const rows = rowsOfExport(exported);
  const { id, kind, name, inputs, entry } = exported.start;
  const clock = clockOf(exported);
  const journal: Journal = new Journal({
    runId: id,
    store: new ReplayStore(rows),
    clock,
    observer: {
      changed: ({ key }) => {
        if (exported.redacted !== true) journal.hold(changedInput(key));
      },
    },
  });
  const program = code.program(entry as never);
  const environment: RunEnvironment = {
    journal,
    events: new EventLog({ runId: id, store: new InMemoryEventStore(), clock }),
    models: options.models ?? modelCatalog({ variables: environmentVariables() }),
    services: options.services ?? {},
    repeats: new Map(),
    ...(rows.some(({ wait }) => wait?.kind === "child")
      ? { children: NO_NEW_CHILDREN }
      : undefined),
  };
  const result = await journal.drive((activity) => {
    const place = { activity, path: "", parentEventId: undefined };
    const scope = new RunScope(environment, place).open("run_started", { kind, name, inputs });
    return scope.run(() => program.run(scope, inputs));
  });
  return outcomeOf(result, exported);
}

function outcomeOf(result: DriveResult, { run, redacted }: ExportedRun): ReplayResult {
  switch (result.state) {
    case "completed":
      if (redacted ? run.status === "completed" : sameJson(result.value, run.output))
        return { fits: true, output: result.value };
      return otherEnd(run, `gives ${JSON.stringify(result.value)}`);
    case "failed":
      if (redacted ? run.status === "failed" : result.error.message === run.error?.message)
        return { fits: true };
      return otherEnd(run, `fails: ${result.error.message}`);
    case "held":
      return misfit(result.error.message, result.key);
    case "parked":
      return run.output === undefined && run.error === undefined
        ? { fits: true }
        : otherEnd(run, "waits");
    case "interrupted":
      return endOfRecord(result.cause);
    default:
      throw new EngineError("internal", "the replay was stopped");
  }
}

/** Reads the error of an unrecorded or unfinished step. */
function endOfRecord(cause: unknown): ReplayResult {
  if (!(cause instanceof NewStep)) throw cause;
  const { key, kind } = cause.row;
  if (cause.wasUnderWay) return { fits: true, until: key };
  return misfit(`the code does a step of kind ${kind} that the run did not do`, key);
}

function misfit(message: string, step: string | undefined): ReplayResult {
  if (step === undefined) return { fits: false, message };
  return { fits: false, step, message: message.includes(step) ? message : `${step}: ${message}` };
}

function otherEnd({ status, output, error }: ExportedRun["run"], now: string): ReplayResult {
  const then = output === undefined ? (error?.message ?? "") : JSON.stringify(output);
  const message = `all steps fit, but the run is ${status} (${then}) and the code now ${now}`;
  return { fits: false, message };
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns a clock set to the start of the run. Recorded steps have all times measured against it. */
function clockOf({ run }: ExportedRun): Clock {
  const startedAtMs = Date.parse(run.startedAt ?? run.createdAt);
  return {
    now: () => startedAtMs,
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
  };
}

/** Thrown when a step is about to execute: the record ends here. */
class NewStep extends Error {
  readonly row: StepRecord;
  readonly wasUnderWay: boolean;

  constructor(row: StepRecord, wasUnderWay: boolean) {
    super(row.key);
    this.row = row;
    this.wasUnderWay = wasUnderWay;
  }
}

const NO_NEW_CHILDREN: ChildPort = {
  open: (_, rows) => {
    for (const row of rows) throw new NewStep(row, false);
  },
};

/** Rows of the run, without those of groups whose steps are recorded: the code of such groups runs again (RX2). */
class ReplayStore extends InMemoryJournalStore {
  readonly #known = new Map<string, StepRecord>();

  constructor(rows: readonly StepRecord[]) {
    super();
    const enclosing = new Set(rows.flatMap(({ key }) => [...ancestors(key)]));
    for (const row of rows) {
      this.#known.set(row.key, row);
      if (!holdsSteps(row.kind) || !enclosing.has(row.key)) super.put(row);
    }
  }

  override put(row: StepRecord): void {
    const known = this.#known.get(row.key);
    if (!holdsSteps(row.kind) || known?.kind !== row.kind)
      throw new NewStep(row, known !== undefined && known.endedSeq === null);
    super.put(row);
  }
}
