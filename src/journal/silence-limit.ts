import type { Call, SharedTimer } from "../base/shared-timer.ts";
import type { JournalLimits } from "./step-spec.ts";

type Limits = Pick<JournalLimits, "firstSignMs" | "silenceMs" | "callMs">;

/**
 * Time limit of one model request. It limits silence: each piece of the answer shows activity. A second, long limit
 * covers the whole request.
 */
export class SilenceLimit {
  readonly #timer: SharedTimer;
  readonly #limits: Limits;
  readonly #what: string;
  readonly #attempt: number;
  readonly #expire: (message: string) => void;
  readonly #begunMs: number;
  #lastSignMs: number | undefined;
  #call: Call | undefined;

  constructor(
    about: {
      /** Name of the silent model or step in error messages. */
      readonly what: string;
      readonly attempt: number;
      readonly limits: Limits;
      readonly timer: SharedTimer;
    },
    expire: (message: string) => void,
  ) {
    this.#timer = about.timer;
    this.#limits = about.limits;
    this.#what = about.what;
    this.#attempt = about.attempt;
    this.#expire = expire;
    this.#begunMs = this.#timer.nowMs;
    this.#watch();
  }

  /** Something came. */
  readonly alive = (): void => {
    const isFirst = this.#lastSignMs === undefined;
    this.#lastSignMs = this.#timer.nowMs;
    // The first sign shortens the limit, so the timer is set again.
    if (!isFirst) return;
    this.stop();
    this.#watch();
  };

  stop(): void {
    if (this.#call !== undefined) this.#timer.cancel(this.#call);
  }

  /** Expiry time if no further sign comes, and the name of its limit. */
  get #due(): { readonly atMs: number; readonly limit: keyof Limits } {
    const { firstSignMs, silenceMs, callMs } = this.#limits;
    const wholeAtMs = this.#begunMs + callMs;
    const isFirst = this.#lastSignMs === undefined;
    const silentAtMs = (this.#lastSignMs ?? this.#begunMs) + (isFirst ? firstSignMs : silenceMs);
    if (wholeAtMs <= silentAtMs) return { atMs: wholeAtMs, limit: "callMs" };
    return { atMs: silentAtMs, limit: isFirst ? "firstSignMs" : "silenceMs" };
  }

  /** Starts one timer, which is set again when it fires: most signs of life cost no timer. */
  #watch(): void {
    this.#call = this.#timer.after(this.#due.atMs - this.#timer.nowMs, () => {
      const { atMs, limit } = this.#due;
      if (atMs > this.#timer.nowMs) return this.#watch();
      const ms = this.#limits[limit];
      const what = {
        firstSignMs: "gave no sign of an answer",
        silenceMs: "fell silent within its answer",
        callMs: "did not complete its answer",
      }[limit];
      const tried = this.#attempt === 1 ? "" : `, attempt ${this.#attempt}`;
      this.#expire(`${this.#what} ${what} for ${ms} ms (limits.${limit}${tried})`);
    });
  }
}
