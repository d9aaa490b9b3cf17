import { preview, type JsonObject } from "../../base/json.ts";
import { shownDefinition } from "../../parts/definition-specs.ts";
import { eventTypesOf } from "../../parts/event-types.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { RUN_SHAPES } from "../../parts/documented-runs.ts";
import { preferredWait } from "../../parts/prefer.ts";
import { shownRun } from "../../parts/same-run.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { exportResponse, NDJSON } from "../../parts/export-response.ts";
import type { ExportHead } from "../../runtime/export-page.ts";
import { checkpointDiff } from "./checkpoint-diff.ts";
import {
  checkpointDiffQuery,
  checkpointsQuery,
  eventsQuery,
  type EventsQuery,
  exportQuery,
  journalQuery,
  modelCallQuery,
  modelCallsQuery,
  stepQuery,
} from "./run-schemas.ts";

import { listRunsQuery, listWaitsQuery } from "./run-queries.ts";

import {
  checkpointDiffShape,
  checkpointShape,
  modelCallShape,
  modelCallSummaryShape,
} from "./model-call-shapes.ts";
import {
  eventPageShape,
  runPageShape,
  stepDetailShape,
  stepPageShape,
  waitShape,
  webhookAttemptsShape,
} from "./run-shapes.ts";
import { exportedRunShape } from "../../parts/run-shapes.ts";

const EVENTS = {
  description:
    "Server-sent events: `id` is `seq`, `event` the type, `data` an Event. A WebSocket when the request asks for an upgrade",
  types: ["text/event-stream"],
} as const;

const shared = { group: "Runs" } as const;

/** `/runs` and `/waits`: records and waits of runs of any kind. */
export function runReadOperations(host: PartHost): readonly Operation[] {
  return [
    listWaits(host),
    listRuns(host),
    getRun(host),
    runEvents(host, eventTypesOf(host.parts)),
    runJournal(host),
    runStep(host),
    runModelCalls(host),
    runModelCall(host),
    runWebhooks(host),
    exportRun(host),
    runCheckpoints(host),
    diffCheckpoints(host),
  ];
}

const listWaits = ({ runs, parts }: PartHost) =>
  operation({
    ...shared,
    id: "listWaits",
    method: "get",
    path: "/waits",
    scope: "read",
    summary: "List open waits of all runs",
    description:
      "The inbox for people who answer, oldest question first; with `order=expires`, those that end by themselves first. Answer with POST /runs/{id}/resume.",
    query: listWaitsQuery(kindsOf(parts)),
    answers: { 200: { description: "A page of waits", list: waitShape } },
    problems: [400],
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: await runs.waits({ tenant, ...query }),
    }),
  });

const listRuns = ({ runs, parts }: PartHost) =>
  operation({
    ...shared,
    id: "listRuns",
    method: "get",
    path: "/runs",
    scope: "read",
    summary: "List runs",
    description:
      "Newest first. The list is eventually consistent. One page looks through 5,000 runs at most: with filters it may be short or empty and still have a `nextCursor`.",
    query: listRunsQuery(kindsOf(parts)),
    answers: {
      200: { description: "A page of runs", shape: runPageShape },
    },
    problems: [400],
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: await runs.list({ tenant, ...query }),
    }),
  });

const getRun = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "getRun",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}",
    scope: "read",
    summary: "Show a run",
    headers: ["Prefer"],
    answers: {
      200: { description: "The run", shape: RUN_SHAPES, headers: ["Preference-Applied"] },
    },
    problems: [404],
    handle: async ({ tenant, params, raw }) => {
      const id = runIdIn(params);
      const waitSeconds = preferredWait(raw.headers.get("prefer"));
      if (waitSeconds === undefined)
        return { status: 200, json: shownRun(await runs.get(tenant, id)) };
      const json = shownRun(await runs.settled(tenant, id, waitSeconds * 1000));
      return { status: 200, json, headers: { "preference-applied": `wait=${waitSeconds}` } };
    },
  });

const runEvents = ({ runs }: PartHost, eventTypes: ReadonlySet<string>) =>
  operation({
    ...shared,
    id: "runEvents",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/events",
    scope: "read",
    summary: "Follow a run",
    description:
      "All kept events after `Last-Event-ID` or `?after=`, then new ones as they happen. The stream ends with the run, and when the run waits, unless `?follow=1` keeps it open; `?types=` names the wanted types, separated by commas. With `Accept: application/json` it is a page of kept events, which with `Prefer: wait=20` waits for one.",
    headers: ["Last-Event-ID", "Prefer"],
    query: eventsQuery,
    answers: {
      101: { description: "The WebSocket that the request asked for" },
      200: { ...EVENTS, shape: eventPageShape, headers: ["Preference-Applied"] },
      204: { description: "The run has ended, and no event is left" },
    },
    problems: [400, 404],
    handle: async ({ tenant, params, raw, query: asked }) => {
      const id = runIdIn(params);
      checkTypes(asked.types, eventTypes);
      if (!wantsPage(raw)) return runs.events(tenant, id, raw);
      const seconds = preferredWait(raw.headers.get("prefer")) ?? 0;
      const query = { ...pageQueryOf(asked), waitMs: seconds * 1000 };
      const json = await runs.eventPage(tenant, id, query);
      return {
        status: 200,
        json,
        ...(seconds > 0 ? { headers: { "preference-applied": `wait=${seconds}` } } : undefined),
      };
    },
  });

const runJournal = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runJournal",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/journal",
    scope: "read",
    summary: "List a run's steps",
    description:
      "In the order in which they started, or the other way round. `prevCursor` leads back from a page that was asked for by a cursor or a key.",
    query: journalQuery,
    answers: {
      200: { description: "A page of steps", shape: stepPageShape },
    },
    problems: [400, 404],
    handle: async ({ tenant, params, query }) => ({
      status: 200,
      json: await runs.steps(tenant, runIdIn(params), query),
    }),
  });

const runStep = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runStep",
    sample: {
      run: { id: "example-run" },
      query: { key: "task:example" },
      needs: "the key of a step of the run's journal",
    },
    method: "get",
    path: "/runs/{id}/step",
    scope: "read",
    summary: "Show a step",
    description: "Its result, its failed attempts, its cause, and where its events are.",
    query: stepQuery,
    answers: { 200: { description: "The step", shape: stepDetailShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query: { key, ...piece } }) => ({
      status: 200,
      json: await runs.step(tenant, runIdIn(params), key, piece),
    }),
  });

const runModelCalls = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runModelCalls",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/calls",
    scope: "read",
    summary: "List a run's model calls",
    description: "Without what was said in them.",
    query: modelCallsQuery,
    answers: { 200: { description: "A page of calls", list: modelCallSummaryShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query }) => ({
      status: 200,
      json: await runs.calls(tenant, runIdIn(params), query),
    }),
  });

const runModelCall = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runModelCall",
    sample: {
      run: { id: "example-run" },
      query: { key: "task:example/turn:1/llm" },
      needs: "the key of a model call: a step of kind `model` in the run's journal",
    },
    method: "get",
    path: "/runs/{id}/call",
    scope: "read",
    summary: "Show a model call",
    description:
      "All messages that the model was sent, and what it answered. Bytes of images and files are left out; a message longer than 65,536 characters is cut, and whole with `?message=`.",
    query: modelCallQuery,
    answers: { 200: { description: "The call", shape: modelCallShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query }) => ({
      status: 200,
      json: await runs.modelCall(tenant, runIdIn(params), query.key, {
        message: query.message,
      }),
    }),
  });

const runWebhooks = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runWebhooks",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/webhooks",
    scope: "read",
    summary: "List a run's pending webhooks",
    description:
      "The events that its webhooks have not taken yet, and the newest 100 deliveries that were given up.",
    answers: { 200: { description: "Both", list: webhookAttemptsShape } },
    problems: [404],
    handle: async ({ tenant, params }) => ({
      status: 200,
      json: { items: await runs.webhookAttempts(tenant, runIdIn(params)) },
    }),
  });

const exportRun = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "exportRun",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/export",
    scope: "read",
    summary: "Download a run",
    description:
      "The run, its journal and its events as one document, for `replayRun` of `edgecrew/testing`. With `Accept: application/x-ndjson` each line has something of its own: first the run, then one `step` or `event` each, at last `end` with their numbers. It is sent as it is read, of a run of any length; one without its end was cut off.",
    query: exportQuery,
    answers: {
      200: {
        description: "The document",
        shape: exportedRunShape,
        types: [NDJSON],
        headers: ["Content-Disposition"],
      },
    },
    problems: [400, 404],
    handle: ({ tenant, params, query: { values }, raw }) => {
      return exportResponse(runs, [tenant, runIdIn(params)], {
        values,
        request: raw,
        shown: shownExport,
      });
    },
  });

const runCheckpoints = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "runCheckpoints",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/checkpoints",
    scope: "read",
    summary: "List a run's checkpoints",
    description:
      "The tasks or methods that it has finished, oldest first. A fork can continue from any of them. With outputs a page ends before it grows too long.",
    query: checkpointsQuery,
    answers: { 200: { description: "A page of them", list: checkpointShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query: { values = false, cursor } }) => ({
      status: 200,
      json: await runs.checkpointPage(tenant, runIdIn(params), { values, cursor }),
    }),
  });

const diffCheckpoints = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "diffCheckpoints",
    sample: {
      run: { id: "example-run" },
      query: { from: "one", to: "another" },
      needs: "the ids of two checkpoints of the run",
    },
    method: "get",
    path: "/runs/{id}/checkpoints/diff",
    scope: "read",
    summary: "Compare two checkpoints",
    description: "Two checkpoints of one run, or of a fork and the run it came from.",
    query: checkpointDiffQuery,
    answers: { 200: { description: "What differs", shape: checkpointDiffShape } },
    problems: [400, 404],
    handle: async ({ tenant, params, query }) => {
      const { from, to, run = runIdIn(params) } = query;
      const sides = [
        { run: runIdIn(params), id: from },
        { run, id: to },
      ] as const;
      return { status: 200, json: await checkpointDiff(runs, tenant, sides) };
    },
  });

const kindsOf = (parts: PartHost["parts"]): readonly string[] =>
  parts.flatMap(({ kinds = {} }) => Object.keys(kinds));

/** Removes keys in the definition. */
function shownExport(head: ExportHead): ExportHead {
  const start = shownDefinition(head.start as JsonObject) as ExportHead["start"];
  return { ...head, run: shownRun(head.run), start };
}

/** True if the request asks for a page of events, false for a stream. */
function wantsPage({ headers }: Request): boolean {
  const accepts = headers.get("accept")?.toLowerCase() ?? "";
  const isStream = accepts.includes("text/event-stream") || headers.has("upgrade");
  return !isStream && accepts.includes("application/json");
}

/** Default number of events on a page. */
const PAGE_EVENTS = 50;

function pageQueryOf(asked: EventsQuery) {
  const { types, follow: _, limit = PAGE_EVENTS, ...query } = asked;
  const names = types?.split(",").map((type) => type.trim());
  const wanted = names?.filter((type) => type !== "") ?? [];
  return { ...query, limit, ...(wanted.length === 0 ? undefined : { types: wanted }) };
}

/** Fails with `invalid_input` for an unknown type, because no event of it would ever arrive. */
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
