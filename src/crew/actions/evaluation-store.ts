import type { JsonValue } from "../../base/json.ts";

/** The stored result of a test of a crew. */
export type StoredEvaluation = {
  /** Run of the test. */
  readonly runId: string;
  readonly crew: string;
  /** Judging model. */
  readonly evalModel: string;
  /** A `TestReport`. */
  readonly report: JsonValue;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
};

/** The evaluation after which a page begins. */
export type EvaluationCursor = Pick<StoredEvaluation, "runId" | "createdAtMs">;

/** Stores the results of tests. */
export interface EvaluationStore {
  /** Stores a result. A second one of the same run and crew replaces the first. */
  put(evaluation: StoredEvaluation): Promise<void>;
  /** Lists at most `limit` results of a crew, newest first. */
  list(
    crew: string,
    page: { readonly after?: EvaluationCursor | undefined; readonly limit: number },
  ): Promise<readonly StoredEvaluation[]>;
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** The results of tests of crews. */
    readonly evaluations?: EvaluationStore;
  }
}

/** Keeps results in the memory of this process. */
export class InMemoryEvaluationStore implements EvaluationStore {
  readonly #evaluations = new Map<string, StoredEvaluation>();

  async put(evaluation: StoredEvaluation): Promise<void> {
    this.#evaluations.set(JSON.stringify([evaluation.runId, evaluation.crew]), evaluation);
  }

  async list(
    crew: string,
    { after, limit }: { readonly after?: EvaluationCursor | undefined; readonly limit: number },
  ): Promise<readonly StoredEvaluation[]> {
    return [...this.#evaluations.values()]
      .filter((each) => each.crew === crew && (after === undefined || newestFirst(after, each) < 0))
      .toSorted(newestFirst)
      .slice(0, limit);
  }
}

function newestFirst(a: EvaluationCursor, b: EvaluationCursor): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.runId === b.runId ? 0 : a.runId < b.runId ? 1 : -1;
}
