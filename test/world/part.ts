// A part of the world tier: one upstream, official kit, client or model, run beside the code of this repository.
import type { Need } from "./needs/need.ts";

export type WorldPart = {
  /** Argument of `npm run test:world -- <name>`, and the folder under `test/world`. */
  readonly name: string;
  /** One line for the table in `docs/compatibility.md`. */
  readonly title: string;
  /** Everything that `npm run world:setup` makes for it. An empty list needs npm's devDependencies alone. */
  readonly needs: readonly Need[];
  /** Needs of the slice, if it can do with fewer. @default all */
  readonly sliceNeeds?: readonly Need[];
  /** Time limit of the bounded slice that continuous integration runs, in seconds; absent for a part that has no slice. */
  readonly sliceSeconds?: number;
  /** Time limit of the whole part, in seconds. */
  readonly wholeSeconds: number;
  /** Runs the part. Throws only when the harness itself breaks: a difference is a result. */
  run(context: PartContext): Promise<PartResult>;
};

export type PartContext = {
  /** Folder of each need by its name. */
  readonly folders: Readonly<Record<string, string>>;
  /** Seed of everything random. Fixed in a slice. */
  readonly seed: number;
  /** True for the bounded sample of continuous integration. */
  readonly slice: boolean;
  /** Number of programs that the caller asked for; undefined for the part's own number. */
  readonly count: number | undefined;
  /** Folder for logs and intermediate files, which stays after the run. Empty at the start, except with `--resume`. */
  readonly scratch: string;
  /** Aborted when the part has to end. */
  readonly signal: AbortSignal;
  /** Prints a line of progress. */
  readonly say: (line: string) => void;
  /** Registers work that is done when the part ends, also by force: servers are killed here. */
  readonly atEnd: (clean: () => void | Promise<void>) => void;
};

export type PartResult = {
  /** Name and version of the other side, for example `CrewAI 1.15.30`. */
  readonly upstream: string;
  /** Programs, checks or calls that ran. */
  readonly tried: number;
  /** Those with equal outcomes, or that held. */
  readonly passed: number;
  /** Number of programs by the id of the accepted difference that explains them. */
  readonly differences: Readonly<Record<string, number>>;
  /** Programs that differ without a row. Any of them fails the part. */
  readonly failures: readonly PartFailure[];
};

export type PartFailure = { readonly id: string; readonly message: string };

/** Everything that a run of the part needs. */
export function needsOf(
  { needs, sliceNeeds = needs }: Pick<WorldPart, "needs" | "sliceNeeds">,
  isSlice: boolean,
): readonly Need[] {
  return isSlice ? sliceNeeds : needs;
}
