// Reports of the journal during a drive, as events and rows of the run.
import { isoTime, type Clock } from "../base/clock.ts";
import type { EventPlace } from "../events/event-log.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import type { Journal } from "../journal/journal.ts";
import type { StepRecord, WaitRequest } from "../journal/journal-store.ts";
import { changedInput } from "../journal/step-row.ts";
import type { JournalObserver } from "../journal/step-spec.ts";
import type { OnChange } from "./code-change.ts";
import type { RunDeliveries } from "./deliveries/run-deliveries.ts";
import { noteChange } from "./noted-changes.ts";
import { isAsked, type RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunWaits } from "./run-waits.ts";
import type { RunWriter } from "./run-writer.ts";
import type { RunRecord } from "./run.ts";

export type DriveObserverPorts = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly writer: RunWriter;
  readonly waits: RunWaits;
  readonly deliveries: RunDeliveries;
  /** @default "continue" */
  readonly onChange: OnChange | undefined;
  /** The journal of the drive under way, if there is one. */
  readonly journal: () => Journal | undefined;
};

export class DriveObserver {
  readonly #ports: DriveObserverPorts;
  #askedIndexing = false;

  constructor(ports: DriveObserverPorts) {
    this.#ports = ports;
  }

  /** Returns the observer of one drive, for the run as it was at its beginning. */
  of(record: RunRecord): JournalObserver {
    // The run has passed a crash only after each step running at that time has ended.
    let suspects: Set<string> | undefined;
    let crashed = record.crashes > 0;
    return {
      restarted: (key, attempt) =>
        this.#emit("step_restarted", { path: key, nth: attempt }, { key, attempt }),
      changed: (row) => this.#changed(row),
      retrying: (key, { attempt, error, delayMs }) =>
        this.#emit("step_retrying", { path: key, nth: attempt }, { key, attempt, delayMs, error }),
      recorded: (key) => {
        if (!crashed) return;
        suspects ??= new Set(this.#ports.journal()?.unfinished);
        suspects.delete(key);
        if (suspects.size !== 0) return;
        crashed = false;
        this.#guarded(() => this.#ports.store.save({ ...this.#ports.reader.record(), crashes: 0 }));
      },
      parked: (key, request) => this.#parked(key, request),
      due: (key, answer) => this.#ports.waits.expire(key, answer),
      withdrawn: (key, answer) => this.#ports.waits.withdraw(key, answer),
    };
  }

  #changed(row: StepRecord): void {
    const { onChange = "continue" } = this.#ports;
    if (onChange !== "continue") return this.#ports.journal()?.hold(changedInput(row.key));
    this.#guarded(() => {
      noteChange(this.#ports.store, row, this.#ports.clock.now());
      const { key, kind } = row;
      this.#ports.writer.events.emit("step_changed", { path: key }, { key, kind });
    });
  }

  #parked(key: string, request: WaitRequest): void {
    const prompt = request.prompt === undefined ? {} : { prompt: request.prompt };
    const dueAt = request.dueAtMs === undefined ? {} : { dueAt: isoTime(request.dueAtMs) };
    const child = request.runId === undefined ? {} : { childRunId: request.runId };
    const { events } = this.#ports.writer;
    const before = events.lastSeq;
    if (request.kind === "event") this.#ports.waits.offerKeptEventsSoon();
    this.#emit(
      "wait_opened",
      { path: key },
      { key, kind: request.kind, ...prompt, ...dueAt, ...child },
    );
    const isNew = events.lastSeq > before;
    if (isNew && isAsked(request.kind)) this.#guarded(() => this.#indexQuestion());
  }

  /** Updates the index with a question while the drive continues; the end of a drive updates the index in any case. */
  #indexQuestion(): void {
    const record = this.#ports.reader.record();
    if (record.hasAsked !== true) this.#ports.store.save({ ...record, hasAsked: true });
    if (this.#askedIndexing) return;
    this.#askedIndexing = true;
    this.#ports.clock.after(0, () => {
      this.#askedIndexing = false;
      if (this.#ports.journal() === undefined) return;
      this.#guarded(() => {
        this.#ports.writer.change(this.#ports.reader.record());
        this.#ports.deliveries.timer.flushBy(this.#ports.clock.now());
      });
    });
  }

  /** Emits an event for a report of the journal during a drive. */
  #emit<Type extends EventType>(type: Type, place: EventPlace, payload: EventPayloads[Type]): void {
    this.#guarded(() => this.#ports.writer.events.emit(type, place, payload));
  }

  /** Does work of the host during a drive: a storage failure ends the drive, and no user code sees it (J11). */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      const journal = this.#ports.journal();
      if (journal === undefined) throw error;
      journal.fail(error);
    }
  }
}
