// Flows that take turns, and what their sessions need of the Worker.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { PartHost } from "../../parts/part.ts";
import { isTerminal, type Run } from "../../runtime/run.ts";
import type { Conversation } from "../conversational/conversation.ts";
import type { Lookout } from "../conversational/session.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import { findFlow } from "./find-flow.ts";

type FoundConversation = { readonly conversation: Conversation; readonly definition?: JsonValue };

/** The name of a flow of the code that takes turns, for examples. */
export function talkingName({ flows }: Pick<FlowPartOptions, "flows">): string | undefined {
  return Object.keys(flows).find((name) => flows[name]?.conversation !== undefined);
}

/** Finds conversational flows, and reserves turns of their sessions. */
export function talkingFlows(options: FlowPartOptions, host: PartHost) {
  const sources = { ...options, definitions: host.definitions };

  async function conversationOf(
    tenant: string,
    name: string,
    version?: number,
  ): Promise<FoundConversation> {
    const found = await findFlow(sources, tenant, { name, version });
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
    const { services } = host.placeOf(tenant);
    if (conversation.keepsIn(services)) return services;
    throw new EngineError(
      "unavailable",
      "conversations need a store of flow states: defineApp({ flowStates: d1FlowStates })",
    );
  }

  /** Reserves the session's turn for this run. A run that exists already has had its own. */
  async function claim(
    conversation: Conversation,
    { tenant, sessionId, runId }: { tenant: string; sessionId: string; runId: string },
  ): Promise<void> {
    try {
      await conversation.claim(
        { sessionId, runId },
        servicesOf(tenant, conversation),
        lookoutOf(host, tenant),
      );
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error;
      if ((await findRun(host, tenant, runId)) === undefined) throw error;
    }
  }

  return { conversationOf, servicesOf, claim };
}

/** The present time, and the ends of the tenant's runs. */
export function lookoutOf(host: Pick<PartHost, "runs" | "clock">, tenant: string): Lookout {
  return {
    nowMs: host.clock.now(),
    hasEnded: async (id) => {
      const run = await findRun(host, tenant, id);
      return run === undefined ? undefined : isTerminal(run.status);
    },
  };
}

async function findRun(
  { runs }: Pick<PartHost, "runs">,
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
