import type { Call, SharedTimer } from "../base/shared-timer.ts";
import type { JournalLimits } from "./step-spec.ts";

type Limits = Pick<JournalLimits, "firstSignMs" | "silenceMs" | "callMs">;

/**
 * The limit of one request to a model. It is about silence: what comes shows that the model goes on. The whole has a limit of its
 * own, which is long.
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
      /** Who is silent, as errors say it. */
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
    // From now on less time is given than the timer was set for.
    if (!isFirst) return;
    this.stop();
    this.#watch();
  };

  stop(): void {
    if (this.#call !== undefined) this.#timer.cancel(this.#call);
  }

  /** When time is up if nothing comes, and for which limit. */
  get #due(): { readonly atMs: number; readonly limit: keyof Limits } {
    const { firstSignMs, silenceMs, callMs } = this.#limits;
    const wholeAtMs = this.#begunMs + callMs;
    const isFirst = this.#lastSignMs === undefined;
    const silentAtMs = (this.#lastSignMs ?? this.#begunMs) + (isFirst ? firstSignMs : silenceMs);
    if (wholeAtMs <= silentAtMs) return { atMs: wholeAtMs, limit: "callMs" };
    return { atMs: silentAtMs, limit: isFirst ? "firstSignMs" : "silenceMs" };
  }

  /** One timer, set again when it rings: most of what comes costs no timer. */
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
