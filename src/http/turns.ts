// Turns of conversational flows, and their sessions.
//
//   HT1. A turn is a run whose id comes from the flow, the session and the turn's own id: the same request starts it once.
//   HT2. A turn is refused with 409 while another one of its session is under way, before anything is started.
import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { Conversation, SessionView } from "../flow/conversational/conversation.ts";
import type { Lookout } from "../flow/conversational/session.ts";
import type { FlowStore } from "../flow/flow-store.ts";
import { isTerminal, type Run } from "../runtime/run.ts";
import { allow } from "./auth.ts";
import { sha256Hex } from "./digest.ts";
import { findFlow } from "./find-flow.ts";
import { startRunAs } from "./kickoff.ts";
import { body } from "./request-body.ts";
import { turnBody } from "./schemas.ts";
import type { AppServices, HttpEnv } from "./services.ts";
import { givenRunId } from "./started-run.ts";
import { webhookTargets } from "./webhook-targets.ts";

export const turns = new Hono<HttpEnv>()
  .post("/:name/turns", allow("run"), body(turnBody), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { message, id, intents, inputs = {}, meta, webhooks, ...given } = c.req.valid("json");
    const targets = webhookTargets(webhooks, services);
    const { conversation, ...stored } = await conversationOf(services, caller.tenant, name);
    const turnId = (await givenRunId(id, c.req.header("idempotency-key"))) ?? services.randomId();
    const sessionId = given.sessionId ?? (await idFrom("session", name, turnId));
    const runId = await idFrom("turn", name, sessionId, turnId);
    const stream = given.stream ?? c.req.header("accept")?.includes("text/event-stream");
    const turn = { sessionId, message, intents, inputs, stream };
    conversation.checkTurn(turn);
    await claim(services, conversation, { tenant: caller.tenant, sessionId, runId });
    return startRunAs(c, runId, {
      kind: "flow",
      name,
      inputs,
      entry: conversation.entry(turn),
      ...stored,
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  })
  .get("/:name/sessions/:sessionId", allow("read"), async (c) => {
    const { services, caller } = c.var;
    const { name, sessionId } = c.req.param();
    const { conversation } = await conversationOf(services, caller.tenant, name);
    const view = await conversation.session(sessionId, statesOf(services, caller.tenant));
    if (view === undefined) throw noSession(sessionId);
    return c.json<SessionView>(view);
  })
  .delete("/:name/sessions/:sessionId", allow("run"), async (c) => {
    const { services, caller } = c.var;
    const { name, sessionId } = c.req.param();
    const { conversation } = await conversationOf(services, caller.tenant, name);
    const store = statesOf(services, caller.tenant);
    if (!(await conversation.forget(sessionId, store, lookout(services, caller.tenant))))
      throw noSession(sessionId);
    return c.body(null, 204);
  });

/** Makes it this run's turn. A run that is there already has had its own. */
async function claim(
  services: AppServices,
  conversation: Conversation,
  { tenant, sessionId, runId }: { tenant: string; sessionId: string; runId: string },
): Promise<void> {
  try {
    const store = statesOf(services, tenant);
    await conversation.claim({ sessionId, runId }, store, lookout(services, tenant));
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "conflict") throw error;
    if ((await findRun(services, tenant, runId)) === undefined) throw error;
  }
}

function lookout(services: AppServices, tenant: string): Lookout {
  return {
    nowMs: services.clock.now(),
    hasEnded: async (id) => {
      const run = await findRun(services, tenant, id);
      return run === undefined ? undefined : isTerminal(run.status);
    },
  };
}

async function findRun(
  { runs }: AppServices,
  tenant: string,
  id: string,
): Promise<Run | undefined> {
  try {
    return await runs.get(tenant, id);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/** An id that a run may have, the same for the same parts. */
async function idFrom(kind: "session" | "turn", ...parts: readonly string[]): Promise<string> {
  return `${kind}-${(await sha256Hex(JSON.stringify([kind, ...parts]))).slice(0, 40)}`;
}

function statesOf({ flowStates }: AppServices, tenant: string): FlowStore {
  if (flowStates !== undefined) return flowStates(tenant);
  throw new EngineError("unavailable", "this deployment keeps no states of flows");
}

type FoundConversation = { readonly conversation: Conversation; readonly definition?: JsonValue };

async function conversationOf(
  services: AppServices,
  tenant: string,
  name: string,
): Promise<FoundConversation> {
  const found = await findFlow(services, tenant, name);
  const { conversation } = found.flow;
  if (conversation === undefined)
    throw new EngineError(
      "not_found",
      `flow "${name}" takes no turns: it is not conversational, and is started by its kickoff`,
    );
  return found.source === "stored"
    ? { conversation, definition: found.declaration }
    : { conversation };
}

function noSession(id: string): EngineError {
  return new EngineError("not_found", `there is no session ${JSON.stringify(id)}`);
}
