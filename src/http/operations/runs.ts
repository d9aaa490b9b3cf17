import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { preview } from "../../base/json.ts";
import { STARTED } from "../../parts/documented-runs.ts";
import { eventTypesOf } from "../../parts/event-types.ts";
import { operation, type DocumentedAnswer, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { preferredWait } from "../../parts/prefer.ts";
import { emptyBody, pageQuery } from "../../parts/schemas.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { requestedRunId, runIdOf } from "../../parts/started-run.ts";
import { diffCheckpoints } from "../../runtime/checkpoints.ts";
import type { ForkPoint } from "../../runtime/run-directory.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import {
  cancelBody,
  checkpointDiffQuery,
  checkpointsQuery,
  eventsQuery,
  forkBody,
  journalQuery,
  listRunsQuery,
  pruneBody,
  resumeBody,
  sendEventBody,
  type ForkBody,
} from "./run-schemas.ts";

export { runShapes } from "./run-schemas.ts";

export type Pruned = {
  readonly pruned: readonly string[];
  /** True when there may be more: ask again. */
  readonly more: boolean;
};

const EVENTS: DocumentedAnswer = {
  description:
    "Server-sent events: `id` is `seq`, `event` the type, `data` an Event. A WebSocket when the request asks for an upgrade",
  types: ["text/event-stream"],
};
const CHANGED: DocumentedAnswer = { description: "The run as it is now", shape: "Run" };

/** `/runs` and `/waits`: operations on runs of any kind. */
export function runOperations(host: PartHost): readonly Operation[] {
  const { runs, parts } = host;
  const shared = { group: "Runs" } as const;
  const eventTypes = eventTypesOf(parts);
  const kinds = parts.flatMap((part) => Object.keys(part.kinds ?? {}));

  /** Replay and fork are one operation under two names: a new run that takes over the journal of another up to a point. */
  const forks = {
    ...shared,
    method: "post",
    scope: "run",
    headers: ["Idempotency-Key"],
    body: { name: "Fork", schema: forkBody, required: true },
    answers: { 202: STARTED },
    problems: [400, 404, 409, 413, 415],
    handle: async ({ tenant, params, body, raw }: ForkRequest) => {
      const id = idOf(params);
      const { inputs, branch } = body;
      if (inputs !== undefined) checkInputs(inputs);
      const newId = requestedRunId(body.id, raw) ?? host.randomId();
      if (newId === id)
        throw invalidInput("the new run needs an id of its own", [
          { path: "/id", message: `expected an id other than the run's own, got "${id}"` },
        ]);
      const request = { newId, from: forkPoint(body), inputs, branch };
      return startedAnswer(await runs.fork(tenant, id, request));
    },
  } as const;

  return [
    operation({
      ...shared,
      id: "listWaits",
      method: "get",
      path: "/waits",
      scope: "read",
      summary: "List open waits of all runs",
      description:
        "The inbox for people who answer, oldest question first. Answer with POST /runs/{id}/resume.",
      query: pageQuery,
      answers: { 200: { description: "A page of waits", shape: "Wait", list: true } },
      problems: [400],
      handle: async ({ tenant, query }) => ({
        status: 200,
        json: await runs.waits({ tenant, ...query }),
      }),
    }),
    operation({
      ...shared,
      id: "listRuns",
      method: "get",
      path: "/runs",
      scope: "read",
      summary: "List runs",
      description: "Newest first. The list is eventually consistent.",
      query: listRunsQuery(kinds),
      answers: { 200: { description: "A page of runs", shape: "RunSummary", list: true } },
      problems: [400],
      handle: async ({ tenant, query }) => ({
        status: 200,
        json: await runs.list({ tenant, ...query }),
      }),
    }),
    operation({
      ...shared,
      id: "getRun",
      method: "get",
      path: "/runs/{id}",
      scope: "read",
      summary: "Show a run",
      headers: ["Prefer"],
      answers: { 200: { description: "The run", shape: "Run" } },
      problems: [404],
      handle: async ({ tenant, params, raw }) => {
        const id = idOf(params);
        const waitSeconds = preferredWait(raw.headers.get("prefer"));
        if (waitSeconds === undefined) return { status: 200, json: await runs.get(tenant, id) };
        const json = await runs.settled(tenant, id, waitSeconds * 1000);
        return { status: 200, json, headers: { "preference-applied": `wait=${waitSeconds}` } };
      },
    }),
    operation({
      ...shared,
      id: "runEvents",
      method: "get",
      path: "/runs/{id}/events",
      scope: "read",
      summary: "Follow a run",
      description:
        "All kept events after `Last-Event-ID` or `?after=`, then new ones as they happen. The stream ends with the run, and when the run waits; `?types=` names the wanted types, separated by commas.",
      headers: ["Last-Event-ID"],
      rawQuery: eventsQuery,
      answers: { 200: EVENTS },
      problems: [400, 404],
      handle: ({ tenant, params, raw }) => {
        const id = idOf(params);
        checkTypes(new URL(raw.url).searchParams.get("types") ?? undefined, eventTypes);
        return runs.events(tenant, id, raw);
      },
    }),
    operation({
      ...shared,
      id: "runJournal",
      method: "get",
      path: "/runs/{id}/journal",
      scope: "read",
      summary: "List a run's steps",
      description: "In the order in which they started.",
      query: journalQuery,
      answers: { 200: { description: "A page of steps", shape: "Step", list: true } },
      problems: [400, 404],
      handle: async ({ tenant, params, query: { values = false, ...page } }) => ({
        status: 200,
        json: await runs.steps(tenant, idOf(params), { ...page, values }),
      }),
    }),
    operation({
      ...shared,
      id: "exportRun",
      method: "get",
      path: "/runs/{id}/export",
      scope: "read",
      summary: "Download a run",
      description:
        "The run, its journal and its events as one document, for `replayRun` of `edgecrew/testing`.",
      answers: { 200: { description: "The document", shape: "ExportedRun" } },
      problems: [404],
      handle: async ({ tenant, params }) => {
        const id = idOf(params);
        const headers = { "content-disposition": `attachment; filename="${id}.json"` };
        return { status: 200, json: await runs.export(tenant, id), headers };
      },
    }),
    operation({
      ...shared,
      id: "runCheckpoints",
      method: "get",
      path: "/runs/{id}/checkpoints",
      scope: "read",
      summary: "List a run's checkpoints",
      description:
        "The tasks or methods that it has finished, oldest first. A fork can continue from any of them.",
      query: checkpointsQuery,
      answers: { 200: { description: "All of them", shape: "Checkpoint", list: true } },
      problems: [400, 404],
      handle: async ({ tenant, params, query: { values = false } }) => ({
        status: 200,
        json: { items: await runs.checkpoints(tenant, idOf(params), { values }) },
      }),
    }),
    operation({
      ...shared,
      id: "diffCheckpoints",
      method: "get",
      path: "/runs/{id}/checkpoints/diff",
      scope: "read",
      summary: "Compare two checkpoints",
      description: "Two checkpoints of one run, or of a fork and the run it came from.",
      query: checkpointDiffQuery,
      answers: { 200: { description: "What differs", shape: "CheckpointDiff" } },
      problems: [400, 404],
      handle: async ({ tenant, params, query }) => {
        const id = idOf(params);
        const { from, to, run = id } = query;
        const list = await runs.checkpoints(tenant, id, { values: true });
        const other = run === id ? list : await runs.checkpoints(tenant, run, { values: true });
        return { status: 200, json: diffCheckpoints({ list, id: from }, { list: other, id: to }) };
      },
    }),
    operation({
      ...shared,
      id: "deleteRun",
      method: "delete",
      path: "/runs/{id}",
      scope: "admin",
      summary: "Delete a finished run",
      description: "Its journal, events and output are deleted; its id can be used again.",
      answers: { 204: { description: "Deleted" } },
      problems: [404, 409],
      handle: async ({ tenant, params }) => {
        await runs.delete(tenant, idOf(params));
        return { status: 204 };
      },
    }),
    operation({
      ...shared,
      id: "pruneRuns",
      method: "post",
      path: "/runs/prune",
      scope: "admin",
      summary: "Delete old finished runs",
      description: "Oldest first, at most `limit` in one request.",
      body: { name: "Prune", schema: pruneBody, required: true },
      answers: { 200: { description: "The ids of the deleted runs", shape: "Pruned" } },
      problems: [400, 413, 415],
      example: { olderThan: "2026-01-01T00:00:00Z", keep: 100 },
      handle: async ({ tenant, body: { olderThan, keep, limit } }) => {
        const beforeMs = Date.parse(olderThan);
        const ids = await runs.prunable({ tenant, beforeMs, keep, limit });
        const pruned = await pruneEach(ids, (id) => runs.delete(tenant, id));
        const json: Pruned = { pruned, more: ids.length === limit };
        return { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "resumeRun",
      method: "post",
      path: "/runs/{id}/resume",
      scope: "run",
      summary: "Answer a wait",
      description:
        "A wait with a schema or choices takes `value`; any other takes `feedback`, `value` or `approve`. 409 if no wait is open, or if several are open and `key` is missing.",
      body: { name: "Resume", schema: resumeBody, required: true },
      answers: { 200: CHANGED },
      problems: [400, 404, 409, 413, 415],
      example: { feedback: "Looks good", approve: true },
      handle: async ({ tenant, params, body }) => ({
        status: 200,
        json: await runs.resume(tenant, idOf(params), body as ResumeRequest),
      }),
    }),
    operation({
      ...shared,
      id: "sendEvent",
      method: "post",
      path: "/runs/{id}/events/{name}",
      scope: "run",
      summary: "Send an event to a run",
      description:
        "Ends the oldest wait for the name. An event that arrives before any wait is kept.",
      body: { name: "SendEvent", schema: sendEventBody, required: false },
      answers: { 202: { description: "The outcome", shape: "EventReceipt" } },
      problems: [400, 404, 409, 413, 415],
      example: { id: "payment-7", payload: { amount: 12 } },
      handle: async ({ tenant, params, body: { payload = null, id } }) => {
        const event = { name: params["name"] ?? "", payload };
        const json = await runs.sendEvent(
          tenant,
          idOf(params),
          id === undefined ? event : { ...event, id },
        );
        return { status: 202, json };
      },
    }),
    operation({
      ...shared,
      id: "cancelRun",
      method: "post",
      path: "/runs/{id}/cancel",
      scope: "run",
      summary: "Cancel a run",
      description: "Calls in progress are aborted. Cancelling twice is not an error.",
      body: { name: "Cancel", schema: cancelBody, required: false },
      answers: { 200: CHANGED },
      problems: [400, 404, 409, 413, 415],
      example: { reason: "no longer needed" },
      handle: async ({ tenant, params, body: { reason } }) => ({
        status: 200,
        json: await runs.cancel(tenant, idOf(params), reason),
      }),
    }),
    operation({
      ...shared,
      id: "pauseRun",
      method: "post",
      path: "/runs/{id}/pause",
      scope: "run",
      summary: "Pause a run",
      description: "Steps in progress finish; no new step starts.",
      body: { name: "Empty", schema: emptyBody, required: false },
      answers: { 200: CHANGED },
      problems: [400, 404, 409, 413, 415],
      handle: async ({ tenant, params }) => ({
        status: 200,
        json: await runs.pause(tenant, idOf(params)),
      }),
    }),
    operation({
      ...shared,
      id: "unpauseRun",
      method: "post",
      path: "/runs/{id}/unpause",
      scope: "run",
      summary: "Continue a paused run",
      body: { name: "Empty", schema: emptyBody, required: false },
      answers: { 200: CHANGED },
      problems: [400, 404, 409, 413, 415],
      handle: async ({ tenant, params }) => ({
        status: 200,
        json: await runs.unpause(tenant, idOf(params)),
      }),
    }),
    operation({
      ...forks,
      id: "replayRun",
      path: "/runs/{id}/replay",
      summary: "Replay from a task, step or checkpoint",
      description:
        "Starts a new run that takes over everything recorded before that point. The same as fork.",
      example: { fromTask: "draft" },
    }),
    operation({
      ...forks,
      id: "forkRun",
      path: "/runs/{id}/fork",
      summary: "Fork a run at a task, step or checkpoint",
      description:
        "Starts a new run that takes over everything recorded before that point. The same as replay.",
      example: { fromTask: "draft", inputs: { topic: "the deep sea" } },
    }),
  ];
}

function idOf({ id = "" }: Readonly<Record<string, string>>): string {
  return runIdOf(id);
}

type ForkRequest = {
  readonly tenant: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: ForkBody;
  readonly raw: Request;
};

/** How many runs' objects are called at once. */
const DELETIONS_AT_ONCE = 5;

/** Deletes each run. A run that is already deleted counts as pruned; a run that continued meanwhile is kept. */
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

function forkPoint({ fromStep, fromTask, fromMethod, fromCheckpoint }: ForkBody): ForkPoint {
  const points = [
    ...(fromMethod === undefined ? [] : [{ fromTask: fromMethod }]),
    ...(fromStep === undefined ? [] : [{ fromStep }]),
    ...(fromTask === undefined ? [] : [{ fromTask }]),
    ...(fromCheckpoint === undefined ? [] : [{ fromCheckpoint }]),
  ];
  const [point, another] = points;
  if (point !== undefined && another === undefined) return point;
  const got = point === undefined ? "neither" : points.length === 2 ? "both" : "all";
  throw invalidInput("the request body does not fit", [
    {
      path: "",
      message: `expected either fromTask, fromMethod, fromStep or fromCheckpoint, got ${got}`,
    },
  ]);
}

/** Throws `invalid_input` for an unknown type, of which no event would ever arrive. */
function checkTypes(types: string | undefined, known: ReadonlySet<string>): void {
  for (const type of types?.split(",") ?? []) {
    const name = type.trim();
    if (name === "" || known.has(name)) continue;
    throw invalidInput("the query does not fit", [
      {
        path: "/types",
        message: `expected event types, such as task_completed; got ${preview(name)}`,
      },
    ]);
  }
}
