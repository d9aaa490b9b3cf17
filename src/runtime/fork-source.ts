// The record taken over by a fork from its original run.
import { EngineError, type ErrorRecord } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import { holdsSteps } from "../journal/holds-steps.ts";
import type { StepRecord, StepSummary } from "../journal/journal-store.ts";
import { allRows } from "../journal/replay-plan.ts";
import { ancestors } from "../journal/step-key.ts";
import { newRow } from "../journal/step-row.ts";
import { checkpointSeq } from "./checkpoints.ts";
import { editedValue } from "./edited-value.ts";
import type { ForkPoint } from "./fork-request.ts";
import type { ForkRecord, RecordPage } from "./fork.ts";
import type { Replacements, RecordPlace } from "./record-place.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { nextTrace } from "./run-trace.ts";
import type { RunOrigin, RunRecord } from "./run.ts";

/** Length of a row beside its texts. */
const ROW_LENGTH = 500;

export class ForkSource {
  readonly #store: RunStore;
  readonly #reader: RunReader;

  constructor(store: RunStore, reader: RunReader) {
    this.#store = store;
    this.#reader = reader;
  }

  /**
   * Returns the record for a new run to continue just before step `before`, or from a checkpoint or an edited step:
   * every result recorded before that step started, or up to the checkpoint or the end of the edited step. Unfinished
   * steps around such results are taken over as begun (J15). Their inputs are not compared again. `maxLength` bounds
   * the rows, in UTF-16 units; `more` is the beginning of the rest. `definition` is the new run's definition, if it
   * differs. Throws `conflict` for a replaced result outside the record, or one the fork would never read.
   */
  recordBefore(
    point: ForkPoint,
    {
      maxLength = Number.POSITIVE_INFINITY,
      replace: replaced,
      definition,
    }: {
      readonly maxLength?: number;
      readonly replace?: Replacements | undefined;
      readonly definition?: JsonValue | undefined;
    } = {},
  ): ForkRecord {
    const record = this.#reader.record();
    if (record.adopting !== undefined)
      throw new EngineError(
        "unavailable",
        `run ${record.id} is a fork that has not taken over its whole record yet; the same request may be repeated`,
        { retryable: true },
      );
    const { origin, beforeSeq, edited } = this.#placeOf(point, record.id);
    const replace = edited === undefined ? replaced : { ...replaced, ...edited };
    const inputs = this.#inputsFrom(beforeSeq);
    for (const key of Object.keys(replace ?? {})) this.#checkReplaced(key, beforeSeq);
    const place = { afterSeq: 0, beforeSeq, ...(replace === undefined ? undefined : { replace }) };
    return {
      ...this.#startOfFork(record, definition),
      origin,
      ...this.recordPage(place, maxLength),
      ...(inputs === undefined ? undefined : { inputsFrom: inputs }),
    };
  }

  #placeOf(
    point: ForkPoint,
    runId: string,
  ): { readonly origin: RunOrigin; readonly beforeSeq: number; readonly edited?: Replacements } {
    const { journal } = this.#store;
    if ("fromStart" in point) return { origin: { runId }, beforeSeq: 0 };
    if ("fromFailure" in point) {
      const { key, endedSeq } = this.#failedCall();
      return { origin: { runId, before: key }, beforeSeq: endedSeq ?? 0 };
    }
    if ("edit" in point) {
      const { key, value } = point.edit;
      const row = this.#row(key, runId);
      const edited = { [key]: editedValue(row, value) };
      return { origin: { runId, edited: key }, beforeSeq: (row.endedSeq ?? 0) + 1, edited };
    }
    if ("fromCheckpoint" in point) {
      const { fromCheckpoint: checkpoint } = point;
      const beforeSeq = checkpointSeq(journal, checkpoint, runId) + 1;
      return { origin: { runId, checkpoint }, beforeSeq };
    }
    const before = "fromStep" in point ? point.fromStep : this.#taskKey(point.fromTask);
    return { origin: { runId, before }, beforeSeq: this.#row(before, runId).startedSeq };
  }

  /**
   * Returns the call whose failure ended the run: the first with this failure, among those inside the last step with
   * it. A retry takes over everything recorded before the failure, and makes the call again.
   */
  #failedCall(): StepSummary {
    const { id, status, error } = this.#reader.record();
    if (status !== "failed" || error === null)
      throw new EngineError("conflict", `run ${id} is ${status}: only a failed run can be retried`);
    const failed = [...allRows(this.#store.journal)]
      .filter((row) => isCauseOf(row.error, error))
      .toSorted((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0));
    const outermost = failed.at(-1);
    const call = failed.find(
      ({ key, kind }) =>
        !holdsSteps(kind) && (key === outermost?.key || key.startsWith(`${outermost?.key}/`)),
    );
    if (call !== undefined) return call;
    throw new EngineError(
      "conflict",
      `run ${id} did not fail at a step that could be made again (${error.code}): fork it from a step of your choice`,
    );
  }

  #row(key: string, runId: string): StepRecord {
    const row = this.#store.journal.get(key);
    if (row !== undefined) return row;
    throw new EngineError("not_found", `run ${runId} has no step ${key}`);
  }

  /** Builds the start of a fork, without the parent and the webhooks of the original run. */
  #startOfFork(
    record: RunRecord,
    definition: JsonValue | undefined,
  ): Pick<ForkRecord, "start" | "requiredInputs"> {
    const { parent: _, webhooks: __, maxOutputLength: ___, ...own } = this.#reader.start(record);
    // A fork is a new run, on the current version, started by a caller.
    const { definitionVersion: ____, startedBy: _____, ...present } = own;
    const start = definition === undefined ? present : { ...present, definition };
    const { requiredInputs = [] } = this.#reader.programOf(start) ?? {};
    return { start: { ...start, ...nextTrace(record.trace) }, requiredInputs };
  }

  /** Returns a page of the record for a fork: at least one row, and otherwise up to `maxLength`. */
  recordPage(place: RecordPlace, maxLength: number): RecordPage {
    const { journal } = this.#store;
    const made = this.#madeInputs();
    const enclosing = this.#enclosing(place.beforeSeq);
    const rows: StepRecord[] = [];
    let length = 0;
    for (const { key, kind, startedSeq, endedSeq } of allRows(journal, place.afterSeq)) {
      const hadEnded = endedSeq !== null && endedSeq < place.beforeSeq;
      if (!hadEnded && !(holdsSteps(kind) && enclosing.has(key))) continue;
      const row = journal.get(key);
      if (row === undefined) continue;
      if (!hadEnded) {
        rows.push(asBegun(row));
        continue;
      }
      const value = newValue(place, key) ?? row.value;
      length += (value?.length ?? 0) + (row.request?.length ?? 0) + ROW_LENGTH;
      if (length > maxLength && rows.length > 0)
        return { rows, more: { ...place, afterSeq: startedSeq - 1 } };
      const marked = made.has(key) ? ({ ...row, mark: "inputs" } as const) : row;
      rows.push({ ...marked, value, inputHash: null, usage: null });
    }
    return { rows };
  }

  /** Returns the keys above results recorded before this place. */
  #enclosing(beforeSeq: number): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { key, endedSeq } of allRows(this.#store.journal))
      if (endedSeq !== null && endedSeq < beforeSeq)
        for (const path of ancestors(key)) keys.add(path);
    return keys;
  }

  /**
   * Only results in the record can be replaced, and only those the fork reads: it reads a finished step, and no step
   * inside it.
   */
  #checkReplaced(key: string, beforeSeq: number): void {
    const { journal } = this.#store;
    const isTaken = (row: StepRecord | undefined): boolean =>
      row?.state === "done" && row.endedSeq !== null && row.endedSeq < beforeSeq;
    const row = journal.get(key);
    if (row === undefined || !isTaken(row))
      throw new EngineError(
        "conflict",
        `the result of ${preview(key)} cannot be replaced: it is no finished step that the fork takes over`,
      );
    for (let at = row.parent; at !== null;) {
      const parent = journal.get(at);
      if (isTaken(parent))
        throw new EngineError(
          "conflict",
          `the result of ${preview(key)} cannot be replaced: the fork reads that of ${preview(at)}, which it is a part of`,
        );
      at = parent?.parent ?? null;
    }
  }

  #inputsFrom(beforeSeq: number): Pick<StepRecord, "key" | "label"> | undefined {
    const made = this.#madeInputs();
    for (const { key, label, endedSeq } of allRows(this.#store.journal))
      if (made.has(key) && endedSeq !== null && endedSeq < beforeSeq) return { key, label };
    return undefined;
  }

  /**
   * Returns the steps that make the run's inputs, and those inside them: an inner step may be recorded before its
   * parent.
   */
  #madeInputs(): ReadonlySet<string | null> {
    const made = new Set<string | null>();
    for (const { key, parent, mark } of allRows(this.#store.journal))
      if (mark === "inputs" || made.has(parent)) made.add(key);
    return made;
  }

  #taskKey(name: string): string {
    const tasks = this.#reader.programNow()?.tasks ?? []; // without them steps still have their names
    const task = tasks.find((each) => each.name === name || each.key === name);
    if (task !== undefined) return task.key;
    const row = this.#checkpointNamed(name);
    if (row !== undefined) return row.key;
    const known = tasks.map((each) => each.name).join(", ");
    throw new EngineError(
      "invalid_input",
      `fromTask must name a task of the run, got ${preview(name)}; its tasks: ${known || "none"}`,
    );
  }

  /**
   * Returns the row with this key, or else the first of the program's own steps with this label, among those marked as
   * checkpoints.
   */
  #checkpointNamed(name: string): StepSummary | undefined {
    const rows = [...allRows(this.#store.journal)].filter(({ mark }) => mark === "checkpoint");
    return (
      rows.find(({ key }) => key === name) ??
      rows.find(({ label, parent }) => label === name && parent === null)
    );
  }
}

/** Returns the row of a step in its state before it ended. */
function asBegun(row: StepRecord): StepRecord {
  const { key, kind, parent, label, mark, startedSeq, startedAtMs } = row;
  return newRow(key, kind, { parent, label, mark, startedSeq, startedAtMs });
}

/** Returns the replaced result of a step, as JSON text. */
function newValue({ replace = {} }: RecordPlace, key: string): string | undefined {
  return Object.hasOwn(replace, key) ? JSON.stringify(replace[key]) : undefined;
}

/** True if a step's failure is the final error of the run, whose message may begin with its origin. */
function isCauseOf(failure: ErrorRecord | null, error: ErrorRecord): boolean {
  return failure?.code === error.code && error.message.endsWith(failure.message);
}
