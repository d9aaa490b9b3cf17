// For how long finished runs are kept.
import { durationMs } from "../base/duration.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";

/** How a run that may be forgotten has ended. */
export const FINISHED = ["completed", "failed", "cancelled"] as const;
export type Finished = (typeof FINISHED)[number];

/** `30d`, `2w`, `1y`, or whole seconds. */
export type Duration = string | number;

/** How long finished runs are kept. */
export type RetentionOptions = {
  /** How long after its end a run is kept, by how it ended. @default for ever */
  readonly [Status in Finished]?: Duration;
} & {
  /** How many of a tenant's newest finished runs always stay. @default 0 */
  readonly keep?: number;
  /** Other times for the runs of a crew, a flow or whatever the name is of. */
  readonly per?: Readonly<Record<string, Duration>>;
};

/** How long runs are kept. Made once for an app. */
export class Retention {
  readonly keep: number;
  readonly #byStatus: ReadonlyMap<string, number>;
  readonly #byName: ReadonlyMap<string, number>;

  /** Throws `invalid_definition`. */
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

  /** The shortest of its times; undefined where nothing ever goes. */
  get shortestMs(): number | undefined {
    const all = [...this.#byStatus.values(), ...this.#byName.values()];
    return all.length === 0 ? undefined : Math.min(...all);
  }

  /** How long a run is kept after its end; undefined for one that stays. */
  keptMs({ status, name }: { readonly status: string; readonly name: string }): number | undefined {
    return this.#byName.get(name) ?? this.#byStatus.get(status);
  }
}
