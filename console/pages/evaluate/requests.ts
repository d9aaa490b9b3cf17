// Requests of the pages for tests, trainings and comparisons.
import type { Json, Page, RunView } from "../../api-types.ts";
import { transport } from "../../api.ts";

export type TestReport = {
  readonly tasks: readonly {
    readonly name: string;
    readonly agents: readonly string[];
    readonly scores: readonly (number | null)[];
    readonly average: number | null;
  }[];
  readonly crew: { readonly scores: readonly (number | null)[]; readonly average: number | null };
  readonly seconds: { readonly runs: readonly number[]; readonly average: number };
  readonly evalModel: string;
};
export type Evaluation = {
  readonly runId: string;
  readonly evalModel: string;
  readonly report: TestReport;
  readonly createdAt: string;
};
export type Training = {
  readonly name: string;
  readonly agents: Readonly<
    Record<
      string,
      {
        readonly suggestions: readonly string[];
        readonly quality: number;
        readonly finalSummary: string;
      }
    >
  >;
};

/** Result of one input in a batch. */
export type BatchItem = {
  readonly index: number;
  readonly status: string;
  readonly runId?: string;
  readonly output?: { readonly raw: string; readonly object?: Json };
  readonly omitted?: true;
  readonly error?: { readonly message: string };
};

const crew = (name: string): string => `/crews/${encodeURIComponent(name)}`;
const training = (name: string): string => `/trainings/${encodeURIComponent(name)}`;
const start = (path: string, json: unknown): Promise<{ readonly id: string }> =>
  transport.json(path, { method: "POST", json });

export const evaluate = {
  evaluations: (name: string) =>
    transport.json<Page<Evaluation>>(`${crew(name)}/evaluations`, { query: { limit: 20 } }),
  test: (name: string, json: unknown) => start(`${crew(name)}/test`, json),
  train: (name: string, json: unknown) => start(`${crew(name)}/train`, json),
  training: (name: string) => transport.json<Training>(training(name)),
  forget: (name: string) =>
    transport.send(training(name), { method: "DELETE" }).then(() => undefined),
};

/** Returns the items of an ended batch. */
export function itemsOf({ output }: RunView): readonly BatchItem[] {
  return (output as { readonly items?: readonly BatchItem[] } | undefined)?.items ?? [];
}

export function hasEnded({ status }: Pick<RunView, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
