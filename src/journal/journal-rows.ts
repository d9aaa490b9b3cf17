// The rows of a run as one drive reads and writes them: in one order, without a write after the end of the drive (J10).
// A storage failure ends the drive (J11).
import type { JsonValue } from "../base/json.ts";
import { addUsage, type Usage } from "../base/usage.ts";
import type { DriveEnd } from "./drive-end.ts";
import { holdsSteps } from "./holds-steps.ts";
import type { JournalStore, StepRecord } from "./journal-store.ts";
import { allRows } from "./replay-plan.ts";
import { settleWait } from "./settle-wait.ts";
import { decode, newRow } from "./step-row.ts";
import type { Answer } from "./step-spec.ts";

/** Turns of the microtask queue within which steps started side by side reach their start. */
const STARTING_TURNS = 4;
const NOW = Promise.resolve();

export class JournalRows {
  readonly #store: JournalStore;
  readonly #end: DriveEnd;
  readonly #maxSteps: number;
  /** Keys with a row. */
  readonly #recorded: Set<string>;
  /** Open commit of starting steps. */
  #storing: Promise<void> | undefined;
  #seq: number;
  #steps: number;
  #usage: Usage;

  constructor(options: {
    readonly store: JournalStore;
    readonly end: DriveEnd;
    readonly maxSteps: number;
    readonly recorded: ReadonlySet<string>;
  }) {
    this.#store = options.store;
    this.#end = options.end;
    this.#maxSteps = options.maxSteps;
    this.#recorded = new Set(options.recorded);
    this.#seq = options.store.lastSeq();
    this.#steps = this.#recorded.size;
    this.#usage = options.store.usage();
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** The next place in the order of starts and ends. */
  nextSeq(): number {
    return ++this.#seq;
  }

  has(key: string): boolean {
    return this.#recorded.has(key);
  }

  /** Returns the row, or undefined if it does not exist or the storage fails. */
  get(key: string): StepRecord | undefined {
    return this.#end.storage(() => this.#store.get(key));
  }

  /** Like `get`, but a storage failure reaches the caller. */
  find(key: string): StepRecord | undefined {
    return this.#store.get(key);
  }

  /** Counts a new row; false when it is one too many, which ends the drive. */
  admit(key: string): boolean {
    if (++this.#steps <= this.#maxSteps) return true;
    this.#end.give(
      "limit_exceeded",
      `the run has more than ${this.#maxSteps} steps; the one too many is ${key}`,
    );
    return false;
  }

  /** Writes a row. `commits` stores a continuing call immediately (J1). @default true */
  put(row: StepRecord, { commits = true } = {}): void {
    if (this.#end.isOver) return;
    this.#recorded.add(row.key);
    this.#end.storage(() => {
      this.#store.put(row);
      if (commits && row.state === "started" && !holdsSteps(row.kind) && row.kind !== "model")
        this.#store.commit();
    });
  }

  /** Writes a reading: a row that is done at once. */
  putValue(
    key: string,
    by: { readonly parent: string | null; readonly atMs: number; readonly value: JsonValue },
  ): void {
    const { parent, atMs, value } = by;
    this.put({
      ...newRow(key, "value", { parent, startedSeq: this.nextSeq(), startedAtMs: atMs }),
      endedSeq: this.nextSeq(),
      endedAtMs: atMs,
      state: "done",
      value: JSON.stringify(value),
    });
  }

  /** Registers a row written by other code. */
  noted(key: string): void {
    this.#recorded.add(key);
  }

  /** Adds the usage of a step. */
  consumed(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Stores the rows written so far. */
  commit(): void {
    this.#end.storage(() => this.#store.commit());
  }

  /** Resolves when the starting steps are stored. Steps started side by side share one commit. */
  stored(): Promise<void> {
    return (this.#storing ??= this.#storeTogether());
  }

  async #storeTogether(): Promise<void> {
    for (let turn = 0; turn < STARTING_TURNS && !this.#end.isOver; turn++) await NOW;
    this.#storing = undefined;
    if (!this.#end.isOver) this.commit();
  }

  /**
   * Settles an open wait and returns its place in the order, or undefined if the wait is not open. Throws on a storage
   * failure, which ends the drive.
   */
  settle(key: string, answer: Answer, atMs: number): number | undefined {
    try {
      if (!settleWait(this.#store, key, { answer, seq: this.#seq + 1, atMs })) return undefined;
    } catch (cause) {
      this.#end.finish({ state: "interrupted", cause });
      throw cause;
    }
    this.#seq++;
    if (answer.usage !== undefined) this.consumed(answer.usage);
    return this.#seq;
  }

  /** See `Journal.begunBefore`. */
  begunBefore(key: string, label: string): number {
    let count = 0;
    for (const row of allRows(this.#store)) {
      if (row.key === key) break;
      if (row.label === label) count++;
    }
    return count;
  }

  /** True if a step with such a key began after a place in the order. */
  hasBegunAfter(seq: number, isSuch: (key: string) => boolean): boolean {
    const found = this.#end.storage(() => {
      for (const { key } of allRows(this.#store, seq)) if (isSuch(key)) return true;
      return false;
    });
    return found ?? false;
  }

  /** See `Journal.readings`. */
  readings(name: string): readonly JsonValue[] {
    const isNamed = (key: string): boolean => {
      const last = key.slice(key.lastIndexOf("/") + 1);
      return last === name || last.startsWith(`${name}~`);
    };
    const values: JsonValue[] = [];
    this.#end.storage(() => {
      for (const { kind, key } of allRows(this.#store)) {
        if (kind === "value" && isNamed(key))
          values.push(decode(this.find(key)?.value ?? null) as JsonValue);
      }
    });
    return values;
  }

  /** See `Journal.finishedBelow`. */
  finishedBelow(key: string): readonly string[] {
    const below = [...this.#recorded].filter(
      (each) => each.startsWith(`${key}/`) && !each.includes("/", key.length + 1),
    );
    return below.filter((each) => this.get(each)?.endedSeq != null);
  }
}
