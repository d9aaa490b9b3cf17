// Reads the state of a run from its store alone, during a drive or without one.
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { parsedView } from "../base/recorded.ts";
import { addUsage, NO_USAGE, type Usage } from "../base/usage.ts";
import type { TraceRoots } from "../events/listener.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { StepSummary, UsageOf } from "../journal/journal-store.ts";
import { isRetryWait } from "../journal/retry-wait.ts";
import {
  checkpointPage,
  checkpointsOf,
  type Checkpoint,
  type HashedCheckpoint,
  type CheckpointPageOptions,
  type CheckpointSource,
} from "./checkpoints.ts";
import type { ChildReport, RunParent } from "./children/child-run.ts";
import { heldView } from "./code-change.ts";
import { exportPage, type ExportPage, type ExportQuery } from "./export-page.ts";
import { exportRun, type ExportedRun } from "./export-run.ts";
import { adoptedSeq, isAdopted } from "./adopted-rows.ts";
import type { Page } from "./page.ts";
import type { RunProgram } from "./run-program.ts";
import type { RunStore } from "./run-store.ts";
import type { JournalPage, JournalQuery } from "./journal-page.ts";
import { changesOf } from "./noted-changes.ts";
import { RunSteps } from "./run-steps.ts";
import { ownSteps, type EndedRun } from "./run-sums.ts";
import { waitView } from "./run-view.ts";
import {
  isTerminal,
  START_VALUES,
  type OpenWait,
  type Run,
  type RunRecord,
  type RunSnapshot,
  type RunStart,
  type TaskState,
  type UsageBy,
  type Wait,
  type RunOverrides,
} from "./run.ts";

/** Maximum length of a wait's data in the list of all waits, as JSON, in characters. The run itself has all of it. */
const MAX_LISTED_DATA = 64 * 1024;
/** A page of events is in memory once for each reader of a stream; one event may be longer. In UTF-16 units of JSON. */
const MAX_EVENTS_LENGTH = 256 * 1024;
const EVENTS_PAGE = 500;

/** Status and result of a run. */
export type RunOutcome = Pick<Run, "id" | "status" | "output" | "error">;

export class RunReader {
  /** Its steps, one by one and in pages. */
  readonly look: RunSteps;
  readonly #store: RunStore;
  readonly #program: (start: RunStart) => RunProgram;

  constructor(store: RunStore, program: (start: RunStart) => RunProgram) {
    this.#store = store;
    this.#program = program;
    this.look = new RunSteps({
      store,
      start: () => this.start(this.record()),
      program: (start) => this.programOf(start),
    });
  }

  /** Throws `not_found` for a run never started. */
  record(): RunRecord {
    const record = this.#store.load();
    if (record === undefined) throw new EngineError("not_found", "there is no such run");
    return record;
  }

  /** Returns the start of the run. */
  start(record: RunRecord): RunStart {
    const { id, tenant, kind, name } = record;
    return {
      id,
      tenant,
      kind,
      name,
      inputs: {},
      ...this.#values(START_VALUES),
      ...parentOf(record),
    };
  }

  /** Returns the links of its trace to those of other runs. */
  traceRoots(): TraceRoots {
    const record = this.record();
    const { parent, before, isOfOrigin } = record.trace ?? {};
    const runId = record.parent?.id ?? this.start(record).origin?.runId;
    const origin = runId !== undefined && { runId, ...(isOfOrigin && { parent: before }) };
    return { ...(parent && { parent }), ...(origin && { origin }) };
  }

  #values(names: readonly string[]): Record<string, never> {
    const values: Record<string, unknown> = {};
    for (const name of names) {
      const json = this.#store.value(name);
      if (json !== undefined)
        values[name] = name === "output" ? parsedView(json) : (JSON.parse(json) as unknown);
    }
    return values as Record<string, never>;
  }

  /** Returns the run in its API form. `usage` is the usage of the current drive, which the store may not have yet. */
  view(record: RunRecord, usage?: Usage): Run {
    const { id, kind, name, status, paused, error, createdAtMs, startedAtMs, finishedAtMs } =
      record;
    const waits = isTerminal(status) ? [] : this.#store.journal.waits().map(waitView);
    const spent = this.#store.journal.usageBy();
    const values = this.#values(SHOWN_VALUES);
    const definitionVersion = values["definitionVersion"] as string | undefined;
    const tasks = this.tasks();
    return {
      id,
      kind,
      name,
      status,
      ...(paused ? { paused } : undefined),
      inputs: {},
      ...values,
      ...this.#trigger(),
      ...this.#llm(),
      ...(this.#values(["person"]) as Pick<Run, "person">),
      ...parentOf(record),
      ...(error === null ? undefined : { error }),
      usage: usage ?? spent.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE),
      usageBy: spent.map(usageByView),
      waits,
      ...versionOf(record, definitionVersion),
      ...(record.hasChildren === true ? { children: this.#store.journal.children() } : undefined),
      ...(record.held === undefined || status !== "waiting"
        ? undefined
        : { held: heldView(record.held) }),
      ...this.#changes(),
      ...(tasks === undefined ? undefined : { tasks }),
      lastSeq: this.#store.events.lastSeq(),
      createdAt: isoTime(createdAtMs),
      ...(startedAtMs === null ? undefined : { startedAt: isoTime(startedAtMs) }),
      ...(finishedAtMs === null ? undefined : { finishedAt: isoTime(finishedAtMs) }),
    };
  }

  /** Returns the outcome of the run. */
  outcome(): RunOutcome {
    const { id, status, error } = this.record();
    const output = this.#store.value("output");
    return {
      id,
      status,
      ...(output === undefined ? undefined : { output: JSON.parse(output) as JsonValue }),
      ...(error === null ? undefined : { error }),
    };
  }

  #llm(): Pick<Run, "llm"> {
    const { overrides } = this.#values(["overrides"]) as { overrides?: RunOverrides };
    return overrides?.llm === undefined ? {} : { llm: overrides.llm };
  }

  /** Returns an ended run, with the steps it did itself: another run did the copied ones of a fork. */
  ended(): EndedRun {
    const { tenant, id, kind, name, status, createdAtMs, startedAtMs, finishedAtMs, error } =
      this.record();
    const { journal } = this.#store;
    const adopted = adoptedSeq(this.#store);
    return {
      tenant,
      id,
      kind,
      name,
      status,
      createdAtMs,
      startedAtMs,
      finishedAtMs: finishedAtMs ?? createdAtMs,
      ...(error === null ? undefined : { errorCode: error.code }),
      steps: () => ownSteps(journal, adopted),
    };
  }

  /** Returns the stored events of these types up to a place in the log, and the time of the last event there. */
  eventsOf(types: readonly string[], upToSeq: number): Pick<RunSnapshot, "events" | "at"> {
    const wanted = new Set(types);
    const events: RunEvent[] = [];
    if (wanted.size > 0)
      for (let after = 0; after < upToSeq;) {
        const page = this.#store.events.read(after, EVENTS_PAGE, MAX_EVENTS_LENGTH);
        const last = page.at(-1);
        if (last === undefined) break;
        for (const event of page)
          if (event.seq <= upToSeq && wanted.has(event.type)) events.push(event);
        after = last.seq;
      }
    const [latest] = this.#store.events.read(upToSeq - 1, 1);
    return { events, at: latest?.at ?? isoTime(this.record().createdAtMs) };
  }

  #trigger(): Pick<Run, "trigger"> | undefined {
    const { startedBy: trigger } = this.#values(["startedBy"]);
    return trigger === undefined ? undefined : { trigger };
  }

  #changes(): Pick<Run, "changes"> | undefined {
    const changes = changesOf(this.#store);
    return changes.length === 0 ? undefined : { changes };
  }

  /**
   * Returns the progress of each task; undefined if the definition is gone: the run's own record is still worth
   * showing.
   */
  tasks(): readonly TaskState[] | undefined {
    const record = this.record();
    const outline = this.programOf(this.start(record))?.tasks;
    const unfinished = isTerminal(record.status) ? "cancelled" : "running";
    const adopted = adoptedSeq(this.#store);
    return outline?.map(({ key, name, agent }): TaskState => {
      const task = { key, name, agent };
      const row = this.#store.journal.get(task.key);
      if (row === undefined) return { ...task, status: "pending" };
      const { state, startedAtMs, endedAtMs } = row;
      const ended = state === "done" ? "completed" : state === "error" ? "failed" : unfinished;
      if (isAdopted(row, adopted)) return { ...task, status: ended, copied: true };
      const times = { startedAt: isoTime(startedAtMs) };
      return endedAtMs === null
        ? { ...task, status: ended, ...times }
        : { ...task, status: ended, ...times, finishedAt: isoTime(endedAtMs) };
    });
  }

  /**
   * Returns the open waits for outside answers and events. Omits subjects, which the prompts contain, and data above
   * the limit.
   */
  openWaits(record: RunRecord): readonly OpenWait[] {
    if (isTerminal(record.status)) return []; // the journal of a cancelled run still has them
    return this.#store.journal
      .waits()
      .filter(({ wait }) => wait !== null && isAsked(wait.kind))
      .map((row) => {
        const { subject: _, data, ...wait } = waitView(row);
        const isSmall = data !== undefined && JSON.stringify(data).length <= MAX_LISTED_DATA;
        return { wait: isSmall ? { ...wait, data } : wait, openedAtMs: row.startedAtMs };
      });
  }

  /** Returns the report about the end of the run for its parent. */
  report(record: RunRecord): ChildReport {
    const { id, status, error, maxOutputLength = Number.POSITIVE_INFINITY } = record;
    if (!isTerminal(status)) throw new EngineError("conflict", `run ${id} has not ended`);
    const ended = { runId: id, status, usage: this.#store.journal.usage() };
    if (error !== null) return { ...ended, error };
    const output = this.#store.value("output") ?? "null";
    if (output.length > maxOutputLength) return { ...ended, omitted: true };
    return { ...ended, output: JSON.parse(output) as JsonValue };
  }

  /** A page of the journal; see `RunSteps`. */
  steps(query: JournalQuery): JournalPage {
    return this.look.page(query);
  }

  /** Returns the run's program; undefined if the definition is gone or no longer usable. */
  programNow(): RunProgram | undefined {
    return this.programOf(this.start(this.record()));
  }

  /** Returns undefined if the definition is gone or no longer usable. */
  programOf(start: RunStart): RunProgram | undefined {
    try {
      return this.#program(start);
    } catch {
      return undefined;
    }
  }

  /** Returns the finished tasks, oldest first. `hashes` adds fingerprints of their outputs. */
  checkpoints(options: { values: boolean; hashes?: boolean }): readonly HashedCheckpoint[] {
    return checkpointsOf(this.#checkpointSource(), options);
  }

  /** Like `checkpoints`, in pages of limited length with the tasks' outputs. `keys` selects some tasks. */
  checkpointPage(options: CheckpointPageOptions): Page<Checkpoint> {
    return checkpointPage(this.#checkpointSource(), options);
  }

  #checkpointSource(): CheckpointSource {
    const start = this.start(this.record());
    const tasks = this.programOf(start)?.tasks ?? []; // without them steps still have their keys
    const names = new Map(tasks.map(({ key, name }) => [key, name]));
    return {
      runId: start.id,
      origin: start.origin,
      adoptedSeq: adoptedSeq(this.#store),
      journal: this.#store.journal,
      nameOf: (key) => names.get(key),
    };
  }

  /** The whole run as one document. `usage` as for `view`; `values: false` leaves the results of steps out. */
  export(
    atMs: number,
    {
      usage,
      values,
    }: { readonly usage?: Usage | undefined; readonly values?: boolean | undefined },
  ): ExportedRun {
    const record = this.record();
    return exportRun(this.#store, {
      run: this.view(record, usage),
      start: this.start(record),
      atMs,
      ...(values === undefined ? undefined : { values }),
    });
  }

  /** A page of the same document. */
  exportPage(
    query: ExportQuery,
    { atMs, usage }: { readonly atMs: number; readonly usage?: Usage | undefined },
  ): ExportPage {
    const record = this.record();
    return exportPage(this.#store, query, () => ({
      run: this.view(record, usage),
      start: this.start(record),
      atMs,
    }));
  }

  /** Returns the due time of the next open wait, in milliseconds since the epoch; undefined if none has one. */
  nextWaitDueMs(): number | undefined {
    const { paused } = this.record();
    const due = this.#store.journal
      .waits()
      // A paused run makes no further attempts.
      .flatMap((row) => (paused && isRetryWait(row) ? [] : (row.wait?.dueAtMs ?? [])));
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** True for a waiting run that resumes by itself: it waits only for child runs and timers. */
  resumesByItself(): boolean {
    const { paused, held } = this.record();
    if (paused || held !== undefined) return false;
    const waits = this.#store.journal.waits();
    return (
      waits.length > 0 &&
      waits.every(({ wait }) => wait?.kind === "child" || wait?.kind === "timer")
    );
  }

  /**
   * Returns a page of stored events with `seq` above `afterSeq`; may be empty. Throws `not_found` for a run never
   * started.
   */
  events(afterSeq: number, limit: number, maxLength = MAX_EVENTS_LENGTH): readonly RunEvent[] {
    this.record();
    return this.#store.events.read(afterSeq, limit, maxLength);
  }

  /** Returns the steps running at the last write of the run, for people. */
  unfinishedKeys(): string {
    const rows: StepSummary[] = [];
    for (const row of this.#store.journal.list(0, 10_000))
      if (row.state === "started") rows.push(row);
    return rows.map((row) => row.key).join(", ") || "the start of the run";
  }
}

function usageByView({ usage, ...whose }: UsageOf): UsageBy {
  const { requests, promptTokens, completionTokens, costUsd } = usage;
  return { ...whose, requests, promptTokens, completionTokens, costUsd };
}

/** Values of a start shown by the run, and its output. */
const SHOWN_VALUES = [
  "inputs",
  "output",
  "definitionVersion",
  "meta",
  "origin",
  "entry",
  "budget",
  "tags",
] as const;

function versionOf(
  { deployment: code }: RunRecord,
  definition: string | undefined,
): Pick<Run, "version"> {
  if (code === undefined && definition === undefined) return {};
  const version = {
    ...(code === undefined ? undefined : { code }),
    ...(definition === undefined ? undefined : { definition }),
  };
  return { version };
}

function parentOf({ parent }: RunRecord): { parent: RunParent } | undefined {
  return parent === undefined ? undefined : { parent };
}

/** True for waits ended by an outside answer. */
export function isAsked(kind: Wait["kind"]): boolean {
  return kind === "human" || kind === "input";
}
