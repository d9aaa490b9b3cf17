// Drives of a journal as tests see them: a program over a scope, a store that outlives the drive, a clock by hand.
import type { JsonValue } from "../../src/base/json.ts";
import { EventLog, InMemoryEventStore } from "../../src/events/event-log.ts";
import type { MailPort } from "../../src/events/mail.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import type { JournalStore, StepKind, StepRecord } from "../../src/journal/journal-store.ts";
import { Journal } from "../../src/journal/journal.ts";
import type { DriveResult, JournalOptions, StepSpec } from "../../src/journal/step-spec.ts";
import { allRows } from "../../src/journal/replay-plan.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";

export type Program = (scope: RunScope) => Promise<JsonValue>;

export type DriveOptions = Partial<Omit<JournalOptions, "store">>;

export type Drive = {
  readonly journal: Journal;
  readonly ended: Promise<DriveResult>;
  readonly clock: SimulatedClock;
};

/** Begins a drive; its end is `ended`. */
export function beginDrive(
  store: JournalStore,
  program: Program,
  { mail, ...options }: DriveOptions & { clock?: SimulatedClock; mail?: MailPort } = {},
): Drive {
  const clock = options.clock ?? new SimulatedClock();
  const journal = new Journal({ runId: "run-1", store, ...options, clock });
  const events = new EventLog({ runId: journal.runId, store: new InMemoryEventStore(), clock });
  const ended = journal.drive((root) =>
    program(
      new RunScope(
        {
          journal,
          events,
          models: noModel,
          services: {},
          repeats: new Map(),
          ...(mail && { mail }),
        },
        { activity: root, path: "", parentEventId: undefined },
      ),
    ),
  );
  return { journal, ended, clock };
}

/** Says a piece of the answer of the call `call`. */
export function say(scope: RunScope, chunk: string, offset = 0): void {
  scope.emitLive("llm_stream_chunk", { callId: "call", chunk, attempt: 1, offset });
}

/** For programs that call no model. */
export function noModel(): never {
  throw new Error("this program has no model");
}

/** A whole drive. */
export function drive(
  store: JournalStore,
  program: Program,
  options: DriveOptions & { clock?: SimulatedClock; mail?: MailPort } = {},
): Promise<DriveResult> {
  return beginDrive(store, program, options).ended;
}

/** A step of kind `effect` (unless told) at `key` that only runs `action`. */
export function perform<T>(
  scope: RunScope,
  key: string,
  action: (() => Promise<T> | T) | (Partial<StepSpec<T>> & { action: () => Promise<T> | T }),
): Promise<T> {
  const { action: run, ...spec } = typeof action === "function" ? { action } : action;
  return scope.at(key).step<T>({ kind: "effect", ...spec, run: async () => run() });
}

/** An action whose end the test decides. */
export class Latch<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: Error) => void;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** All rows, whole, in the order of their start. */
export function rowsOf(store: JournalStore): readonly StepRecord[] {
  return [...allRows(store)].flatMap(({ key }) => store.get(key) ?? []);
}

/** A finished row as an earlier drive left it; `place` is where it stands in the order of starts and ends. */
export function doneRow(
  key: string,
  place: number,
  row: Partial<StepRecord> & { kind?: StepKind } = {},
): StepRecord {
  return {
    key,
    kind: "effect",
    label: null,
    parent: null,
    mark: null,
    state: "done",
    attempt: 1,
    interrupted: 0,
    inputHash: null,
    startedSeq: place,
    endedSeq: place + 1,
    startedAtMs: 0,
    endedAtMs: 0,
    value: "null",
    request: null,
    error: null,
    wait: null,
    usage: null,
    ...row,
  };
}

/** The row of a step that a crash cut off in its first execution. */
export function cutOffRow(key: string, place: number, row: Partial<StepRecord> = {}): StepRecord {
  return doneRow(key, place, {
    state: "started",
    endedSeq: null,
    endedAtMs: null,
    value: null,
    ...row,
  });
}

/** Resolves once `condition` holds; rejects after `turns` turns of the event loop. */
export async function until(condition: () => boolean, turns = 2000): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    if (condition()) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
  throw new Error("the awaited condition did not come about");
}
