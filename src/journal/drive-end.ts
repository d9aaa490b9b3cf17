// The end of a drive: decides if the drive continues and may start steps, and holds its result.
import type { Clock } from "../base/clock.ts";
import { EngineError, type ErrorCode } from "../base/error.ts";
import { failure } from "./step-row.ts";
import type { DriveResult } from "./step-spec.ts";

/** Reason for starting no further step in a drive. */
export type Gate = "yielded" | "paused";

export class DriveEnd {
  /** Result of the drive. Never rejects. */
  readonly result: Promise<DriveResult>;
  readonly #clock: Clock;
  readonly #yieldAtMs: number;
  readonly #letGo: () => void;
  #resolve!: (result: DriveResult) => void;
  #isOver = false;
  #gate: Gate | undefined;

  /** `letGo` is called once, as soon as the drive is over. */
  constructor(options: {
    readonly clock: Clock;
    readonly yieldAtMs: number;
    readonly letGo: () => void;
  }) {
    this.#clock = options.clock;
    this.#yieldAtMs = options.yieldAtMs;
    this.#letGo = options.letGo;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Gate last closed; see `isClosing`. */
  get gate(): Gate | undefined {
    return this.#gate;
  }

  /** True when no further step is to start: the drive was paused, or its time is up. */
  isClosing(): boolean {
    if (this.#gate === undefined && this.#clock.now() >= this.#yieldAtMs) this.#gate = "yielded";
    return this.#gate !== undefined;
  }

  pause(): void {
    this.#gate = "paused";
  }

  /** The first result counts. */
  finish(result: DriveResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#letGo();
    this.#resolve(result);
  }

  /** Ends the drive: for good with an engine error, or undecided with a storage error (J11). */
  fail(error: unknown): void {
    this.finish(
      EngineError.is(error)
        ? { state: "failed", error: error.toRecord() }
        : { state: "interrupted", cause: error },
    );
  }

  /** Ends the drive for good. */
  give(code: ErrorCode, message: string): void {
    this.finish({ state: "failed", error: failure(code, message) });
  }

  /** Runs a storage access. An exception ends the drive undecided (J11). */
  storage<T>(access: () => T): T | undefined {
    try {
      return access();
    } catch (cause) {
      this.finish({ state: "interrupted", cause });
      return undefined;
    }
  }
}

/** Promise for code of the user that does not continue in this drive (J5). */
export function never(): Promise<never> {
  return new Promise(() => {});
}
