import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { pageOf } from "../../runtime/page.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { pageQuery } from "../../parts/schemas.ts";
import type { EvaluationCursor, EvaluationStore } from "../actions/evaluation-store.ts";
import type { TrainedStore } from "../actions/training.ts";
import {
  evaluationShape,
  trainingShape,
  trainingSummaryShape,
  type EvaluationView,
  type TrainingSummaryView,
} from "./shapes.ts";
import type { TestReport } from "../actions/test-report.ts";

const shared = { group: "Crews", subject: "crew" } as const;

/** The stored results of tests and trainings of crews. */
export function crewResultOperations(host: PartHost): readonly Operation[] {
  const context = resultContextOf(host);
  return [
    listEvaluations(context),
    listTrainings(context),
    getTraining(context),
    deleteTraining(context),
  ];
}

type ResultContext = ReturnType<typeof resultContextOf>;

function resultContextOf({ placeOf }: PartHost) {
  function trainings(tenant: string): TrainedStore {
    return kept(placeOf(tenant).services.trained, "trainings");
  }

  return { placeOf, trainings };
}

const listEvaluations = ({ placeOf }: ResultContext) =>
  operation({
    ...shared,
    id: "listEvaluations",
    method: "get",
    path: "/crews/{name}/evaluations",
    scope: "read",
    summary: "List the results of tests",
    description: "Newest first.",
    query: pageQuery,
    answers: { 200: { description: "A page of results", list: evaluationShape } },
    problems: [400],
    handle: async ({ tenant, params: { name = "" }, query: { cursor, limit } }) => {
      const after = placeOfCursor(keyOfCursor(cursor));
      const store: EvaluationStore = kept(placeOf(tenant).services.evaluations, "evaluations");
      const found = await store.list(name, { after, limit: limit + 1 });
      const items = found
        .slice(0, limit)
        .map(({ runId, evalModel, report, createdAtMs }): EvaluationView => {
          return {
            runId,
            evalModel,
            report: report as TestReport,
            createdAt: isoTime(createdAtMs),
          };
        });
      const last = found[limit - 1];
      if (found.length <= limit || last === undefined) return { status: 200, json: { items } };
      const nextCursor = cursorAfter(`${last.createdAtMs}:${last.runId}`);
      return { status: 200, json: { items, nextCursor } };
    },
  });

const listTrainings = ({ trainings }: ResultContext) =>
  operation({
    ...shared,
    id: "listTrainings",
    method: "get",
    path: "/trainings",
    scope: "read",
    summary: "List what crews have learned",
    description: "By name, without the suggestions.",
    query: pageQuery,
    answers: {
      200: { description: "A page of trainings", list: trainingSummaryShape },
    },
    problems: [400],
    handle: async ({ tenant, query: { cursor, limit } }) => {
      const after = keyOfCursor(cursor);
      const found = await trainings(tenant).list({ after, limit: limit + 1 });
      const json = pageOf(found, limit, {
        item: ({ updatedAtMs, ...fields }): TrainingSummaryView => ({
          ...fields,
          updatedAt: isoTime(updatedAtMs),
        }),
        cursor: ({ name }) => cursorAfter(name),
      });
      return { status: 200, json };
    },
  });

const getTraining = ({ trainings }: ResultContext) =>
  operation({
    ...shared,
    id: "getTraining",
    sample: { needs: "a training that has ended" },
    method: "get",
    path: "/trainings/{name}",
    scope: "read",
    summary: "Show a training",
    answers: { 200: { description: "The training", shape: trainingShape } },
    problems: [404],
    handle: async ({ tenant, params: { name = "" } }) => {
      const training = await trainings(tenant).get(name);
      if (training === undefined) throw noTraining(name);
      return { status: 200, json: training };
    },
  });

const deleteTraining = ({ trainings }: ResultContext) =>
  operation({
    ...shared,
    id: "deleteTraining",
    sample: { needs: "a training that has ended" },
    method: "delete",
    path: "/trainings/{name}",
    scope: "admin",
    summary: "Delete a training",
    description: "Runs in progress keep what they have read.",
    answers: { 204: { description: "Deleted" } },
    problems: [404],
    handle: async ({ tenant, params: { name = "" } }) => {
      if (!(await trainings(tenant).delete(name))) throw noTraining(name);
      return { status: 204 };
    },
  });

function kept<Store>(store: Store | undefined, what: string): Store {
  if (store !== undefined) return store;
  throw new EngineError("unavailable", `this deployment keeps no ${what}`);
}

function placeOfCursor(key: string | undefined): EvaluationCursor | undefined {
  if (key === undefined) return undefined;
  const [, time, runId] = /^(\d+):(.+)$/.exec(key) ?? [];
  if (time !== undefined && runId !== undefined) return { createdAtMs: Number(time), runId };
  throw invalidInput("the query does not fit", [
    { path: "/cursor", message: "expected a nextCursor from an earlier answer" },
  ]);
}

function noTraining(name: string): EngineError {
  return new EngineError("not_found", `no training is stored under the name ${preview(name)}`);
}
