import type { EvaluationStore } from "../base/evaluation-store.ts";
import type { FileStore } from "../base/file-store.ts";
import type { FlowStore } from "../base/flow-store.ts";
import type { LessonStore } from "../base/lesson-store.ts";
import type { TrainedStore } from "../base/training.ts";

/** What a run can use of the deployment that it runs in, beside models. What is absent is refused where it is asked for. */
export interface RunServices {
  /** Where tasks put their `outputFile` and find files they are given. */
  readonly files?: FileStore;
  /** What crews were taught. */
  readonly trained?: TrainedStore;
  /** How crews did in tests. */
  readonly evaluations?: EvaluationStore;
  /** Where flows that persist keep their states. */
  readonly flowStates?: FlowStore;
  /** Whether another run of the tenant has ended; undefined for one that there is not. */
  readonly runEnded?: (runId: string) => Promise<boolean | undefined>;
  /** What people's feedback in flows taught. */
  readonly lessons?: LessonStore;
  /** Code that may step in: `app` before a crew's and an agent's own, `scoped` after them. See `src/hooks`. */
  readonly hooks?: {
    readonly app?: readonly InstalledHook[];
    readonly scoped?: readonly InstalledHook[];
  };
  /** Variables and secrets that tools may declare to need. Absent: nothing is known of them, and nothing is checked. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/** `services` and over them `added`. What is looked up only when asked for stays so. */
export function withServices(services: RunServices, added: RunServices): RunServices {
  const all = {
    ...Object.getOwnPropertyDescriptors(services),
    ...Object.getOwnPropertyDescriptors(added),
  };
  return Object.defineProperties({}, all);
}

/** A hook as a deployment hands it to its runs; `on()` of `src/hooks` makes one. */
export type InstalledHook = {
  readonly point: string;
  readonly run: (context: never) => unknown;
  /** Roles of the agents that it is for; absent for all. */
  readonly agents?: readonly string[];
  /** Names of the tools that it is for, in any spelling; absent for all. */
  readonly tools?: readonly string[];
};
