// One execution of a step: the context of its action, with a signal that ends it.
import type { Activity } from "./activity.ts";
import type { StepRecord } from "./journal-store.ts";
import type { StepContext } from "./step-spec.ts";

interface ExecutionOwner {
  readonly runId: string;
  /** See `StepContext.earlier`. */
  earlier(key: string): number;
}

/** The signal is created on first use: most steps only run other steps. */
export class Execution implements StepContext {
  readonly key: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly activity: Activity;
  alive: () => void = () => {};
  readonly #host: ExecutionOwner;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(host: ExecutionOwner, { key, attempt }: StepRecord, activity: Activity) {
    this.#host = host;
    this.key = key;
    this.attempt = attempt;
    this.idempotencyKey = `${host.runId}:${key}`;
    this.activity = activity;
  }

  get earlier(): number {
    return this.#host.earlier(this.key);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
