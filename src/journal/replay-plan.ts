import { ancestors } from "./step-key.ts";
import { isRetryWait } from "./retry-waits.ts";
import type { JournalStore, StepSummary } from "./journal-store.ts";

const PAGE = 1000;

/**
 * What a drive must hand out before anything new may start: the finished steps of earlier drives, in the order in
 * which they ended. Steps inside a finished step are left out, as it replays whole; readings (`value`) are, too, as
 * nothing waits for them. What is on record and not finished has to be asked for by then.
 */
export class ReplayPlan {
  #keys: readonly string[];
  /** Where each step whose result is still to be handed out has ended. */
  readonly #outstanding: Map<string, number>;
  /** The keys that steps lie below, with the place at which the first of these has ended. */
  readonly #enclosing: ReadonlyMap<string, number>;
  /** Unfinished steps and open waits that the code has not asked for yet. */
  readonly #open: Set<string>;
  #position = 0;
  /** Steps that were under way when the last drive ended: where a crash that repeats must have its cause. */
  readonly unfinished: readonly StepSummary[];
  /** The keys of all rows. */
  readonly recorded: ReadonlySet<string>;
  /** Open waits below steps that have ended: the last drive was cut off before it took them back (J14). */
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
    // A wait has no code that steps could lie inside: those whose keys lie below its own are asked for beside it.
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

  /** The step whose result is due next; undefined once all have been handed out. */
  get next(): string | undefined {
    return this.#keys[this.#position];
  }

  get exhausted(): boolean {
    return this.#position === this.#keys.length;
  }

  /** True once nothing on record stands in the way of new steps. */
  get isReplayed(): boolean {
    return this.exhausted && this.isOpenAsked;
  }

  /** True once every step on record that is not finished has been asked for. */
  get isOpenAsked(): boolean {
    return this.#open.size === 0;
  }

  /** The first step on record, of those that are not finished and for which `test` holds, that was not asked for. */
  firstOpen(test: (key: string) => boolean = () => true): string | undefined {
    for (const key of this.#open) if (test(key)) return key;
    return undefined;
  }

  /** Notes that the code has asked for a step; true for the last one of those that are not finished. */
  asked(key: string): boolean {
    return this.#open.delete(key) && this.isOpenAsked;
  }

  /** True when the next result to be handed out was on record before that place. */
  isDueBefore(seq: number): boolean {
    const { next } = this;
    return next !== undefined && (this.#outstanding.get(next) ?? 0) < seq;
  }

  /** The first result not handed out yet for which `test` holds. */
  firstOutstanding(test: (key: string) => boolean): string | undefined {
    for (const key of this.#outstanding.keys()) if (test(key)) return key;
    return undefined;
  }

  /** True until the result has been handed out: who asks for it once more, as a tool that is tried again, need not wait. */
  includes(key: string): boolean {
    return this.#outstanding.has(key);
  }

  /** True when results lie below `key`: its code has to run for them to be asked for. */
  encloses(key: string): boolean {
    return this.#enclosing.has(key);
  }

  /** True when a result below `key` was on record before that place. */
  enclosesBefore(key: string, seq: number): boolean {
    return (this.#enclosing.get(key) ?? Infinity) < seq;
  }

  /** Leaves out the steps inside one that ends, or is not executed again: nobody asks for them. Returns those that are not finished. */
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

/** Whether a step that ends takes this wait back: children report whether or not anybody waits for them. */
export function isTakenBack({ kind, wait }: Pick<StepSummary, "kind" | "wait">): boolean {
  return kind === "wait" && wait !== null && wait.kind !== "child";
}

/** In the order of their starts, after place `afterSeq`. */
export function* allRows(store: JournalStore, afterSeq = 0): Generator<StepSummary> {
  for (;;) {
    const page = store.list(afterSeq, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    afterSeq = last.startedSeq;
  }
}

/** True for the kinds whose own work is only to run other steps. */
export function holdsSteps(kind: StepSummary["kind"]): boolean {
  return kind === "task" || kind === "method" || kind === "agent" || kind === "group";
}
