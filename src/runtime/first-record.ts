// The first record of a run: its values, the rows that it adopts, and its place in the index.
import type { Clock } from "../base/clock.ts";
import { plainText } from "../base/recorded.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { adoptRows } from "./fork.ts";
import type { RunStore } from "./run-store.ts";
import type { RunWriter } from "./run-writer.ts";
import { START_VALUES, type RunStart } from "./run.ts";

export type FirstRecordPorts = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly writer: RunWriter;
  /** Returns the definition version for a new run. @default definitions have no versions */
  readonly currentVersion: ((start: RunStart) => string | undefined) | undefined;
};

export class FirstRecord {
  readonly #ports: FirstRecordPorts;

  constructor(ports: FirstRecordPorts) {
    this.#ports = ports;
  }

  /** Writes it in one transaction (H1). `adopt` is the copied record of a fork, or its first page. */
  write(start: RunStart, adopt: readonly StepRecord[]): void {
    const { store, clock, writer, currentVersion } = this.#ports;
    store.transaction(() => {
      const { id, tenant, kind, name, parent, maxOutputLength, adopting, trace } = start;
      const definitionVersion = start.definitionVersion ?? currentVersion?.(start);
      const values: RunStart = { ...start, ...(definitionVersion && { definitionVersion }) };
      for (const field of START_VALUES) {
        const value = values[field];
        if (value !== undefined)
          store.setValue(
            field,
            field === "inputs" ? plainText(value, field) : JSON.stringify(value),
          );
      }
      adoptRows(store, adopt, clock.now());
      const blank = {
        paused: false,
        error: null,
        startedAtMs: null,
        finishedAtMs: null,
        crashes: 0,
        driving: false,
      };
      writer.change({
        id,
        tenant,
        kind,
        name,
        status: "queued",
        createdAtMs: start.createdAtMs ?? clock.now(),
        version: 0,
        ...blank,
        ...(parent === undefined ? undefined : { parent }),
        ...(maxOutputLength === undefined ? undefined : { maxOutputLength }),
        ...(adopting === undefined ? undefined : { adopting }),
        ...(trace === undefined ? undefined : { trace }),
      });
    });
  }
}
