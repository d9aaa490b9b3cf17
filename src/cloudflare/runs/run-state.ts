// State of a run in its object: rebuilt from the heads of all commits on first use, then updated.
import type { RunRecord } from "../../runtime/run.ts";
import {
  textAt,
  type Change,
  type CommitLog,
  type Head,
  type HeadPlace,
  type KeptText,
} from "./commit-log.ts";
import { startOf, stepAfter, stepChange, type KeptStep } from "./kept-steps.ts";

export type KeptEvent = { readonly seq: number; readonly id: string; readonly text: KeptText };

export type KeptEntry = {
  readonly attempts: number;
  readonly dueAtMs: number;
  readonly payload: KeptText;
};

type EventEntry = readonly [seq: number, id: string, ...place: number[]];
type TextEntry = readonly [name: string, ...place: number[]];
type OutboxEntry = readonly [id: string, attempts?: number, dueAtMs?: number, ...place: number[]];

export class RunState {
  record: RunRecord | undefined;
  readonly steps = new Map<string, KeptStep>();
  /** Keys of all steps, in the order of their starts. */
  readonly order: string[] = [];
  /** Keys of waiting steps. */
  readonly waiting = new Set<string>();
  readonly events: KeptEvent[] = [];
  readonly texts = new Map<string, KeptText>();
  readonly outbox = new Map<string, KeptEntry>();
  /** Length of the unwritten texts. */
  unwritten = 0;
  #lastSeq = 0;
  #dirtyRecord = false;
  /** Changed steps, in their last written form. */
  readonly #dirtySteps = new Map<string, KeptStep | undefined>();
  readonly #dirtyTexts = new Set<string>();
  readonly #dirtyOutbox = new Set<string>();
  #writtenEvents = 0;
  #undo: Array<() => void> | undefined;

  /** Reads all heads. */
  static read(log: CommitLog): RunState {
    const state = new RunState();
    const byStart = new Map<number, string>();
    for (const { row, head } of log.heads()) state.#take(head, row, byStart);
    state.#writtenEvents = state.events.length;
    return state;
  }

  /** Last place in the order of starts and ends of steps. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get isDirty(): boolean {
    return (
      this.#dirtyRecord ||
      this.#dirtySteps.size + this.#dirtyTexts.size + this.#dirtyOutbox.size > 0 ||
      this.#writtenEvents < this.events.length
    );
  }

  setRecord(record: RunRecord): void {
    const before = this.record;
    this.#undo?.push(() => (this.record = before));
    this.record = record;
    this.#dirtyRecord = true;
  }

  setStep(step: KeptStep): void {
    const { key, startedSeq, endedSeq } = step.summary;
    const before = this.steps.get(key);
    const lastSeq = this.#lastSeq;
    this.#undo?.push(() => {
      this.#lastSeq = lastSeq;
      if (before === undefined) this.#remove(key);
      else this.#place(before);
    });
    if (!this.#dirtySteps.has(key)) this.#dirtySteps.set(key, before);
    if (before === undefined) this.#enter(key, startedSeq);
    this.#place(step);
    this.#lastSeq = Math.max(lastSeq, startedSeq, endedSeq ?? 0);
    this.unwritten += (step.value?.text?.length ?? 0) + (step.request?.text?.length ?? 0);
  }

  addEvent(event: KeptEvent): void {
    this.#undo?.push(() => this.events.pop());
    this.events.push(event);
    this.unwritten += event.text.text?.length ?? 0;
  }

  setText(name: string, text: KeptText): void {
    this.#change(this.texts, name, text);
    this.#dirtyTexts.add(name);
    this.unwritten += text.text?.length ?? 0;
  }

  setOutbox(id: string, entry: KeptEntry | undefined): void {
    this.#change(this.outbox, id, entry);
    this.#dirtyOutbox.add(id);
  }

  /** Makes all changes or, on failure, undoes them. */
  change(changes: () => void): void {
    if (this.#undo !== undefined) return changes();
    const undo: Array<() => void> = [];
    this.#undo = undo;
    try {
      changes();
    } catch (error) {
      for (const each of undo.toReversed()) each();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** Returns the unwritten changes. */
  changes(): readonly Change[] {
    const changes: Change[] = [];
    for (const [key, written] of this.#dirtySteps) {
      const step = this.steps.get(key);
      const change = step === undefined ? undefined : stepChange(step, written);
      if (change !== undefined) changes.push(change);
    }
    for (const { seq, id, text } of this.events.slice(this.#writtenEvents))
      changes.push({
        list: "events",
        texts: [text],
        entry: ([place = []]) => [seq, id, ...place] satisfies EventEntry,
      });
    for (const name of this.#dirtyTexts) {
      const text = this.texts.get(name);
      if (text === undefined || text.place !== undefined) continue;
      changes.push({
        list: "texts",
        texts: [text],
        entry: ([place = []]) => [name, ...place] satisfies TextEntry,
      });
    }
    for (const id of this.#dirtyOutbox) changes.push(outboxChange(id, this.outbox.get(id)));
    const { record } = this;
    if (this.#dirtyRecord && record !== undefined)
      changes.push({ list: "record", texts: [], entry: () => record });
    return changes;
  }

  /** Marks all changes as written. */
  written(): void {
    this.#dirtyRecord = false;
    for (const dirty of [this.#dirtySteps, this.#dirtyTexts, this.#dirtyOutbox]) dirty.clear();
    this.#writtenEvents = this.events.length;
    this.unwritten = 0;
  }

  #take(head: Head, row: number, byStart: Map<number, string>): void {
    for (const entry of head.steps ?? []) {
      const at = startOf(entry);
      const known = byStart.get(at);
      const step = stepAfter(entry, known === undefined ? undefined : this.steps.get(known), row);
      const { key, endedSeq } = step.summary;
      if (known === undefined) {
        byStart.set(at, key);
        this.#enter(key, at);
      }
      this.#place(step);
      this.#lastSeq = Math.max(this.#lastSeq, at, endedSeq ?? 0);
    }
    for (const [seq, id, ...place] of (head.events ?? []) as EventEntry[])
      this.events.push({ seq, id, text: textAt(place as unknown as HeadPlace, row) });
    for (const [name, ...place] of (head.texts ?? []) as TextEntry[])
      this.texts.set(name, textAt(place as unknown as HeadPlace, row));
    for (const [id, attempts, dueAtMs, ...place] of (head.outbox ?? []) as OutboxEntry[])
      if (attempts === undefined || dueAtMs === undefined) this.outbox.delete(id);
      else {
        const payload = textAt(place as unknown as HeadPlace, row);
        this.outbox.set(id, { attempts, dueAtMs, payload });
      }
    for (const record of head.record ?? []) this.record = record as RunRecord;
  }

  #place(step: KeptStep): void {
    const { key, state, wait } = step.summary;
    this.steps.set(key, step);
    if (state === "waiting" && wait !== null) this.waiting.add(key);
    else this.waiting.delete(key);
  }

  #remove(key: string): void {
    this.steps.delete(key);
    this.waiting.delete(key);
    const at = this.order.lastIndexOf(key);
    if (at >= 0) this.order.splice(at, 1);
  }

  /** Inserts a key in the order of starts, nearly always at the end. */
  #enter(key: string, startedSeq: number): void {
    const last = this.order.at(-1);
    const isLast = last === undefined || this.startOf(last) <= startedSeq;
    if (isLast) this.order.push(key);
    else this.order.splice(this.placeAfter(startedSeq), 0, key);
  }

  startOf(key: string): number {
    return this.steps.get(key)?.summary.startedSeq ?? 0;
  }

  /** Returns the place in `order` of the first step started after `seq`. */
  placeAfter(seq: number): number {
    let low = 0;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.startOf(this.order[middle] ?? "") > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #change<T>(map: Map<string, T>, key: string, value: T | undefined): void {
    const before = map.get(key);
    const set = (to: T | undefined): void => {
      if (to === undefined) map.delete(key);
      else map.set(key, to);
    };
    this.#undo?.push(() => set(before));
    set(value);
  }
}

function outboxChange(id: string, entry: KeptEntry | undefined): Change {
  if (entry === undefined)
    return { list: "outbox", texts: [], entry: () => [id] satisfies OutboxEntry };
  const { attempts, dueAtMs, payload } = entry;
  return {
    list: "outbox",
    texts: [payload],
    entry: ([place = []]) => [id, attempts, dueAtMs, ...place] satisfies OutboxEntry,
  };
}
