// Records of a run's children, and the handling of their reports. docs/design/fan-out.md has the rules.
import { EngineError, type ErrorRecord } from "../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { ChildOpening } from "../../events/child-port.ts";
import type { StepSummary, WaitRequest } from "../../journal/journal-store.ts";
import type { Answer } from "../../journal/step-spec.ts";
import type { ChildReport } from "./child-run.ts";
import type { RunReader } from "../run-reader.ts";
import type { RunStore } from "../run-store.ts";
import { nextTrace } from "../run-trace.ts";
import { isTerminal, type RunStart } from "../run.ts";

/** Children per delivery; also the maximum of one queue call. */
const CHILDREN_PER_DELIVERY = 100;

type KeptChild = Omit<ChildOpening, "runId">;

export class ChildRuns {
  readonly #store: RunStore;
  readonly #reader: RunReader;
  /** Number of open waits per join group; known only between drives. */
  #joins: Map<string, number> | undefined;

  constructor(store: RunStore, reader: RunReader) {
    this.#store = store;
    this.#reader = reader;
  }

  keep({ runId, ...child }: ChildOpening): void {
    this.#store.setValue(`child:${runId}`, JSON.stringify(child satisfies KeptChild));
  }

  /** Returns the starts of these children; undefined for a child no longer awaited. */
  starts(runIds: readonly string[]): ReadonlyArray<RunStart | undefined> {
    const record = this.#reader.record();
    if (isTerminal(record.status)) return runIds.map(() => undefined);
    const own = this.#reader.start(record);
    return runIds.map((id): RunStart | undefined => {
      const kept = this.#kept(id);
      const key = kept?.keys.find((each) => this.#openWait(each) !== undefined);
      if (kept === undefined || key === undefined) return undefined;
      const { start, maxOutputLength } = kept;
      const { context, definition, definitionVersion, budget, overrides, person } = own;
      const isOfOwn = start.name === own.name;
      return {
        id,
        tenant: record.tenant,
        ...start,
        parent: { id: record.id, key: kept.keys[0] ?? key },
        ...nextTrace(record.trace),
        ...(maxOutputLength === undefined ? undefined : { maxOutputLength }),
        ...(context === undefined ? undefined : { context }),
        ...(budget === undefined ? undefined : { budget }),
        ...(overrides === undefined ? undefined : { overrides }),
        ...(person === undefined ? undefined : { person }),
        ...(isOfOwn && definition !== undefined ? { definition } : undefined),
        ...(isOfOwn && definitionVersion !== undefined ? { definitionVersion } : undefined),
      };
    });
  }

  /**
   * Returns the answers of a report to the waits still open. The report of a run that is not a child has no answers.
   */
  answers(report: ChildReport): ReadonlyArray<{ key: string; answer: Answer; wait: WaitRequest }> {
    const kept = this.#kept(report.runId);
    if (kept === undefined) return [];
    let { usage }: { usage?: ChildReport["usage"] } = report;
    return kept.keys.flatMap((key, index) => {
      const wait = this.#openWait(key);
      if (wait === undefined) return [];
      const answer = { ...answerOf(report, kept.answer, index), ...(usage && { usage }) };
      usage = undefined; // counted once
      return [{ key, answer, wait }];
    });
  }

  /** True when these answers, about to be settled, have to put the run back to work (F8). Only between drives. */
  wakes(answers: ReturnType<ChildRuns["answers"]>): boolean {
    let wakes = false;
    for (const { wait, answer } of answers) {
      if (wait.join === undefined || "error" in answer) wakes = true;
      if (wait.join === undefined) continue;
      this.#joins ??= this.#countJoins();
      const left = (this.#joins.get(wait.join) ?? 1) - 1;
      this.#joins.set(wait.join, left);
      if (left <= 0) wakes = true;
    }
    return wakes;
  }

  /** A drive begins, or settling failed: the open waits have to be counted again. */
  forgetCount(): void {
    this.#joins = undefined;
  }

  #countJoins(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { wait } of this.#store.journal.waits())
      if (wait?.join !== undefined) counts.set(wait.join, (counts.get(wait.join) ?? 0) + 1);
    return counts;
  }

  #kept(runId: string): KeptChild | undefined {
    const json = this.#store.value(`child:${runId}`);
    return json === undefined ? undefined : (JSON.parse(json) as KeptChild);
  }

  #openWait(key: string): WaitRequest | undefined {
    const row = this.#store.journal.get(key);
    return row?.state === "waiting" ? (row.wait ?? undefined) : undefined;
  }
}

/** Returns the ids of the children behind these open waits. */
export function openChildren(waits: readonly StepSummary[]): readonly string[] {
  return [...new Set(waits.flatMap(({ wait }) => wait?.runId ?? []))];
}

/** Splits children into batches of one delivery each. */
export function childBatches(children: readonly string[]): ReadonlyArray<readonly string[]> {
  const count = Math.ceil(children.length / CHILDREN_PER_DELIVERY);
  return Array.from({ length: count }, (_, index) =>
    children.slice(index * CHILDREN_PER_DELIVERY, (index + 1) * CHILDREN_PER_DELIVERY),
  );
}

function answerOf(report: ChildReport, wanted: KeptChild["answer"], index: number): Answer {
  if (wanted === "report") return { value: report };
  if (report.status !== "completed") return { error: report.error ?? endedWithout(report) };
  if (report.omitted) {
    const message = `the output of run ${report.runId} is too long to be handed to its parent`;
    return { error: { code: "value_too_large", message, retryable: false } };
  }
  if (wanted === "output") return { value: report.output ?? null };
  return partOf(report.output, index) ?? { error: endedWithout(report) };
}

/** Reads one part of a child's output: `{ value }` or `{ error }`. */
function partOf(output: JsonValue | undefined, index: number): Answer | undefined {
  const parts = isJsonObject(output) ? output["parts"] : undefined;
  const part: unknown = Array.isArray(parts) ? parts[index] : undefined;
  return isJsonObject(part) ? (part as Answer) : undefined;
}

function endedWithout({ runId, status }: ChildReport): ErrorRecord {
  const message = `run ${runId} is ${status} and gave no answer`;
  return new EngineError("internal", message).toRecord();
}
