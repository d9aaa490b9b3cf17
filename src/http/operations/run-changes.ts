import type * as z from "zod";
import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { CHANGED, FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation, type OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { emptyBody } from "../../parts/schemas.ts";
import { changedAnswer } from "../../parts/start-run.ts";
import { requestedRunId, runIdIn } from "../../parts/started-run.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { ForkPoint } from "../../runtime/run-directory.ts";
import { answerStart } from "../../starts/answer-start.ts";
import { forkDefinition } from "./fork-definition.ts";
import {
  cancelBody,
  forkBody,
  retryBody,
  pruneBody,
  resumeBody,
  sendEventBody,
  type ForkBody,
} from "./run-schemas.ts";
import { eventReceiptShape, prunedShape } from "./run-shapes.ts";

const shared = { group: "Runs" } as const;

/** `/runs`: resume, cancel, pause, replay, fork and delete runs of any kind. */
export function runChangeOperations(host: PartHost): readonly Operation[] {
  const context = changeContextOf(host);
  return [
    deleteRun(context),
    pruneRuns(context),
    resumeRun(context),
    sendEvent(context),
    cancelRun(context),
    pauseRun(context),
    unpauseRun(context),
    retryRun(context),
    replayRun(context),
    forkRun(context),
  ];
}

type ChangeContext = ReturnType<typeof changeContextOf>;

function changeContextOf(host: PartHost) {
  const { runs } = host;

  /** Replay and fork are one operation under two names: a new run takes over the journal of another up to a point. */
  const forks = {
    ...shared,
    method: "post",
    scope: "run",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Fork", schema: forkBody, required: true },
    answers: { 200: FINISHED, 202: STARTED },
    problems: [400, 404, 409, 413, 415],
    handle: (request: ForkRequest) => {
      const { tenant, params, body } = request;
      return answerStart(host, request, async () => {
        const of = runIdIn(params);
        const { inputs, replace, branch, definition: version } = body;
        const from = forkPoint(body);
        if (inputs !== undefined) checkInputs(inputs);
        const definition =
          version === undefined
            ? undefined
            : await forkDefinition(host.definitions, tenant, {
                run: await runs.get(tenant, of),
                version,
              });
        return { fork: { of, from, inputs, replace, branch, definition } };
      });
    },
  } as const;

  return { runs, forks };
}

const deleteRun = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "deleteRun",
    sample: {
      run: { id: "example-run-to-delete" },
      after: [{ operation: "cancelRun", values: { id: "example-run-to-delete" } }],
    },
    method: "delete",
    path: "/runs/{id}",
    scope: "admin",
    summary: "Delete a finished run",
    description: "Its journal, events and output are deleted; its id can be used again.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
    handle: async ({ tenant, params }) => {
      await runs.delete(tenant, runIdIn(params));
      return { status: 204 };
    },
  });

const pruneRuns = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "pruneRuns",
    method: "post",
    path: "/runs/prune",
    scope: "admin",
    summary: "Delete old finished runs",
    description: "Oldest first, at most `limit` in one request.",
    body: { name: "Prune", schema: pruneBody, required: true },
    answers: { 200: { description: "The ids of the deleted runs", shape: prunedShape } },
    problems: [400, 413, 415],
    example: { olderThan: "2026-01-01T00:00:00Z", keep: 100 },
    handle: async ({ tenant, body: { olderThan, keep, limit } }) => {
      const beforeMs = Date.parse(olderThan);
      const ids = await runs.prunable({ tenant, beforeMs, keep, limit });
      const pruned = await pruneEach(ids, (id) => runs.delete(tenant, id));
      return { status: 200, json: { pruned, more: ids.length === limit } };
    },
  });

const resumeRun = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "resumeRun",
    sample: { values: { id: "waiting-run" }, needs: "a run that waits: `GET /waits` lists them" },
    method: "post",
    path: "/runs/{id}/resume",
    scope: "answer",
    summary: "Answer a wait",
    description:
      "A wait with a schema or choices takes `value`; any other takes `feedback`, `value` or `approve`. The same answer again changes nothing. 409 if the question has another answer, if no wait is open, or if `key` is missing and several are open or the run has asked before.",
    headers: ["Idempotency-Key"],
    body: { name: "Resume", schema: resumeBody, required: false },
    answers: { 200: CHANGED },
    problems: [400, 404, 409, 413, 415],
    example: { feedback: "Looks good", approve: true },
    handle: async ({ tenant, params, body, scopes, by, raw }) => {
      const id = requestedRunId(body.id, raw);
      const answer = {
        ...body,
        ...(id === undefined ? undefined : { id }),
        ...(by === undefined ? undefined : { by }),
      } as ResumeRequest;
      return changedAnswer(await runs.resume(tenant, runIdIn(params), answer), { scopes });
    },
  });

const sendEvent = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "sendEvent",
    sample: { values: { id: "waiting-run", name: "paid" }, needs: "a run that has not ended" },
    method: "post",
    path: "/runs/{id}/events/{name}",
    scope: "answer",
    summary: "Send an event to a run",
    description:
      "Ends the oldest wait for the name. An event that arrives before any wait is kept.",
    body: { name: "SendEvent", schema: sendEventBody, required: false },
    answers: { 202: { description: "The outcome", shape: eventReceiptShape } },
    problems: [400, 404, 409, 413, 415],
    example: { id: "payment-7", payload: { amount: 12 } },
    handle: async ({ tenant, params, body: { payload = null, id } }) => {
      const event = { name: params["name"] ?? "", payload };
      const json = await runs.sendEvent(
        tenant,
        runIdIn(params),
        id === undefined ? event : { ...event, id },
      );
      return { status: 202, json };
    },
  });

const cancelRun = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "cancelRun",
    sample: { values: { id: "running-run" }, needs: "a run that has not ended" },
    method: "post",
    path: "/runs/{id}/cancel",
    scope: "run",
    summary: "Cancel a run",
    description: "Calls in progress are aborted. Cancelling twice is not an error.",
    body: { name: "Cancel", schema: cancelBody, required: false },
    answers: { 200: CHANGED },
    problems: [400, 404, 409, 413, 415],
    example: { reason: "no longer needed" },
    handle: async ({ tenant, params, body: { reason }, scopes }) =>
      changedAnswer(await runs.cancel(tenant, runIdIn(params), reason), { scopes }),
  });

const pauseRun = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "pauseRun",
    sample: { values: { id: "running-run" }, needs: "a run that has not ended" },
    method: "post",
    path: "/runs/{id}/pause",
    scope: "run",
    summary: "Pause a run",
    description: "Steps in progress finish; no new step starts.",
    body: { name: "Empty", schema: emptyBody, required: false },
    answers: { 200: CHANGED },
    problems: [400, 404, 409, 413, 415],
    handle: async ({ tenant, params, scopes }) =>
      changedAnswer(await runs.pause(tenant, runIdIn(params)), { scopes }),
  });

const unpauseRun = ({ runs }: ChangeContext) =>
  operation({
    ...shared,
    id: "unpauseRun",
    sample: { values: { id: "paused-run" }, needs: "a run that is paused" },
    method: "post",
    path: "/runs/{id}/unpause",
    scope: "run",
    summary: "Continue a paused run",
    body: { name: "Empty", schema: emptyBody, required: false },
    answers: { 200: CHANGED },
    problems: [400, 404, 409, 413, 415],
    handle: async ({ tenant, params, scopes }) =>
      changedAnswer(await runs.unpause(tenant, runIdIn(params)), { scopes }),
  });

const retryRun = ({ forks }: ChangeContext) =>
  operation({
    ...forks,
    id: "retryRun",
    sample: { values: { id: "failed-run" }, needs: "a run that has failed" },
    path: "/runs/{id}/retry",
    summary: "Go on with a failed run",
    description:
      "Starts a new run that takes over everything that was on record when the run failed, and makes the call again that it failed at, such as that of a model that was away. The same as a fork with `fromFailure`.",
    body: { name: "Retry", schema: retryBody, required: false },
    handle: (request: ForkRequest) =>
      forks.handle({ ...request, body: { ...request.body, fromFailure: true } }),
  });

const replayRun = ({ forks }: ChangeContext) =>
  operation({
    ...forks,
    id: "replayRun",
    sample: { run: { id: "example-run" } },
    path: "/runs/{id}/replay",
    summary: "Replay from a task, step or checkpoint",
    description:
      "Starts a new run that takes over everything recorded before that point. The same as fork.",
    example: ({ forkFrom }) => forkFrom,
  });

const forkRun = ({ forks }: ChangeContext) =>
  operation({
    ...forks,
    id: "forkRun",
    sample: { run: { id: "example-run" } },
    path: "/runs/{id}/fork",
    summary: "Fork a run at a task, step or checkpoint",
    description:
      "Starts a new run that takes over everything recorded before that point. The same as replay.",
    example: ({ forkFrom, inputs }) => ({ ...forkFrom, inputs }),
  });

type ForkRequest = Pick<
  OperationRequest<object, z.output<typeof forkBody>>,
  "tenant" | "params" | "body" | "raw" | "scopes" | "via" | "wish"
>;

/** Maximum number of run objects called at once. */
const DELETIONS_AT_ONCE = 5;

/** Deletes each run. An already deleted run counts as pruned; a run that continued meanwhile is kept. */
async function pruneEach(
  ids: readonly string[],
  remove: (id: string) => Promise<void>,
): Promise<readonly string[]> {
  const pruned = await mapAtMost(ids, DELETIONS_AT_ONCE, async (id) => {
    try {
      await remove(id);
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      if (error.code === "conflict") return [];
      if (error.code !== "not_found") throw error;
    }
    return [id];
  });
  return pruned.flat();
}

function forkPoint({
  fromStart,
  fromFailure,
  fromStep,
  fromTask,
  fromMethod,
  fromCheckpoint,
  edit,
}: ForkBody): ForkPoint {
  const named = { fromTask, fromMethod, fromStep, fromCheckpoint, fromStart, fromFailure, edit };
  const points = Object.entries(named).flatMap(([field, from]) =>
    from === undefined ? [] : [{ field, from }],
  );
  const [point, another] = points;
  if (point === undefined || another !== undefined) {
    const got = points.map(({ field }) => field).join(" and ") || "neither";
    throw invalidInput("the request body does not fit", [
      {
        path: "",
        message: `expected either fromTask, fromMethod, fromStep, fromCheckpoint, fromStart, fromFailure or edit, got ${got}`,
      },
    ]);
  }
  if (fromStart !== undefined) return { fromStart };
  if (fromFailure !== undefined) return { fromFailure };
  if (edit !== undefined) return { edit };
  if (fromStep !== undefined) return { fromStep };
  if (fromCheckpoint !== undefined) return { fromCheckpoint };
  return { fromTask: fromTask ?? fromMethod ?? "" };
}
