// What there is to say of an operation of the API.
import type * as z from "zod";
import { crewDefinitionSchema } from "../../crew/crew-definition.ts";
import { crewaiKickoffBody, crewaiResumeWire } from "../../protocols/crewai/schema.ts";
import type { Scope } from "../../runtime/key-store.ts";
import {
  agentKickoffBody,
  cancelBody,
  chatBody,
  createKeyBody,
  emptyBody,
  flowKickoffBody,
  flowDefinitionBody,
  forkBody,
  kickoffBody,
  kickoffForEachBody,
  pruneBody,
  reindexBody,
  resumeBody,
  sendEventBody,
  testBody,
  trainBody,
  turnBody,
} from "../schemas.ts";
import type { ShapeName } from "../shapes.ts";

export const bodies = {
  Kickoff: kickoffBody,
  KickoffForEach: kickoffForEachBody,
  Train: trainBody,
  Test: testBody,
  Chat: chatBody,
  Turn: turnBody,
  AgentKickoff: agentKickoffBody,
  Resume: resumeBody,
  Cancel: cancelBody,
  Empty: emptyBody,
  Fork: forkBody,
  FlowKickoff: flowKickoffBody,
  SendEvent: sendEventBody,
  Prune: pruneBody,
  CreateKey: createKeyBody,
  Reindex: reindexBody,
  CrewDefinition: crewDefinitionSchema,
  FlowDefinition: flowDefinitionBody,
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
  /** More of them. */
  readonly moreTypes?: readonly string[];
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

export const started: Answer = { description: "Started, or found by its id", shape: "StartedRun" };
export const finished: Answer = {
  description: "Finished within the wait that was asked for, or the event stream",
  shape: "Run",
  otherType: "text/event-stream",
};
export const events: Answer = {
  description:
    "Server-sent events: `id` is `seq`, `event` the type, `data` an Event. A WebSocket when the request asks for an upgrade",
  otherType: "text/event-stream",
};
export const plot: Answer = {
  description: "The picture, in the form that was asked for",
  shape: "FlowPlot",
  otherType: "text/html",
  moreTypes: ["image/svg+xml", "text/plain"],
};
export const changed: Answer = { description: "The run as it is now", shape: "Run" };
