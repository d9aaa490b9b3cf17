// The store of a run: its state, from its events, for any number of readers.
//
//   RUS1. Any number of subscribers share one stream. It continues at the end of the state, also after a reload with
//         `persist`.
//   RUS2. A change of the status, the waits or the connection is shown at once; everything else with the next frame.
//   RUS3. An answer is shown at its wait: `sending`, `sent` until the run reports the wait as settled, or `refused`
//         with the draft. Every answer has an id, so an answer with a lost receipt can be sent again and counts once.
import { sleep, type Clock } from "../../base/clock.ts";
import { toErrorRecord } from "../../base/error.ts";
import type { LiveEvent, RunEvent } from "../../feature-events.ts";
import type { Run } from "../../runtime/run.ts";
import { mayReconnect } from "../backoff.ts";
import { Observable } from "./observable.ts";
import type { MessageRequest } from "../../runtime/mailbox/run-message.ts";
import type { RemoteRun } from "../remote-run.ts";
import type { Persist, SavedRun } from "./persist.ts";
import { reduceRun } from "./reduce-run.ts";
import {
  emptyRunState,
  hasEnded,
  type AnswerState,
  type Reply,
  type RunState,
} from "./run-state.ts";
import { runCombiner } from "./with-run.ts";

/** Sources and storage of a run's store. */
export type RunStoreOptions = {
  /** Number of newest events in `state.events`. @default no `events` */
  readonly keep?: number;
  /** Stores the state across reloads; see `sessionPersist`. @default not stored */
  readonly persist?: Persist;
  /** Cuts long texts of events, which is enough for progress and lists. @default false */
  readonly slim?: boolean;
  /** State before the first read, such as a server's rendering. */
  readonly initial?: Run | RunState;
};

/** A live run for pages. Framework-free: the base of hooks and other bindings. */
export interface RunStore {
  readonly id: string;
  /** Returns the same object until a change. */
  get(): RunState;
  /** Calls `notify` after changes. The first subscriber opens the connection; five seconds after the last it is closed. */
  subscribe(notify: () => void): () => void;
  /** Answers a wait. Never rejects: the wait shows a refusal, with the refused answer. */
  answer(key: string, reply: Reply): Promise<void>;
  cancel(reason?: string): Promise<void>;
  /** Sends a message to the active agents. */
  send(message: string | MessageRequest): Promise<void>;
  pause(): Promise<void>;
  unpause(): Promise<void>;
  /** Ends the connection now. Subscribing opens it again. */
  close(): void;
}

/** Minimum time between saves, in milliseconds. */
const SAVE_MS = 1_000;
const POLL_MS = 5_000;

/** Age of an event, at connection time, from which it counts as history and is shown with the next frame. */
const HISTORY_MS = 2_000;

/** Returns the state of a store before its first read. A server renders it, and a browser takes it over. */
export function initialRunState(id: string, options: RunStoreOptions): RunState {
  return runCombiner()(stateOf(id, options), viewOf(options));
}

function stateOf(id: string, { initial, keep }: RunStoreOptions): RunState {
  if (initial !== undefined && "connection" in initial) return { ...initial, connection: "idle" };
  return { ...emptyRunState(id), ...(keep === undefined ? undefined : { events: [] }) };
}

function viewOf({ initial }: RunStoreOptions): Run | undefined {
  return initial !== undefined && "connection" in initial ? undefined : initial;
}

export function createRunStore(
  run: RemoteRun,
  clock: Clock,
  options: RunStoreOptions = {},
): RunStore {
  return new RemoteRunStore(run, clock, options);
}

class RemoteRunStore implements RunStore {
  readonly id: string;
  readonly #run: RemoteRun;
  readonly #clock: Clock;
  readonly #options: RunStoreOptions;
  readonly #shown: Observable<RunState>;
  readonly #combine = runCombiner();
  /** State from events. */
  #folded: RunState;
  /** Last read view of the run. */
  #view: Run | undefined;
  #loading: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #cancelSave: (() => void) | undefined;

  constructor(run: RemoteRun, clock: Clock, options: RunStoreOptions) {
    this.id = run.id;
    this.#run = run;
    this.#clock = clock;
    this.#options = options;
    const saved = options.persist?.load(run.id);
    this.#view = viewOf(options);
    this.#folded = stateOf(run.id, options);
    if (saved instanceof Promise) this.#loading = this.#load(saved);
    else this.#take(saved);
    this.#shown = new Observable(this.#combine(this.#folded, this.#view), clock, (signal) =>
      this.#follow(signal),
    );
  }

  get(): RunState {
    return this.#shown.get();
  }

  subscribe(notify: () => void): () => void {
    return this.#shown.subscribe(notify, () => this.close());
  }

  close(): void {
    this.#save();
    this.#shown.close();
    const { connection } = this.#folded;
    if (connection !== "ended" && connection !== "failed") this.#connection("idle");
  }

  async answer(key: string, reply: Reply): Promise<void> {
    this.#mark(key, { state: "sending", reply });
    try {
      await this.#run.resume({ ...reply, key });
      this.#mark(key, { state: "sent", reply });
    } catch (error) {
      this.#mark(key, { state: "refused", reply, error: toErrorRecord(error, "unavailable") });
    }
  }

  async cancel(reason?: string): Promise<void> {
    this.#see(await this.#run.cancel(reason));
  }

  async send(message: string | MessageRequest): Promise<void> {
    await this.#run.send(typeof message === "string" ? { content: message } : message);
  }

  async pause(): Promise<void> {
    const { paused = false } = await this.#run.pause();
    this.#set({ ...this.#folded, paused });
  }

  async unpause(): Promise<void> {
    const { paused = false } = await this.#run.unpause();
    this.#set({ ...this.#folded, paused });
  }

  #take(saved: SavedRun | undefined): void {
    if (saved !== undefined && saved.lastSeq > this.#folded.lastSeq)
      this.#folded = { ...saved.state, connection: "idle" };
  }

  async #load(loading: Promise<SavedRun | undefined>): Promise<void> {
    this.#take(await loading.catch(() => undefined));
    this.#loading = undefined;
    this.#set(this.#folded);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      await this.#loading;
      if (signal.aborted) return;
      if (hasEnded(this.#folded)) return this.#connection("ended");
      this.#connection("connecting");
      void this.#read(signal);
      await this.#hear(signal);
      await this.#read(signal);
      // Neither streams nor pages of events are available, so only polling is left.
      const isOpen = !signal.aborted && !hasEnded(this.#view ?? this.#folded);
      if (isOpen) this.#connection("polling");
      while (!signal.aborted && !hasEnded(this.#view ?? this.#folded)) await this.#poll(signal);
      if (signal.aborted) return;
      this.#connection("ended");
      this.#save();
    } catch (error) {
      if (signal.aborted) return;
      const { retryInMs: _, ...state } = this.#folded;
      const connectionError = toErrorRecord(error, "unavailable");
      this.#set({ ...state, connection: "failed", connectionError }, true);
    }
  }

  /** Reads and folds events up to the run's last. */
  async #hear(signal: AbortSignal): Promise<void> {
    const { slim = false, keep } = this.#options;
    const past = new Date(this.#clock.now() - HISTORY_MS).toISOString();
    const events = this.#run.events({
      after: this.#folded.lastSeq,
      signal,
      slim,
      onConnection: (state, retryInMs) => {
        if (state !== "ended" && !signal.aborted) this.#connection(state, retryInMs);
      },
    });
    for await (const event of events) {
      if (signal.aborted) return;
      const before = this.#folded;
      const after = withKept(reduceRun(before, event), event, keep);
      this.#set(after, event.at >= past && isUrgent(before, after));
      if (needsRun(event)) void this.#read(signal);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, POLL_MS, signal);
    try {
      await this.#read(signal, true);
      this.#connection("polling");
    } catch (error) {
      if (!mayReconnect(error)) throw error;
      this.#connection("retrying", POLL_MS);
    }
  }

  /** Reads the run, one request at a time. A fault counts only without another source. */
  #read(signal: AbortSignal, isAll = false): Promise<void> {
    this.#readAgain = true;
    this.#reading ??= this.#readWhole(signal, isAll).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readWhole(signal: AbortSignal, isAll: boolean): Promise<void> {
    while (this.#readAgain && !signal.aborted) {
      this.#readAgain = false;
      try {
        const run = await this.#run.status();
        if (!signal.aborted) this.#see(run);
      } catch (error) {
        if (isAll) throw error;
      }
    }
  }

  #see(run: Run): void {
    this.#view = run;
    this.#set(this.#folded, hasEnded(run));
  }

  #mark(key: string, answer: AnswerState): void {
    const { waits } = this.#folded;
    const known = waits.length > 0 ? waits : this.#shown.newest.waits;
    if (!known.some((wait) => wait.key === key)) return;
    const marked = known.map((wait) => (wait.key === key ? { ...wait, answer } : wait));
    this.#set({ ...this.#folded, waits: marked }, true);
  }

  #connection(connection: RunState["connection"], retryInMs?: number): void {
    const { retryInMs: _, connectionError: __, ...state } = this.#folded;
    this.#set(
      { ...state, connection, ...(retryInMs === undefined ? undefined : { retryInMs }) },
      true,
    );
  }

  #set(state: RunState, isNow = false): void {
    const isNews = state.lastSeq !== this.#folded.lastSeq;
    this.#folded = state;
    this.#shown.set(this.#combine(state, this.#view), isNow);
    if (this.#options.persist === undefined || !isNews) return;
    this.#cancelSave ??= this.#clock.after(SAVE_MS, () => this.#save());
  }

  #save(): void {
    this.#cancelSave?.();
    this.#cancelSave = undefined;
    const state = { ...this.#shown.newest, connection: "idle" as const };
    if (state.lastSeq === 0) return;
    void this.#options.persist?.save(this.id, { lastSeq: state.lastSeq, state });
  }
}

/** True for events without data a page needs: choices and schemas of a wait, the version of a held run. */
function needsRun(event: RunEvent | LiveEvent): boolean {
  if (event.type === "wait_opened") return event.kind !== "child" && event.kind !== "timer";
  return event.type === "run_held";
}

function isUrgent(before: RunState, after: RunState): boolean {
  return (
    before.status !== after.status || before.waits !== after.waits || before.paused !== after.paused
  );
}

function withKept(
  state: RunState,
  event: RunEvent | LiveEvent,
  keep: number | undefined,
): RunState {
  if (keep === undefined) return state;
  return { ...state, events: [...(state.events ?? []), event].slice(-keep) };
}
