import type { EvaluationStore } from "../base/evaluation-store.ts";
import type { FileStore } from "../base/file-store.ts";
import type { TrainedStore } from "../base/training.ts";

/** What a run can use of the deployment that it runs in, beside models. What is absent is refused where it is asked for. */
export type RunServices = {
  /** Where tasks put their `outputFile` and find files they are given. */
  readonly files?: FileStore;
  /** What crews were taught. */
  readonly trained?: TrainedStore;
  /** How crews did in tests. */
  readonly evaluations?: EvaluationStore;
};
