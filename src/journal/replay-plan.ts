import { holdsSteps } from "./holds-steps.ts";
import { ancestors } from "./step-key.ts";
import type { JournalStore, StepSummary } from "./journal-store.ts";
import { isRetryWait } from "./retry-wait.ts";

const PAGE = 1000;

/**
 * Results that a drive must deliver before any new step may start: the finished steps of earlier drives, in the order
 * in which they ended. Excludes steps inside a finished step, which replays whole, and readings (`value`), which no
 * code awaits. The code must also have asked for each unfinished recorded step by then.
 */
export class ReplayPlan {
  #keys: readonly string[];
  /** End place of each step whose result is still to be delivered. */
  readonly #outstanding: Map<string, number>;
  /** Keys with steps below them, each with the place at which the first of these steps ended. */
  readonly #enclosing: ReadonlyMap<string, number>;
  /** Unfinished steps and open waits not requested by the code yet. */
  readonly #open: Set<string>;
  #position = 0;
  /** Steps running when the last drive ended: candidates for the cause of a repeated crash. */
  readonly unfinished: readonly StepSummary[];
  /** The keys of all rows. */
  readonly recorded: ReadonlySet<string>;
  /** Open waits below ended steps: the last drive was cut off before it withdrew them (J14). */
  readonly unwanted: readonly StepSummary[];

  private constructor(
    finished: readonly StepSummary[],
    open: Record<"unfinished" | "unwanted" | "toBeAsked", readonly StepSummary[]>,
    recorded: ReadonlySet<string>,
  ) {
    this.recorded = recorded;
    this.unwanted = open.unwanted;
    this.#keys = finished.map((row) => row.key);
    this.#outstanding = new Map(finished.map((row) => [row.key, row.endedSeq ?? 0]));
    this.unfinished = open.unfinished;
    this.#open = new Set(open.toBeAsked.map((row) => row.key));
    const enclosing = new Map<string, number>();
    for (const key of [...this.#keys, ...this.#open])
      for (const path of ancestors(key))
        if (!enclosing.has(path)) enclosing.set(path, this.#outstanding.get(key) ?? Infinity);
    this.#enclosing = enclosing;
  }

  static of(store: JournalStore): ReplayPlan {
    const rows = [...allRows(store)];
    const finished = rows.filter((row) => row.endedSeq !== null && row.kind !== "value");
    // A wait has no code with nested steps. Steps with keys below a wait's key are requested beside it.
    const finishedKeys = new Set(
      finished.filter(({ kind }) => kind !== "wait").map((row) => row.key),
    );
    const isOutermost = (row: StepSummary): boolean => {
      for (const path of ancestors(row.key)) if (finishedKeys.has(path)) return false;
      return true;
    };
    const outermost = finished.filter(isOutermost);
    outermost.sort((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0));
    const unfinished = rows.filter(
      (row) => row.state === "started" && !holdsSteps(row.kind) && isOutermost(row),
    );
    const unwanted = rows.filter(
      (row) =>
        row.state === "waiting" && (isTakenBack(row) || isRetryWait(row)) && !isOutermost(row),
    );
    const toBeAsked = rows.filter((row) => row.endedSeq === null && isOutermost(row));
    const open = { unfinished, unwanted, toBeAsked };
    return new ReplayPlan(outermost, open, new Set(rows.map((row) => row.key)));
  }

  /** Key of the next result due; undefined once all have been delivered. */
  get next(): string | undefined {
    return this.#keys[this.#position];
  }

  get exhausted(): boolean {
    return this.#position === this.#keys.length;
  }

  /** True once the record no longer blocks new steps. */
  get isReplayed(): boolean {
    return this.exhausted && this.isOpenAsked;
  }

  /** True once every unfinished step on record has been requested. */
  get isOpenAsked(): boolean {
    return this.#open.size === 0;
  }

  /** Returns the first recorded step that is unfinished, not requested yet, and passes `test`. */
  firstOpen(test: (key: string) => boolean = () => true): string | undefined {
    for (const key of this.#open) if (test(key)) return key;
    return undefined;
  }

  /** Marks a step as requested. Returns true for the last unfinished one. */
  asked(key: string): boolean {
    return this.#open.delete(key) && this.isOpenAsked;
  }

  /** True if the next due result was recorded before this place. */
  isDueBefore(seq: number): boolean {
    const { next } = this;
    return next !== undefined && (this.#outstanding.get(next) ?? 0) < seq;
  }

  /** Returns the first undelivered result that passes `test`. */
  firstOutstanding(test: (key: string) => boolean): string | undefined {
    for (const key of this.#outstanding.keys()) if (test(key)) return key;
    return undefined;
  }

  /** True until the result has been delivered. A second request, as from a retried tool, need not wait. */
  includes(key: string): boolean {
    return this.#outstanding.has(key);
  }

  /** True when results lie below `key`: its code has to run for them to be asked for. */
  encloses(key: string): boolean {
    return this.#enclosing.has(key);
  }

  /** True if a result below `key` was recorded before this place. */
  enclosesBefore(key: string, seq: number): boolean {
    return (this.#enclosing.get(key) ?? Infinity) < seq;
  }

  /**
   * Drops the steps inside a step that ends or is not executed again: the code will not ask for them. Returns the
   * unfinished ones.
   */
  leaveOutBelow(key: string): readonly string[] {
    const isInside = (each: string): boolean => each.startsWith(`${key}/`);
    for (const each of this.#outstanding.keys()) if (isInside(each)) this.#outstanding.delete(each);
    this.#keys = this.#keys.filter((each, index) => index < this.#position || !isInside(each));
    const open = [...this.#open].filter(isInside);
    for (const each of open) this.#open.delete(each);
    return open;
  }

  advance(): void {
    const key = this.#keys[this.#position++];
    if (key !== undefined) this.#outstanding.delete(key);
  }
}

/** True for waits withdrawn when their step ends. Children report even if no code waits for them. */
export function isTakenBack({ kind, wait }: Pick<StepSummary, "kind" | "wait">): boolean {
  return kind === "wait" && wait !== null && wait.kind !== "child";
}

/** Yields all rows in the order of their starts, after place `afterSeq`. */
export function* allRows(store: JournalStore, afterSeq = 0): Generator<StepSummary> {
  for (;;) {
    const page = store.list(afterSeq, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    afterSeq = last.startedSeq;
  }
}
