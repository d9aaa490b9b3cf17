// Sessions of conversational flows.
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { cursorAfter, numberOfCursor } from "../../parts/cursor.ts";
import { operation, type Operation, type OperationSample } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { pageQuery } from "../../parts/schemas.ts";
import type { SessionSummary } from "../conversational/session.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import { lookoutOf, talkingFlows, talkingName } from "./talking-flows.ts";
import { sessionShape, sessionSummaryShape } from "./shapes.ts";

/** A session as the API lists it. */
export type SessionSummaryView = Omit<SessionSummary, "begunAtMs" | "lastAtMs"> & {
  readonly begunAt: string;
  /** When its newest turn ended. */
  readonly lastAt: string;
};

const shared = { group: "Flows", subject: "flow" } as const;

export function sessionOperations(options: FlowPartOptions, host: PartHost): readonly Operation[] {
  const context = sessionContextOf(options, host);
  return [listFlowSessions(context), getSession(context), deleteSession(context)];
}

type SessionContext = ReturnType<typeof sessionContextOf>;

function sessionContextOf(options: FlowPartOptions, host: PartHost) {
  const { conversationOf, servicesOf } = talkingFlows(options, host);

  const talking = talkingName(options);

  const sampleOf = (sessionId: string): OperationSample =>
    talking === undefined
      ? { needs: "a conversational flow" }
      : {
          values: { name: talking, sessionId },
          after: [{ operation: "takeTurn", body: { sessionId } }],
        };

  return {
    talking,
    conversationOf,
    servicesOf,
    sampleOf,
    lookout: (tenant: string) => lookoutOf(host, tenant),
  };
}

function listFlowSessions({ talking, conversationOf, servicesOf }: SessionContext): Operation {
  return operation({
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
      200: { description: "A page of sessions", list: sessionSummaryShape },
    },
    problems: [400, 404, 503],
    handle: async ({ tenant, params: { name = "" }, query: { cursor, limit } }) => {
      const { conversation } = await conversationOf(tenant, name);
      const before = numberOfCursor(cursor);
      const page = await conversation.sessions({ before, limit }, servicesOf(tenant, conversation));
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
  });
}

function getSession({ sampleOf, conversationOf, servicesOf }: SessionContext): Operation {
  return operation({
    ...shared,
    id: "getSession",
    sample: sampleOf("customer-8"),
    method: "get",
    path: "/flows/{name}/sessions/{sessionId}",
    scope: "read",
    summary: "Show a conversation",
    description: "The public messages, and the state of the session.",
    answers: { 200: { description: "The session", shape: sessionShape } },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "", sessionId = "" } }) => {
      const { conversation } = await conversationOf(tenant, name);
      const json = await conversation.session(sessionId, servicesOf(tenant, conversation));
      if (json === undefined) throw noSession(sessionId);
      return { status: 200, json };
    },
  });
}

function deleteSession({
  sampleOf,
  conversationOf,
  servicesOf,
  lookout,
}: SessionContext): Operation {
  return operation({
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
  });
}

function noSession(id: string): EngineError {
  return new EngineError("not_found", `there is no session ${JSON.stringify(id)}`);
}
