// Retention of finished runs.
import { durationMs } from "../base/duration.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";

/** Statuses of deletable runs. */
export const FINISHED = ["completed", "failed", "cancelled"] as const;
export type Finished = (typeof FINISHED)[number];

/** `30d`, `2w`, `1y`, or whole seconds. */
export type Duration = string | number;

/** Retention times of finished runs. */
export type RetentionOptions = {
  /** Retention after the end of a run, by its final status. @default for ever */
  readonly [Status in Finished]?: Duration;
} & {
  /** Number of the newest finished runs of a tenant to keep in any case. @default 0 */
  readonly keep?: number;
  /** Retention by name of a crew, flow or other subject, in place of the times by status. */
  readonly per?: Readonly<Record<string, Duration>>;
};

/** Retention times of an app. Made once. */
export class Retention {
  readonly keep: number;
  readonly #byStatus: ReadonlyMap<string, number>;
  readonly #byName: ReadonlyMap<string, number>;

  /** Fails with `invalid_definition`. */
  constructor(options: RetentionOptions) {
    refuseUnknownOptions(options, { method: "retention()", known: [...FINISHED, "keep", "per"] });
    const { keep = 0, per = {} } = options;
    if (!Number.isSafeInteger(keep) || keep < 0 || keep > 1000)
      throw invalidDefinition(
        `retention(): keep must be a whole number from 0 to 1000, got ${preview(keep)}`,
      );
    this.keep = keep;
    this.#byStatus = new Map(
      FINISHED.flatMap((status) => {
        const duration = options[status];
        return duration === undefined ? [] : [[status, durationMs(duration)] as const];
      }),
    );
    this.#byName = new Map(
      Object.entries(per).map(([name, duration]) => [name, durationMs(duration)]),
    );
  }

  /** Shortest retention; undefined if every run stays. */
  get shortestMs(): number | undefined {
    const all = [...this.#byStatus.values(), ...this.#byName.values()];
    return all.length === 0 ? undefined : Math.min(...all);
  }

  /** Retention of a run after its end; undefined for a run that stays. */
  keptMs({ status, name }: { readonly status: string; readonly name: string }): number | undefined {
    return this.#byName.get(name) ?? this.#byStatus.get(status);
  }
}
