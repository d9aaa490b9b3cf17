import type { FileStore } from "../base/file-store.ts";

/** What a run can use of the deployment that it runs in, beside models. What is absent is refused where it is asked for. */
export type RunServices = {
  /** Where tasks put their `outputFile` and find files they are given. */
  readonly files?: FileStore;
  /** Code that may step in: `app` before a crew's and an agent's own, `scoped` after them. See `src/hooks`. */
  readonly hooks?: {
    readonly app?: readonly InstalledHook[];
    readonly scoped?: readonly InstalledHook[];
  };
  /** Variables and secrets that tools may declare to need. Absent: nothing is known of them, and nothing is checked. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
};

/** A hook as a deployment hands it to its runs; `on()` of `src/hooks` makes one. */
export type InstalledHook = {
  readonly point: string;
  readonly run: (context: never) => unknown;
  /** Roles of the agents that it is for; absent for all. */
  readonly agents?: readonly string[];
  /** Names of the tools that it is for, in any spelling; absent for all. */
  readonly tools?: readonly string[];
};
