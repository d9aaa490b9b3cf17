// Cancelling and pausing a run, from outside.
import { EngineError } from "../base/error.ts";
import type { RunAlarm } from "./run-alarm.ts";
import type { RunDrive } from "./run-drive.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunWriter } from "./run-writer.ts";
import { isTerminal } from "./run.ts";

export type RunControlPorts = {
  readonly reader: RunReader;
  readonly writer: RunWriter;
  readonly alarm: RunAlarm;
  /** The journal of the drive under way, if there is one. */
  readonly journal: () => RunDrive["journal"];
};

export class RunControl {
  readonly #ports: RunControlPorts;

  constructor(ports: RunControlPorts) {
    this.#ports = ports;
  }

  /** Throws `conflict` for a run that has ended otherwise. */
  async cancel(reason: string | undefined): Promise<void> {
    const { reader, writer, alarm, journal } = this.#ports;
    const record = reader.record();
    if (record.status === "cancelled") return;
    if (isTerminal(record.status))
      throw new EngineError(
        "conflict",
        `run ${record.id} is ${record.status} and cannot be cancelled`,
      );
    const message =
      reason === undefined ? "the run was cancelled" : `the run was cancelled: ${reason}`;
    await alarm.wakeFor(() => {
      writer.end(
        { status: "cancelled", error: { code: "run_cancelled", message, retryable: false } },
        () => writer.emit("run_cancelled", reason === undefined ? {} : { reason }),
      );
      journal()?.stop();
    });
  }

  /** Throws `conflict` for a run that has ended. */
  async pause(): Promise<void> {
    const { reader, writer, alarm } = this.#ports;
    const record = reader.record();
    if (isTerminal(record.status))
      throw new EngineError(
        "conflict",
        `run ${record.id} is ${record.status} and cannot be paused`,
      );
    if (record.paused) return;
    await alarm.wakeFor(() => {
      const journal = this.#ports.journal();
      writer.transaction(() => {
        const status = journal === undefined ? "waiting" : record.status;
        writer.change({ ...record, paused: true, status });
        writer.emit("run_paused", {}, record.version);
      });
      journal?.pause();
    });
  }

  /** Throws `conflict` for a run that is not paused. */
  async unpause(): Promise<void> {
    const { reader, writer, alarm, journal } = this.#ports;
    const record = reader.record();
    if (!record.paused)
      throw new EngineError("conflict", `run ${record.id} is ${record.status} and not paused`);
    await alarm.wakeFor(() =>
      writer.transaction(() => {
        // A running drive tries a held run with other code.
        const goesOn = record.held === undefined || journal() !== undefined;
        const status = goesOn ? "running" : "waiting";
        writer.change({ ...record, paused: false, status });
        if (status === "running") writer.emit("run_resumed", {}, record.version);
      }),
    );
  }
}
