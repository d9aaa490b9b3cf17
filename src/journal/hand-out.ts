// The order in which results are handed out to the code that asked for them (J2, J4): first those on record, then whatever was
// held back until the record is replayed, then what ends meanwhile.
import type { ReplayPlan } from "./replay-plan.ts";

/** Longer than any chain of promises between two steps; see J4. */
const SETTLING_TURNS = 100;
/** Of them, so many before it is looked whether the others are needed. */
const TURNS_AT_ONCE = 4;

type HandOutPorts = {
  readonly plan: ReplayPlan;
  /** Whether the drive is over: then nothing is handed out any more. */
  readonly isOver: () => boolean;
  /** Whether a call that encloses the step, inside `enclosing`, runs again: it may not have come back to where it was. */
  readonly isInsideCall: (key: string, enclosing: string | undefined) => boolean;
  /** Called when nothing is left to be handed out for now. */
  readonly onIdle: () => void;
};

/** A result to be handed out beside the plan. */
type LateResult = {
  /** The place at which it was recorded. */
  readonly endedSeq: number;
  /** Whether it was handed out in this drive before. */
  readonly isAgain: boolean;
  readonly deliver: () => void;
};

export class HandOut {
  readonly #plan: ReplayPlan;
  readonly #isOver: () => boolean;
  readonly #isInsideCall: HandOutPorts["isInsideCall"];
  readonly #onIdle: () => void;
  /** Results on record that were asked for, by key. */
  readonly #replays = new Map<string, () => void>();
  readonly #late: LateResult[] = [];
  /** New steps that wait for the end of the record. */
  readonly #held: Array<() => void> = [];
  /** Groups of earlier drives that wait for the results that came before them. */
  readonly #entries: Array<{ readonly startedSeq: number; readonly enter: () => void }> = [];
  /** Steps that have ended and wait for their turn to be recorded. */
  readonly #turns: Array<() => void> = [];
  /** Stands for the result that was handed out last, as long as what it set off may still run. */
  #settling: object | undefined;

  constructor({ plan, isOver, isInsideCall, onIdle }: HandOutPorts) {
    this.#isInsideCall = isInsideCall;
    this.#plan = plan;
    this.#isOver = isOver;
    this.#onIdle = onIdle;
  }

  /** True while what the last result set off still runs. */
  get isSettling(): boolean {
    return this.#settling !== undefined;
  }

  get hasTurns(): boolean {
    return this.#turns.length > 0;
  }

  /** Hands out a result on record when its place has come. */
  replay({ key, endedSeq }: { key: string; endedSeq: number | null }, deliver: () => void): void {
    if (this.#plan.includes(key)) this.#replays.set(key, deliver);
    else this.#late.push({ endedSeq: endedSeq ?? 0, isAgain: true, deliver });
    this.goOn();
  }

  /** Hands out the result of a wait that has just been settled. */
  settled(endedSeq: number, deliver: () => void): void {
    this.#late.push({ endedSeq, isAgain: false, deliver });
    this.goOn();
  }

  /**
   * Resolves when a group of an earlier drive may be entered: at once, unless a result that it came after is still to be handed
   * out. One that was put around results of another run, as a fork does, does not wait for those.
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

  /** Resolves when a step that has ended may be recorded: at once, unless results are being handed out. */
  turn(): Promise<void> | undefined {
    if (!this.isSettling && this.#late.length === 0) return undefined;
    const turn = new Promise<void>((resolve) => this.#turns.push(resolve));
    this.goOn();
    return turn;
  }

  /**
   * The first step on record, of those inside `enclosing`, that nobody has asked for. One that was asked for and not waited
   * for does not count, as a wait may be answered after the code has gone past it; nor does one inside a call that is under way.
   */
  unasked(enclosing?: string): string | undefined {
    const plan = this.#plan;
    if (plan.isReplayed) return undefined;
    const prefix = enclosing === undefined ? "" : `${enclosing}/`;
    const isMissing = (key: string): boolean =>
      key.startsWith(prefix) && !this.#replays.has(key) && !this.#isInsideCall(key, enclosing);
    return plan.firstOutstanding(isMissing) ?? plan.firstOpen(isMissing);
  }

  /** Lets everything that the last result set off run, then hands out the next one. */
  goOn(): void {
    if (this.isSettling) return;
    const settling = (this.#settling = {});
    void this.#settled(settling).then(() => this.#isSettled(settling));
  }

  /** The result that was handed out last has set off nothing: the next one need not wait. */
  setOffNothing(): void {
    if (this.#settling !== undefined) this.#isSettled(this.#settling);
  }

  async #settled(settling: object): Promise<void> {
    for (let turn = 0; turn < SETTLING_TURNS; turn += TURNS_AT_ONCE) {
      if (this.#settling !== settling) return;
      // oxlint-disable-next-line no-await-in-loop -- that is what is counted
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

  /** Lets go of all that waits (J13). */
  clear(): void {
    this.#replays.clear();
    for (const waiting of [this.#late, this.#held, this.#entries, this.#turns]) waiting.length = 0;
  }

  #next(): boolean {
    if (this.#enterNext()) return true;
    const { next } = this.#plan;
    if (next !== undefined) {
      const deliver = this.#replays.get(next);
      // A group whose end is not on record may have to end before the next result is asked for.
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

  /** A call that is tried again has to come back to where it was before the rest of the record is asked for. */
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

/** A chain that takes one turn of the microtask queue for each link: half the cost of awaiting as often. */
function turns(count: number): Promise<void> {
  let chain = NOW;
  for (let turn = 0; turn < count; turn++) chain = chain.then();
  return chain;
}
