// Clean-ups of a run, from their registration to the run's end. Rules CLN1 to CLN4: src/events/clean-up.ts.
import type { Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { cleanUpNamed, type CleanUp, type CleanUpPort } from "../../events/clean-up.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { RunStore } from "../run-store.ts";
import { isTerminal } from "../run.ts";

/** Record of a clean-up. */
export type CleanUpRecord = {
  readonly id: string;
  readonly kind: string;
  readonly data: JsonValue;
};

export type CleanUpsOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly services: () => RunServices;
  /** Has a clean-up done from now on. */
  readonly release: (record: CleanUpRecord) => void;
  /** Makes a change with new deliveries. */
  readonly wakeFor: (change: () => void) => void;
};

const NAME = "clean-ups";
const MAX_CLEAN_UPS = 100;
const MAX_DATA = 16_384;
const TIMEOUT_MS = 30_000;

export class CleanUps implements CleanUpPort {
  readonly #options: CleanUpsOptions;
  readonly #store: RunStore;

  constructor(options: CleanUpsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  add(id: string, kind: CleanUp, data: JsonValue): void {
    const others = this.#open.filter((each) => each.id !== id);
    if (others.length >= MAX_CLEAN_UPS)
      throw new EngineError(
        "limit_exceeded",
        `a run has at most ${MAX_CLEAN_UPS} clean-ups at its end`,
      );
    const length = JSON.stringify(data).length;
    if (length > MAX_DATA)
      throw new EngineError(
        "limit_exceeded",
        `the data of a clean-up must be at most ${MAX_DATA} characters of JSON, got ${length}`,
      );
    const run = this.#store.load();
    if (run === undefined) return;
    const record = { id, kind: kind.name, data };
    if (isTerminal(run.status)) this.#options.wakeFor(() => this.#options.release(record));
    else this.#store.setValue(NAME, JSON.stringify([...others, record]));
  }

  remove(id: string): void {
    const open = this.#open;
    const left = open.filter((each) => each.id !== id);
    if (left.length < open.length) this.#store.setValue(NAME, JSON.stringify(left));
  }

  /** Makes all open clean-ups due at the end of the run. */
  releaseAll(): void {
    const open = this.#open;
    if (open.length === 0) return;
    for (const record of open) this.#options.release(record);
    this.#store.setValue(NAME, "[]");
  }

  /** Performs one clean-up within the time limit of an attempt. */
  async perform({ id, kind: name, data }: CleanUpRecord): Promise<void> {
    const run = this.#store.load();
    const kind = cleanUpNamed(name);
    if (run === undefined) return;
    if (kind === undefined)
      throw new EngineError("unavailable", `the code has no clean-up "${name}"`, {
        retryable: true,
      });
    const controller = new AbortController();
    const { signal } = controller;
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    const cancel = this.#options.clock.after(TIMEOUT_MS, () => {
      const message = `it took longer than ${TIMEOUT_MS / 1000} s`;
      controller.abort(new EngineError("timeout", message, { retryable: true }));
    });
    try {
      const work = kind.perform(data, {
        runId: run.id,
        tenant: run.tenant,
        services: this.#options.services(),
        idempotencyKey: `${run.id}:clean-up:${id}`,
        signal,
      });
      await Promise.race([work, late]);
    } finally {
      cancel();
    }
  }

  get #open(): readonly CleanUpRecord[] {
    const json = this.#store.value(NAME);
    return json === undefined ? [] : (JSON.parse(json) as CleanUpRecord[]);
  }
}
