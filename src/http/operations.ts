// Every operation of the API: what the description and its page are made from. A test holds it against the routes.
import type * as z from "zod";
import { crewDefinitionSchema } from "../crew/crew-definition.ts";
import { crewaiKickoffBody, crewaiResumeWire } from "../protocols/crewai/schema.ts";
import type { Scope } from "../runtime/key-store.ts";
import {
  agentKickoffBody,
  cancelBody,
  chatBody,
  checkpointDiffQuery,
  checkpointsQuery,
  createKeyBody,
  emptyBody,
  forkBody,
  journalQuery,
  kickoffBody,
  kickoffForEachBody,
  listRunsQuery,
  pageQuery,
  pruneBody,
  reindexBody,
  resumeBody,
  testBody,
  trainBody,
} from "./schemas.ts";
import type { ShapeName } from "./shapes.ts";

export const bodies = {
  Kickoff: kickoffBody,
  KickoffForEach: kickoffForEachBody,
  Train: trainBody,
  Test: testBody,
  Chat: chatBody,
  AgentKickoff: agentKickoffBody,
  Resume: resumeBody,
  Cancel: cancelBody,
  Empty: emptyBody,
  Fork: forkBody,
  Prune: pruneBody,
  CreateKey: createKeyBody,
  Reindex: reindexBody,
  CrewDefinition: crewDefinitionSchema,
  CrewaiKickoffBody: crewaiKickoffBody,
  CrewaiResumeBody: crewaiResumeWire,
} as const satisfies Record<string, z.ZodType>;

export type BodyName = keyof typeof bodies;

export type Answer = {
  readonly description: string;
  /** The shape of the JSON; a page of it with `list`. None for an answer without a body. */
  readonly shape?: ShapeName;
  readonly list?: true;
  /** Beside or instead of JSON. */
  readonly otherType?: "text/event-stream" | "text/html" | "application/json";
};

export type Operation = {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{names}` of path parameters. */
  readonly path: string;
  readonly group:
    | "Crews"
    | "Agents"
    | "Flows"
    | "Runs"
    | "Keys"
    | "CrewAI compatibility"
    | "Service";
  readonly summary: string;
  readonly description?: string;
  /** What a key must be allowed; `key` for any key, `none` for no key at all. */
  readonly scope: Scope | "key" | "none";
  readonly query?: z.ZodObject;
  readonly headers?: readonly HeaderName[];
  readonly body?: { readonly name: BodyName; readonly required: boolean; readonly yaml?: true };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of problems besides 401, 403 and 500. */
  readonly problems: readonly number[];
  /** What the problems look like. @default "Problem", as problem+json */
  readonly problemShape?: ShapeName;
  /** A body to try it with. */
  readonly example?: unknown;
};

export const headers = {
  "Idempotency-Key": "Stands for the run's id: the same key answers the same run.",
  Prefer: "`wait=N` waits up to N seconds, at most 60, for the run to finish or to wait.",
  "Last-Event-ID": "The last `seq` that the caller has.",
} as const;

export type HeaderName = keyof typeof headers;

const started: Answer = { description: "Started, or found by its id", shape: "StartedRun" };
const finished: Answer = {
  description: "Finished within the wait that was asked for, or the event stream",
  shape: "Run",
  otherType: "text/event-stream",
};
const events: Answer = {
  description:
    "Server-sent events: `id` is `seq`, `event` the type, `data` an Event. A WebSocket when the request asks for an upgrade",
  otherType: "text/event-stream",
};
const changed: Answer = { description: "The run as it is now", shape: "Run" };

export const operations: readonly Operation[] = [
  {
    id: "listCrews",
    method: "get",
    path: "/crews",
    group: "Crews",
    scope: "read",
    summary: "List crews",
    description: "Those of the deployed code first, then stored ones, each by name.",
    query: pageQuery,
    answers: { 200: { description: "A page of crews", shape: "Crew", list: true } },
    problems: [400],
  },
  {
    id: "getCrew",
    method: "get",
    path: "/crews/{name}",
    group: "Crews",
    scope: "read",
    summary: "Show a crew",
    answers: { 200: { description: "The crew", shape: "CrewDetails" } },
    problems: [404],
  },
  {
    id: "putCrew",
    method: "put",
    path: "/crews/{name}",
    group: "Crews",
    scope: "admin",
    summary: "Store a crew",
    description:
      'As JSON or YAML, or as the files of a CrewAI project: `{ "files": { "config/agents.yaml": "…", … } }`. It runs at once; runs under way keep the definition they were started with. Tools, functions and shapes are named from the registry.',
    body: { name: "CrewDefinition", required: true, yaml: true },
    answers: {
      200: { description: "Replaced", shape: "CrewDetails" },
      201: { description: "New", shape: "CrewDetails" },
    },
    problems: [400, 409, 413, 415],
    example: {
      agents: {
        writer: {
          role: "Writer",
          goal: "Write about {topic}",
          backstory: "You write short and clear.",
        },
      },
      tasks: [
        {
          name: "draft",
          description: "Write a paragraph about {topic}",
          expectedOutput: "One paragraph",
          agent: "writer",
        },
      ],
    },
  },
  {
    id: "deleteCrew",
    method: "delete",
    path: "/crews/{name}",
    group: "Crews",
    scope: "admin",
    summary: "Delete a stored crew",
    description: "Its runs stay, and those under way go on.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
  },
  {
    id: "kickoffCrew",
    method: "post",
    path: "/crews/{name}/kickoff",
    group: "Crews",
    scope: "run",
    summary: "Start a run",
    description:
      "With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Kickoff", required: false },
    answers: {
      200: {
        description: "Finished within the wait that was asked for, or the event stream",
        shape: "Run",
        otherType: "text/event-stream",
      },
      202: started,
    },
    problems: [400, 404, 413, 415],
    example: { inputs: { topic: "edge computing" } },
  },
  {
    id: "kickoffCrewForEach",
    method: "post",
    path: "/crews/{name}/kickoff-for-each",
    group: "Crews",
    scope: "run",
    summary: "Start a run for each of many inputs",
    description:
      "One run of kind `batch`, whose child runs do the inputs. It completes with `output: { items, usage }`: for each input, in order, its `runId`, `status`, and `output: { raw, object? }` or `error`. An output that is too long for the batch to hold (`omitted`) is read from the run itself. `GET /runs?parent=` lists the child runs.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "KickoffForEach", required: true },
    answers: {
      200: {
        description: "Finished within the wait that was asked for, or the event stream",
        shape: "Run",
        otherType: "text/event-stream",
      },
      202: started,
    },
    problems: [400, 404, 413, 415],
    example: { inputs: [{ topic: "edge computing" }, { topic: "tea" }] },
  },
  {
    id: "trainCrew",
    method: "post",
    path: "/crews/{name}/train",
    group: "Crews",
    scope: "run",
    summary: "Train a crew",
    description:
      "The run waits for feedback on each answer of each task (`POST /runs/{id}/resume { feedback }`); its output is the Training, which is kept under `name`.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Train", required: true },
    answers: { 200: finished, 202: started },
    problems: [400, 404, 413, 415],
    example: { iterations: 2, inputs: { topic: "edge computing" } },
  },
  {
    id: "testCrew",
    method: "post",
    path: "/crews/{name}/test",
    group: "Crews",
    scope: "run",
    summary: "Test a crew",
    description:
      "A model scores what the tasks give. The run's output is the report of an Evaluation, which is kept.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Test", required: true },
    answers: { 200: finished, 202: started },
    problems: [400, 404, 413, 415],
    example: { iterations: 3, inputs: { topic: "edge computing" } },
  },
  {
    id: "listEvaluations",
    method: "get",
    path: "/crews/{name}/evaluations",
    group: "Crews",
    scope: "read",
    summary: "List the results of tests",
    description: "Newest first.",
    query: pageQuery,
    answers: { 200: { description: "A page of results", shape: "Evaluation", list: true } },
    problems: [400],
  },
  {
    id: "chatWithCrew",
    method: "post",
    path: "/crews/{name}/chat",
    group: "Crews",
    scope: "run",
    summary: "Talk with a crew",
    description:
      "One turn of a conversation, as a run. The crew's `chatLlm` answers and can have the crew work; the run's output is `{ raw, message }`.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Chat", required: true },
    answers: { 200: finished, 202: started },
    problems: [400, 404, 413, 415],
    example: { messages: [{ role: "user", content: "What can you do?" }] },
  },
  {
    id: "getTraining",
    method: "get",
    path: "/trainings/{name}",
    group: "Crews",
    scope: "read",
    summary: "Show what was learned",
    answers: { 200: { description: "The training", shape: "Training" } },
    problems: [404],
  },
  {
    id: "deleteTraining",
    method: "delete",
    path: "/trainings/{name}",
    group: "Crews",
    scope: "admin",
    summary: "Forget what was learned",
    description: "Runs under way keep what they have read.",
    answers: { 204: { description: "Deleted" } },
    problems: [404],
  },
  {
    id: "listAgents",
    method: "get",
    path: "/agents",
    group: "Agents",
    scope: "read",
    summary: "List agents",
    description: "Agents of the deployed code that work on their own, by name.",
    query: pageQuery,
    answers: { 200: { description: "A page of agents", shape: "Agent", list: true } },
    problems: [400],
  },
  {
    id: "getAgent",
    method: "get",
    path: "/agents/{name}",
    group: "Agents",
    scope: "read",
    summary: "Show an agent",
    answers: { 200: { description: "The agent", shape: "Agent" } },
    problems: [404],
  },
  {
    id: "kickoffAgent",
    method: "post",
    path: "/agents/{name}/kickoff",
    group: "Agents",
    scope: "run",
    summary: "Ask an agent",
    description:
      "With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "AgentKickoff", required: true },
    answers: {
      200: {
        description: "Finished within the wait that was asked for, or the event stream",
        shape: "Run",
        otherType: "text/event-stream",
      },
      202: started,
    },
    problems: [400, 404, 413, 415],
    example: { messages: "What is new in edge computing?" },
  },
  {
    id: "listFlows",
    method: "get",
    path: "/flows",
    group: "Flows",
    scope: "read",
    summary: "List flows",
    description: "Flows of the deployed code, by name.",
    query: pageQuery,
    answers: { 200: { description: "A page of flows", shape: "Flow", list: true } },
    problems: [400],
  },
  {
    id: "getFlow",
    method: "get",
    path: "/flows/{name}",
    group: "Flows",
    scope: "read",
    summary: "Show a flow",
    answers: { 200: { description: "The flow", shape: "Flow" } },
    problems: [404],
  },
  {
    id: "kickoffFlow",
    method: "post",
    path: "/flows/{name}/kickoff",
    group: "Flows",
    scope: "run",
    summary: "Start a flow",
    description:
      "Its inputs are put into its state. With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run, whose output is `{ value, state }`.",
    headers: ["Idempotency-Key", "Prefer"],
    body: { name: "Kickoff", required: false },
    answers: {
      200: {
        description: "Finished within the wait that was asked for, or the event stream",
        shape: "Run",
        otherType: "text/event-stream",
      },
      202: started,
    },
    problems: [400, 404, 413, 415],
    example: { inputs: { ticket: "The site is down" } },
  },
  {
    id: "listWaits",
    method: "get",
    path: "/waits",
    group: "Runs",
    scope: "read",
    summary: "List what runs wait for from outside",
    description:
      "The inbox of those who answer, the oldest question first. Answer with POST /runs/{id}/resume.",
    query: pageQuery,
    answers: { 200: { description: "A page of waits", shape: "Wait", list: true } },
    problems: [400],
  },
  {
    id: "listRuns",
    method: "get",
    path: "/runs",
    group: "Runs",
    scope: "read",
    summary: "List runs",
    description: "Newest first. The list may be a moment behind the runs themselves.",
    query: listRunsQuery,
    answers: { 200: { description: "A page of runs", shape: "RunSummary", list: true } },
    problems: [400],
  },
  {
    id: "getRun",
    method: "get",
    path: "/runs/{id}",
    group: "Runs",
    scope: "read",
    summary: "Show a run",
    headers: ["Prefer"],
    answers: { 200: { description: "The run", shape: "Run" } },
    problems: [404],
  },
  {
    id: "runEvents",
    method: "get",
    path: "/runs/{id}/events",
    group: "Runs",
    scope: "read",
    summary: "Follow a run",
    description:
      "All kept events after `Last-Event-ID` or `?after=`, then those to come. Ends with the run, and when it comes to wait; `?types=` names the types wanted, separated by commas.",
    headers: ["Last-Event-ID"],
    answers: { 200: events },
    problems: [400, 404],
  },
  {
    id: "runJournal",
    method: "get",
    path: "/runs/{id}/journal",
    group: "Runs",
    scope: "read",
    summary: "List a run's steps",
    description: "In the order of their start.",
    query: journalQuery,
    answers: { 200: { description: "A page of steps", shape: "Step", list: true } },
    problems: [400, 404],
  },
  {
    id: "runCheckpoints",
    method: "get",
    path: "/runs/{id}/checkpoints",
    group: "Runs",
    scope: "read",
    summary: "List a run's checkpoints",
    description: "Its finished tasks, oldest first. A fork can go on from any of them.",
    query: checkpointsQuery,
    answers: { 200: { description: "All of them", shape: "Checkpoint", list: true } },
    problems: [400, 404],
  },
  {
    id: "diffCheckpoints",
    method: "get",
    path: "/runs/{id}/checkpoints/diff",
    group: "Runs",
    scope: "read",
    summary: "Compare two checkpoints",
    description: "Of one run, or of two: a fork and the run that it came from.",
    query: checkpointDiffQuery,
    answers: { 200: { description: "What differs", shape: "CheckpointDiff" } },
    problems: [400, 404],
  },
  {
    id: "deleteRun",
    method: "delete",
    path: "/runs/{id}",
    group: "Runs",
    scope: "admin",
    summary: "Delete a finished run",
    description: "Its journal, events and output are gone; its id is free again.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
  },
  {
    id: "pruneRuns",
    method: "post",
    path: "/runs/prune",
    group: "Runs",
    scope: "admin",
    summary: "Delete old finished runs",
    description: "Oldest first, at most `limit` in one go.",
    body: { name: "Prune", required: true },
    answers: { 200: { description: "Which are gone", shape: "Pruned" } },
    problems: [400, 413, 415],
    example: { olderThan: "2026-01-01T00:00:00Z", keep: 100 },
  },
  {
    id: "resumeRun",
    method: "post",
    path: "/runs/{id}/resume",
    group: "Runs",
    scope: "run",
    summary: "Answer a wait",
    description:
      "A wait with a schema or choices takes `value`, others any of `feedback`, `value` and `approve`. 409 when nothing is open, or several are and `key` names none.",
    body: { name: "Resume", required: true },
    answers: { 200: changed },
    problems: [400, 404, 409, 413, 415],
    example: { feedback: "Looks good", approve: true },
  },
  {
    id: "cancelRun",
    method: "post",
    path: "/runs/{id}/cancel",
    group: "Runs",
    scope: "run",
    summary: "Cancel a run",
    description: "Calls under way are aborted. Cancelling twice is no error.",
    body: { name: "Cancel", required: false },
    answers: { 200: changed },
    problems: [400, 404, 409, 413, 415],
    example: { reason: "no longer needed" },
  },
  {
    id: "pauseRun",
    method: "post",
    path: "/runs/{id}/pause",
    group: "Runs",
    scope: "run",
    summary: "Pause a run",
    description: "Steps under way end; no further one starts.",
    body: { name: "Empty", required: false },
    answers: { 200: changed },
    problems: [400, 404, 409, 413, 415],
  },
  {
    id: "unpauseRun",
    method: "post",
    path: "/runs/{id}/unpause",
    group: "Runs",
    scope: "run",
    summary: "Let a paused run go on",
    body: { name: "Empty", required: false },
    answers: { 200: changed },
    problems: [400, 404, 409, 413, 415],
  },
  {
    id: "replayRun",
    method: "post",
    path: "/runs/{id}/replay",
    group: "Runs",
    scope: "run",
    summary: "Replay from a task, step or checkpoint",
    description:
      "Starts a new run that takes over everything on record before that point. The same as fork.",
    headers: ["Idempotency-Key"],
    body: { name: "Fork", required: true },
    answers: { 202: started },
    problems: [400, 404, 409, 413, 415],
    example: { fromTask: "draft" },
  },
  {
    id: "forkRun",
    method: "post",
    path: "/runs/{id}/fork",
    group: "Runs",
    scope: "run",
    summary: "Fork a run at a task, step or checkpoint",
    description:
      "Starts a new run that takes over everything on record before that point. The same as replay.",
    headers: ["Idempotency-Key"],
    body: { name: "Fork", required: true },
    answers: { 202: started },
    problems: [400, 404, 409, 413, 415],
    example: { fromTask: "draft", inputs: { topic: "the deep sea" } },
  },
  {
    id: "compatInputs",
    method: "get",
    path: "/compat/{name}/inputs",
    group: "CrewAI compatibility",
    scope: "read",
    summary: "List the inputs that a crew needs",
    answers: { 200: { description: "Their names", shape: "CrewaiInputs" } },
    problems: [404],
    problemShape: "CrewaiError",
  },
  {
    id: "compatKickoff",
    method: "post",
    path: "/compat/{name}/kickoff",
    group: "CrewAI compatibility",
    scope: "run",
    summary: "Start an execution",
    description: "The kickoff_id is the id of a run. Unknown fields are let pass.",
    headers: ["Idempotency-Key"],
    body: { name: "CrewaiKickoffBody", required: true },
    answers: { 200: { description: "Started", shape: "CrewaiKickoff" } },
    problems: [400, 404, 413, 415, 422],
    problemShape: "CrewaiError",
    example: { inputs: { topic: "edge computing" } },
  },
  {
    id: "compatStatus",
    method: "get",
    path: "/compat/{name}/status/{id}",
    group: "CrewAI compatibility",
    scope: "read",
    summary: "Show an execution",
    description:
      "Running, completed or error. One that waits for a person is running, with `pending_human_input`.",
    answers: { 200: { description: "How it stands", shape: "CrewaiStatus" } },
    problems: [404],
    problemShape: "CrewaiError",
  },
  {
    id: "compatResume",
    method: "post",
    path: "/compat/{name}/resume",
    group: "CrewAI compatibility",
    scope: "run",
    summary: "Answer an execution that waits for a person",
    description:
      "The execution keeps the webhooks that it was started with; addresses given here are not needed. 400 when it waits for nobody.",
    body: { name: "CrewaiResumeBody", required: true },
    answers: { 200: { description: "What becomes of it", shape: "CrewaiResumed" } },
    problems: [400, 404, 413, 415],
    problemShape: "CrewaiError",
    example: {
      execution_id: "9b2f6c1e-3c4d-4f7a-8a53-2f1f6f0b8f7e",
      task_id: "task:draft",
      human_feedback: "Looks good",
      is_approve: true,
    },
  },
  {
    id: "createKey",
    method: "post",
    path: "/keys",
    group: "Keys",
    scope: "admin",
    summary: "Make an API key",
    description:
      "The key is shown this once. Keys are managed with an admin key of tenant `default`.",
    body: { name: "CreateKey", required: true },
    answers: { 201: { description: "The new key", shape: "CreatedKey" } },
    problems: [400, 413, 415],
    example: { tenant: "acme", scopes: ["run", "read"], name: "web frontend" },
  },
  {
    id: "listKeys",
    method: "get",
    path: "/keys",
    group: "Keys",
    scope: "admin",
    summary: "List API keys",
    query: pageQuery,
    answers: {
      200: { description: "A page of keys, without their secrets", shape: "Key", list: true },
    },
    problems: [400],
  },
  {
    id: "deleteKey",
    method: "delete",
    path: "/keys/{id}",
    group: "Keys",
    scope: "admin",
    summary: "Delete an API key",
    description: "It is refused from the next request on.",
    answers: { 204: { description: "Deleted" } },
    problems: [404],
  },
  {
    id: "reindex",
    method: "post",
    path: "/admin/reindex",
    group: "Service",
    scope: "admin",
    summary: "Have runs tell the index anew",
    description: "After the loss of the database. Unknown ids are skipped.",
    body: { name: "Reindex", required: true },
    answers: { 200: { description: "How many did", shape: "Reindexed" } },
    problems: [400, 413, 415],
    example: { ids: ["run-1"] },
  },
  {
    id: "health",
    method: "get",
    path: "/healthz",
    group: "Service",
    scope: "none",
    summary: "Liveness",
    answers: { 200: { description: "The Worker answers", shape: "Health" } },
    problems: [],
  },
  {
    id: "openApi",
    method: "get",
    path: "/openapi.json",
    group: "Service",
    scope: "key",
    summary: "This description",
    answers: { 200: { description: "OpenAPI 3.1", otherType: "application/json" } },
    problems: [],
  },
  {
    id: "docs",
    method: "get",
    path: "/docs",
    group: "Service",
    scope: "key",
    summary: "This description as a page",
    answers: { 200: { description: "HTML", otherType: "text/html" } },
    problems: [],
  },
];
