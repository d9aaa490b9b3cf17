// Replaying an exported run over the code as it is now, in a test.
//
//   RX1. Nothing is called: no model, no tool, no callback whose result is on record. The first call that the record does
//        not hold ends the replay.
//   RX2. Code that only runs other steps (tasks, methods, agents) runs again, so that a change inside of it is noticed.
//   RX3. Of an export without its texts the steps are compared, and not what they were asked or gave.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { environmentVariables, systemClock } from "../base/system.ts";
import { EventLog, InMemoryEventStore } from "../events/event-log.ts";
import type { ChildPort } from "../events/child-port.ts";
import { RunScope, type RunEnvironment } from "../events/run-scope.ts";
import type { RunServices } from "../events/run-services.ts";
import { Journal } from "../journal/journal.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { InMemoryJournalStore } from "../journal/in-memory-journal-store.ts";
import { holdsSteps } from "../journal/replay-plan.ts";
import { ancestors } from "../journal/step-key.ts";
import { changedInput } from "../journal/step-row.ts";
import type { DriveResult } from "../journal/step-spec.ts";
import { modelCatalog, type ModelCatalog } from "../llm/model-catalog.ts";
import { rowsOfExport, type ExportedRun } from "../runtime/export-run.ts";
import type { RunProgram } from "../runtime/run-program.ts";

/** A crew, a flow or an agent. */
export type ReplayedCode = { program(entry?: never): RunProgram };

/** What a replay needs besides the exported run. */
export type ReplayOptions = {
  /** Where agents find their models; none of them is called. @default made from the process's environment variables */
  readonly models?: ModelCatalog;
  /** What the run can use beside models. */
  readonly services?: RunServices;
};

/** Whether the code still does what the exported run did. */
export type ReplayResult =
  /** The code asks for what the run did, in its order. `until` is the step that the run had not finished when it was exported. */
  | { readonly fits: true; readonly output?: JsonValue; readonly until?: string }
  /** `step` is the key of the first step that does not fit; absent where all fit and the end does not. */
  | { readonly fits: false; readonly step?: string; readonly message: string };

/** Runs the code over the journal of an exported run, and says the first step that does not fit. Throws `invalid_input` for what is no export. */
export async function replayRun(
  exported: ExportedRun,
  code: ReplayedCode,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
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

/** The code has come to a step that is not on record, or that the run had not finished. */
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

/** Time as it was when the run began: what is measured against it is on record. */
function clockOf({ run }: ExportedRun): Clock {
  const startedAtMs = Date.parse(run.startedAt ?? run.createdAt);
  return {
    now: () => startedAtMs,
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
  };
}

/** A step is about to be executed: the replay has come to the end of what it can know. */
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

/** The rows of the run, without those of groups whose steps are there: their code runs again (RX2). */
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
