// Delivery order of results to the code that asked for them (J2, J4): first the recorded results, then new steps held
// back until the record is replayed, then results of steps that end meanwhile.
import type { ReplayPlan } from "./replay-plan.ts";

/** Turns allowed for code resumed by a result: longer than any chain of promises between two steps; see J4. */
const SETTLING_TURNS = 100;
/** Number of these turns before each check for an early end. */
const TURNS_AT_ONCE = 4;

type HandOutPorts = {
  readonly plan: ReplayPlan;
  /** True once the drive is over; delivery stops then. */
  readonly isOver: () => boolean;
  /**
   * True if the step is inside a call that runs again, itself inside `enclosing`. The call may not have reached its
   * earlier position yet.
   */
  readonly isInsideCall: (key: string, enclosing: string | undefined) => boolean;
  /** Called when no result is left to deliver for now. */
  readonly onIdle: () => void;
};

/** A result to be delivered outside of the plan. */
type LateResult = {
  /** The place at which it was recorded. */
  readonly endedSeq: number;
  /** True if the result was delivered earlier in this drive. */
  readonly isAgain: boolean;
  readonly deliver: () => void;
};

export class HandOut {
  readonly #plan: ReplayPlan;
  readonly #isOver: () => boolean;
  readonly #isInsideCall: HandOutPorts["isInsideCall"];
  readonly #onIdle: () => void;
  /** Requested results on record, by key. */
  readonly #replays = new Map<string, () => void>();
  readonly #late: LateResult[] = [];
  /** New steps waiting for the end of the record. */
  readonly #held: Array<() => void> = [];
  /** Groups of earlier drives waiting for the results recorded before their start. */
  readonly #entries: Array<{ readonly startedSeq: number; readonly enter: () => void }> = [];
  /** Ended steps waiting for their turn to be recorded. */
  readonly #turns: Array<() => void> = [];
  /** Token of the last delivered result, set while code resumed by it may still run. */
  #settling: object | undefined;

  constructor({ plan, isOver, isInsideCall, onIdle }: HandOutPorts) {
    this.#isInsideCall = isInsideCall;
    this.#plan = plan;
    this.#isOver = isOver;
    this.#onIdle = onIdle;
  }

  /** True while code resumed by the last result still runs. */
  get isSettling(): boolean {
    return this.#settling !== undefined;
  }

  get hasTurns(): boolean {
    return this.#turns.length > 0;
  }

  /** Delivers a recorded result at its place in the order. */
  replay({ key, endedSeq }: { key: string; endedSeq: number | null }, deliver: () => void): void {
    if (this.#plan.includes(key)) this.#replays.set(key, deliver);
    else this.#late.push({ endedSeq: endedSeq ?? 0, isAgain: true, deliver });
    this.goOn();
  }

  /** Delivers the result of a wait that was settled just now. */
  settled(endedSeq: number, deliver: () => void): void {
    this.#late.push({ endedSeq, isAgain: false, deliver });
    this.goOn();
  }

  /**
   * Resolves when a group of an earlier drive may be entered: immediately, unless a result recorded before its start is
   * still to be delivered. A group put around results of another run, as a fork does, does not wait for those results.
   */
  entry({ key, startedSeq }: { key: string; startedSeq: number }): Promise<void> | undefined {
    if (!this.#plan.isDueBefore(startedSeq) || this.#plan.enclosesBefore(key, startedSeq))
      return undefined;
    const entry = new Promise<void>((enter) => this.#entries.push({ startedSeq, enter }));
    this.#entries.sort((a, b) => a.startedSeq - b.startedSeq);
    this.goOn();
    return entry;
  }

  /** Resolves when the record is replayed. */
  replayed(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  /** Resolves when an ended step may be recorded: immediately, unless results are being delivered. */
  turn(): Promise<void> | undefined {
    if (!this.isSettling && this.#late.length === 0) return undefined;
    const turn = new Promise<void>((resolve) => this.#turns.push(resolve));
    this.goOn();
    return turn;
  }

  /**
   * Returns the first recorded step inside `enclosing` not requested by the code. A step requested without waiting for
   * it does not count, because a wait may be answered after the code has passed it. A step inside an open call does not
   * count either.
   */
  unasked(enclosing?: string): string | undefined {
    const plan = this.#plan;
    if (plan.isReplayed) return undefined;
    const prefix = enclosing === undefined ? "" : `${enclosing}/`;
    const isMissing = (key: string): boolean =>
      key.startsWith(prefix) && !this.#replays.has(key) && !this.#isInsideCall(key, enclosing);
    return plan.firstOutstanding(isMissing) ?? plan.firstOpen(isMissing);
  }

  /** Lets the code resumed by the last result run, then delivers the next result. */
  goOn(): void {
    if (this.isSettling) return;
    const settling = (this.#settling = {});
    void this.#settled(settling).then(() => this.#isSettled(settling));
  }

  /** Ends the settling of the last result, which resumed no code: the next result need not wait. */
  setOffNothing(): void {
    if (this.#settling !== undefined) this.#isSettled(this.#settling);
  }

  async #settled(settling: object): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn += TURNS_AT_ONCE) {
      if (this.#settling !== settling) return;
      await turns(TURNS_AT_ONCE);
    }
  }

  #isSettled(settling: object): void {
    if (this.#settling !== settling) return;
    this.#settling = undefined;
    if (this.#isOver()) return;
    if (this.#next()) this.goOn();
    else this.#onIdle();
  }

  /** Releases all waiting callbacks (J13). */
  clear(): void {
    this.#replays.clear();
    for (const waiting of [this.#late, this.#held, this.#entries, this.#turns]) waiting.length = 0;
  }

  #next(): boolean {
    if (this.#enterNext()) return true;
    const { next } = this.#plan;
    if (next !== undefined) {
      const deliver = this.#replays.get(next);
      // A group without a recorded end may have to end before the code asks for the next result.
      if (deliver === undefined) return this.#deliverAgain() || this.#giveTurn();
      this.#replays.delete(next);
      this.#plan.advance();
      deliver();
      return true;
    }
    if (!this.#plan.isOpenAsked) return this.#deliverAgain() || this.#giveTurn();
    if (this.#held.length > 0) {
      for (const start of this.#held.splice(0)) start();
      return true;
    }
    this.#late.sort((a, b) => a.endedSeq - b.endedSeq);
    const late = this.#late.shift();
    if (late === undefined) return this.#giveTurn();
    late.deliver();
    return true;
  }

  #enterNext(): boolean {
    const [first] = this.#entries;
    if (first === undefined || this.#plan.isDueBefore(first.startedSeq)) return false;
    this.#entries.shift();
    first.enter();
    return true;
  }

  /**
   * Delivers an earlier result once more. A retried call must reach its earlier position before the code asks for the
   * rest of the record.
   */
  #deliverAgain(): boolean {
    this.#late.sort((a, b) => a.endedSeq - b.endedSeq);
    const place = this.#late.findIndex(({ isAgain }) => isAgain);
    if (place < 0) return false;
    this.#late.splice(place, 1)[0]?.deliver();
    return true;
  }

  #giveTurn(): boolean {
    const turn = this.#turns.shift();
    turn?.();
    return turn !== undefined;
  }
}

const NOW = Promise.resolve();

/** Builds a promise chain with one turn of the microtask queue per link, at half the cost of as many `await`s. */
function turns(count: number): Promise<void> {
  let chain = NOW;
  for (let turn = 0; turn < count; turn++) chain = chain.then();
  return chain;
}
