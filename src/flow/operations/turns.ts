// Turns of conversational flows, and their sessions.
//
//   HT1. The run id of a turn comes from the flow, the session and the turn's own id: the same request starts it once.
//   HT2. A turn is refused with 409 during another turn of its session, before a run starts.
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { RunServices } from "../../events/run-services.ts";
import { withRunFiles } from "../../files/start-with-files.ts";
import { cursorAfter, numberOfCursor } from "../../parts/cursor.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation, type OperationSample } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { startRunAs } from "../../parts/start-run.ts";
import { requestedRunId } from "../../parts/started-run.ts";
import { callerFields, pageQuery } from "../../parts/schemas.ts";
import { webhookTargets } from "../../parts/webhook-targets.ts";
import { isTerminal, type Run } from "../../runtime/run.ts";
import type { Conversation } from "../conversational/conversation.ts";
import type { Lookout, SessionSummary } from "../conversational/session.ts";
import type { FlowPartOptions } from "../flow-part.ts";
import { findFlow } from "./find-flow.ts";
import { turnBody } from "./schemas.ts";

/** A session as the API lists it. */
export type SessionSummaryView = Omit<SessionSummary, "begunAtMs" | "lastAtMs"> & {
  readonly begunAt: string;
  /** When its newest turn ended. */
  readonly lastAt: string;
};

type FoundConversation = { readonly conversation: Conversation; readonly definition?: JsonValue };

export function turnOperations(options: FlowPartOptions, host: PartHost): readonly Operation[] {
  const { runs, placeOf, clock } = host;
  const sources = { ...options, definitions: host.definitions };
  const shared = { group: "Flows", subject: "flow" } as const;

  const [talking] = Object.keys(options.flows).filter(
    (name) => options.flows[name]?.conversation !== undefined,
  );
  const sampleOf = (sessionId: string, isTurn = false): OperationSample =>
    talking === undefined
      ? { needs: "a conversational flow" }
      : {
          values: { name: talking, sessionId },
          ...(isTurn ? undefined : { after: [{ operation: "takeTurn", body: { sessionId } }] }),
        };

  async function conversationOf(tenant: string, name: string): Promise<FoundConversation> {
    const found = await findFlow(sources, tenant, { name });
    const { conversation } = found.flow;
    if (conversation === undefined)
      throw new EngineError(
        "not_found",
        `flow "${name}" is not conversational and takes no turns: start it with its kickoff`,
      );
    return found.source === "stored"
      ? { conversation, definition: found.declaration }
      : { conversation };
  }

  function servicesOf(tenant: string, conversation: Conversation): RunServices {
    const { services } = placeOf(tenant);
    if (conversation.keepsIn(services)) return services;
    throw new EngineError(
      "unavailable",
      "conversations need a store of flow states: defineApp({ flowStates: d1FlowStates })",
    );
  }

  async function findRun(tenant: string, id: string): Promise<Run | undefined> {
    try {
      return await runs.get(tenant, id);
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }
  }

  function lookout(tenant: string): Lookout {
    return {
      nowMs: clock.now(),
      hasEnded: async (id) => {
        const run = await findRun(tenant, id);
        return run === undefined ? undefined : isTerminal(run.status);
      },
    };
  }

  /** Reserves the session's turn for this run. An existing run has had its own turn. */
  async function claim(
    conversation: Conversation,
    { tenant, sessionId, runId }: { tenant: string; sessionId: string; runId: string },
  ): Promise<void> {
    try {
      await conversation.claim(
        { sessionId, runId },
        servicesOf(tenant, conversation),
        lookout(tenant),
      );
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
      if ((await findRun(tenant, runId)) === undefined) throw error;
    }
  }

  return [
    operation({
      ...shared,
      id: "takeTurn",
      sample: sampleOf("customer-7", true),
      method: "post",
      path: "/flows/{name}/turns",
      scope: "run",
      summary: "Say something to a flow",
      description:
        "A turn of a conversation with a conversational flow, as a run. Its output is `{ reply, messages, sessionId, turn, route, ended, value, state }`. 409 while another turn of the session is under way.",
      headers: ["Idempotency-Key", "Prefer"],
      body: { name: "Turn", schema: turnBody, required: true },
      answers: { 200: FINISHED, 202: STARTED },
      problems: [400, 404, 409, 413, 415],
      example: { message: "Where is my order?", sessionId: "customer-7" },
      handle: async ({ tenant, params: { name = "" }, body, raw, scopes }) => {
        const {
          message,
          id,
          intents,
          inputs: values = {},
          inputFiles,
          tags,
          meta,
          webhooks,
        } = body;
        const targets = webhookTargets(webhooks, host);
        const { conversation, ...stored } = await conversationOf(tenant, name);
        const turnId = requestedRunId(id, raw) ?? host.randomId();
        const sessionId = body.sessionId ?? idFrom("session", name, turnId);
        const runId = idFrom("turn", name, sessionId, turnId);
        const stream = body.stream ?? raw.headers.get("accept")?.includes("text/event-stream");
        return withRunFiles(
          placeOf(tenant),
          { runId, inputFiles },
          {
            start: (files) => {
              const inputs = { ...files, ...values };
              const turn = { sessionId, message, intents, inputs, stream };
              conversation.checkTurn(turn);
              return {
                id: runId,
                kind: "flow",
                name,
                inputs,
                entry: conversation.entry(turn),
                ...stored,
                ...callerFields({ tags, meta }),
                ...targets,
              };
            },
            begin: async (start) => {
              await claim(conversation, { tenant, sessionId, runId });
              return startRunAs(host, { tenant, raw, scopes }, start);
            },
          },
        );
      },
    }),
    operation({
      ...shared,
      id: "listFlowSessions",
      sample:
        talking === undefined ? { needs: "a conversational flow" } : { values: { name: talking } },
      method: "get",
      path: "/flows/{name}/sessions",
      scope: "read",
      summary: "List the conversations with a flow",
      description:
        "Those with the newest turns first. A page looks through a bounded number of turns: it may be short, or empty, and still have a `nextCursor`. 503 where states of flows are kept in a Durable Object each.",
      query: pageQuery,
      answers: {
        200: { description: "A page of sessions", shape: "SessionSummary", list: true },
      },
      problems: [400, 404, 503],
      handle: async ({ tenant, params: { name = "" }, query: { cursor, limit } }) => {
        const { conversation } = await conversationOf(tenant, name);
        const before = numberOfCursor(cursor);
        const page = await conversation.sessions(
          { before, limit },
          servicesOf(tenant, conversation),
        );
        if (page === undefined)
          throw new EngineError(
            "unavailable",
            `the sessions of flow "${name}" are kept in a store that cannot list them: defineApp({ flowStates: d1FlowStates }) can`,
          );
        const items = page.items.map(({ begunAtMs, lastAtMs, ...fields }): SessionSummaryView => ({
          ...fields,
          begunAt: isoTime(begunAtMs),
          lastAt: isoTime(lastAtMs),
        }));
        const { next } = page;
        const more = next === undefined ? undefined : { nextCursor: cursorAfter(String(next)) };
        return { status: 200, json: { items, ...more } };
      },
    }),
    operation({
      ...shared,
      id: "getSession",
      sample: sampleOf("customer-8"),
      method: "get",
      path: "/flows/{name}/sessions/{sessionId}",
      scope: "read",
      summary: "Show a conversation",
      description: "The public messages, and the state of the session.",
      answers: { 200: { description: "The session", shape: "Session" } },
      problems: [400, 404],
      handle: async ({ tenant, params: { name = "", sessionId = "" } }) => {
        const { conversation } = await conversationOf(tenant, name);
        const json = await conversation.session(sessionId, servicesOf(tenant, conversation));
        if (json === undefined) throw noSession(sessionId);
        return { status: 200, json };
      },
    }),
    operation({
      ...shared,
      id: "deleteSession",
      sample: sampleOf("customer-9"),
      method: "delete",
      path: "/flows/{name}/sessions/{sessionId}",
      scope: "run",
      summary: "Delete a conversation",
      description: "The runs of its turns are kept. 409 while a turn is in progress.",
      answers: { 204: { description: "Deleted" } },
      problems: [400, 404, 409],
      handle: async ({ tenant, params: { name = "", sessionId = "" } }) => {
        const { conversation } = await conversationOf(tenant, name);
        const services = servicesOf(tenant, conversation);
        if (!(await conversation.forget(sessionId, services, lookout(tenant))))
          throw noSession(sessionId);
        return { status: 204 };
      },
    }),
  ];
}

/** Returns a valid run id, the same for the same parts. */
function idFrom(kind: "session" | "turn", ...parts: readonly string[]): string {
  return `${kind}-${sha256Hex(JSON.stringify([kind, ...parts])).slice(0, 40)}`;
}

function noSession(id: string): EngineError {
  return new EngineError("not_found", `there is no session ${JSON.stringify(id)}`);
}
