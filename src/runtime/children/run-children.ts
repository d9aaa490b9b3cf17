// The children of a run while it lives: how they are opened, begun and ended. docs/design/fan-out.md has the rules.
import type { ErrorRecord } from "../../base/error.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { ChildOpening, ChildPort } from "../../events/child-port.ts";
import type { StepRecord } from "../../journal/journal-store.ts";
import type { ChildReport } from "./child-run.ts";
import { childBatches, type ChildRuns } from "./child-runs.ts";
import type { RunAlarm } from "../run-alarm.ts";
import type { RunDeliveries } from "../deliveries/run-deliveries.ts";
import type { RunReader } from "../run-reader.ts";
import type { RunStore } from "../run-store.ts";
import type { RunWaits } from "../run-waits.ts";
import type { RunWriter } from "../run-writer.ts";
import { isTerminal, type RunStart } from "../run.ts";

export type RunChildrenOptions = {
  readonly store: RunStore;
  readonly reader: RunReader;
  readonly writer: RunWriter;
  readonly deliveries: RunDeliveries;
  readonly waits: RunWaits;
  readonly alarm: RunAlarm;
  readonly records: ChildRuns;
  readonly isDriven: () => boolean;
};

export class RunChildren {
  /** Port through which the code of the run starts children. */
  readonly port: ChildPort = { open: (openings, rows) => this.#open(openings, rows) };
  readonly #options: RunChildrenOptions;

  constructor(options: RunChildrenOptions) {
    this.#options = options;
  }

  /** See `ChildRuns.starts`. Throws `not_found` for a run never started. */
  starts(runIds: readonly string[]): ReadonlyArray<RunStart | undefined> {
    return this.#options.records.starts(runIds);
  }

  /** Marks these children as begun or cancelled: they need no further dispatch. */
  async begun(runIds: readonly string[]): Promise<void> {
    const { reader, deliveries, alarm } = this.#options;
    reader.record();
    deliveries.removeDispatches(runIds);
    if (!alarm.isServing) await alarm.scheduleNext();
  }

  /** Takes a child's report; a report no longer awaited has no effect. Throws `not_found` as above. */
  ended(report: ChildReport): Promise<void> {
    return this.#take([report]);
  }

  /** Fails the waits for children whose dispatch is given up (F5). */
  failUndispatched(children: readonly string[]): Promise<void> {
    const message = "the run could not be started: its dispatch failed again and again";
    const error: ErrorRecord = { code: "unavailable", message, retryable: false };
    const report = { status: "failed", error, usage: NO_USAGE } as const;
    return this.#take(children.map((runId) => ({ runId, ...report })));
  }

  /** Settles the waits answered by these reports: all or none. */
  async #take(reports: readonly ChildReport[]): Promise<void> {
    const { reader, records, waits, alarm, isDriven } = this.#options;
    const record = reader.record();
    const answers = isTerminal(record.status)
      ? []
      : reports.flatMap((report) =>
          records.answers(report).map((answer) => ({ ...answer, by: report.runId })),
        );
    // A repeated report may mean that the first had no acknowledgement because the alarm could not be set.
    if (answers.length === 0) return alarm.ensure(record);
    const wakes = isDriven() || records.wakes(answers);
    const settle = (): void =>
      waits.settling(() => {
        for (const { key, answer, by } of answers) waits.settle(key, answer, { by });
        if (wakes) waits.goOn();
      });
    if (wakes) await alarm.wakeFor(settle);
    else settle();
  }

  #open(openings: readonly ChildOpening[], rows: readonly StepRecord[]): void {
    const { store, reader, writer, deliveries, records } = this.#options;
    writer.transaction(() => {
      for (const row of rows) store.journal.put(row);
      for (const opening of openings) records.keep(opening);
      for (const batch of childBatches(openings.map(({ runId }) => runId)))
        deliveries.addChildren("dispatch", batch);
      const record = reader.record();
      if (record.hasChildren !== true) store.save({ ...record, hasChildren: true });
    });
    // The drive may go on for long, and the children need not wait for its end.
    deliveries.timer.flushNext();
  }
}
