// The remote agents of one agent: resolved at the start of its run, and offered to each piece of its work.
//
//   AXG1. All cards are read at once, at most ten at a time, each as a step.
//   AXG2. With `failFast` an unreachable agent ends the run. Otherwise the work continues without it, with a note in
//         the prompt. If all are unreachable, tasks note this too, and a kickoff proceeds as if without remote agents.
//   AXG3. Remote agents are tools. With `delegation: "loop"` in their settings, the model names agents in its answer
//         instead.
import { errorMessage, toErrorRecord, type ErrorRecord, EngineError } from "../../../base/error.ts";
import { mapAtMost } from "../../../base/concurrency.ts";
import { keySegment } from "../../../journal/step-key.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { isFromData } from "../../../llm/definition-rules.ts";
import type {
  AgentOffer,
  AgentSource,
  RemoteAgentEntry,
  WorkOffer,
} from "../../../agent/description/agent-offer.ts";
import type { AgentWork } from "../../../agent/agent-work.ts";
import { sanitizeToolName, uniqueToolNames } from "../../../tools/tool-name.ts";
import type { Tool } from "../../../tools/tool.ts";
import { AgentAccess, type A2AAccess } from "./access.ts";
import { readCard } from "./agent-card.ts";
import { askTool } from "./ask-tool.ts";
import { readClientConfig, type ReadConfig, type RemoteAgentConfig } from "./config.ts";
import { Conversation } from "./conversation.ts";
import { Credentials, type TokenCache } from "./credentials.ts";
import { delegationLoop } from "./delegation-loop.ts";
import { fetchCard, type CardCache } from "./fetch-card.ts";
import { checkInterface, extendedCard, type Sought } from "./extended-card.ts";
import { namedExtension } from "./named-extension.ts";
import {
  checkCredentials,
  checkExtensions,
  negotiateContentTypes,
  negotiateTransport,
} from "./negotiate.ts";
import { requestedExtensions, type CallbackBase, type Peer } from "./peer.ts";

/** Caches shared by all runs of an isolate. */
export type SharedA2A = { readonly cards: CardCache; readonly tokens: TokenCache };

export type RemoteAgentsOptions = {
  readonly entries: readonly RemoteAgentEntry[];
  readonly access: A2AAccess;
  readonly shared: SharedA2A;
  readonly callbacks?: CallbackBase | undefined;
};

const MAX_AT_ONCE = 10;

/** Key of the settings in values of `remoteAgent()`. */
export const CONFIG: unique symbol = Symbol.for("edgecrew.a2a-config") as never;

/** Returns the source of these entries. Fails with `invalid_definition` for invalid settings. */
export function remoteAgents(options: RemoteAgentsOptions): AgentSource {
  const { access, shared } = options;
  const read = options.entries.map((entry) => {
    const { config, warnings } = configOf(entry);
    const own = new AgentAccess(access, config.endpoint, isFromData(entry));
    return {
      config,
      warnings,
      access: own,
      credentials: new Credentials(config.auth, own, shared.tokens),
    };
  });
  return {
    open: async (place, { agentRole }) => {
      const found = await mapAtMost(read, MAX_AT_ONCE, (each, index) => {
        for (const [nth, message] of each.warnings.entries())
          place.at(`agent:${index}`).emit("agent_warning", { agentRole, message }, nth);
        return find(place.at(`agent:${index}`), each, { ...options, agentRole });
      });
      return new Offer(found);
    },
  };
}

/** Reads the settings of an entry. */
export function configOf(entry: RemoteAgentEntry): ReadConfig {
  return CONFIG in entry
    ? (entry as { readonly [CONFIG]: ReadConfig })[CONFIG]
    : readClientConfig(entry, namedExtension);
}

type Found =
  | { readonly peer: Peer }
  | { readonly lost: string; readonly config: RemoteAgentConfig };

type Fetched =
  | { readonly card: JsonObject; readonly cached: boolean }
  | { readonly error: ErrorRecord };

async function find(
  place: RunScope,
  sought: Sought,
  options: RemoteAgentsOptions & { readonly agentRole: string },
): Promise<Found> {
  const { config } = sought;
  try {
    return { peer: await connect(place, sought, options) };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    if (config.failFast)
      throw new EngineError(
        error.code,
        `the remote agent at ${config.endpoint} cannot be asked: ${error.message}. With failFast: false the run goes on without it`,
        { cause: error },
      );
    return { lost: errorMessage(error), config };
  }
}

async function connect(
  place: RunScope,
  sought: Sought,
  {
    shared,
    callbacks,
    agentRole,
    access: base,
  }: RemoteAgentsOptions & { readonly agentRole: string },
): Promise<Peer> {
  const { config, access, credentials } = sought;
  const { endpoint } = config;
  const at = place.at(`card:${keySegment(new URL(endpoint).host)}`);
  access.checkAddress(endpoint, "a2a: endpoint");
  let refusals = 0;
  const unauthorized = (statusCode: number): void => {
    const { type: authType } = credentials;
    const error = `the server answered ${statusCode}`;
    const type = authType === undefined ? undefined : { authType };
    at.emit("a2a_authentication_failed", { endpoint, ...type, error, statusCode }, refusals++);
  };
  const fetched = await at
    .step<Fetched>({
      kind: "effect",
      label: `agent card of ${new URL(endpoint).host}`,
      effect: "pure",
      run: async ({ signal }) => {
        try {
          const extended = (card: JsonObject): Promise<JsonObject> =>
            extendedCard(card, sought, { unauthorized, signal });
          return await fetchCard({ ...sought, cache: shared.cards, unauthorized, extended });
        } catch (error) {
          if (!EngineError.is(error) || error.retryable) throw error;
          return { error: toErrorRecord(error) };
        }
      },
    })
    .catch((error: unknown) => {
      if (EngineError.is(error) && error.retryable)
        at.emit("a2a_connection_error", {
          endpoint,
          error: error.message,
          operation: "agent_card",
        });
      throw error;
    });
  if ("error" in fetched) {
    const { error } = fetched;
    at.emit("a2a_connection_error", { endpoint, error: error.message, operation: "agent_card" });
    throw EngineError.fromRecord(error);
  }
  const card = readCard(fetched.card);
  const named = { endpoint, a2aAgentName: card.name };
  at.emit("a2a_agent_card_fetched", {
    ...named,
    protocolVersion: card.protocolVersion,
    skills: card.skills.map(({ id }) => id),
    cached: fetched.cached,
  });
  checkExtensions(card, requestedExtensions(config));
  try {
    checkCredentials(card, config.auth);
  } catch (error) {
    const type = credentials.type === undefined ? undefined : { authType: credentials.type };
    const failure = { ...named, ...type, error: errorMessage(error), statusCode: 401 };
    place.emit("a2a_authentication_failed", failure);
    throw error;
  }
  const agreed = negotiateTransport(config.transport, card, endpoint);
  const { transport, url, version: protocolVersion, source } = agreed;
  at.emit("a2a_transport_negotiated", { ...named, transport, url, protocolVersion, source });
  if (transport !== "JSONRPC" && transport !== "HTTP+JSON")
    throw new EngineError(
      "invalid_definition",
      `the agent "${card.name}" would be asked over ${transport}, which cannot be spoken from here: set transport to { preferred: "JSONRPC" } or { preferred: "HTTP+JSON" }, which it offers at: ${card.interfaces.map((each) => each.transport).join(", ")}`,
    );
  checkInterface(url, card.name, sought);
  const { acceptedOutputModes: accepted } = config;
  const modes = negotiateContentTypes(accepted, card.outputModes);
  at.emit("a2a_content_type_negotiated", { ...named, accepted, agreed: modes });
  return {
    config,
    card,
    agreed,
    access,
    credentials,
    agentRole,
    callbacks,
    tenant: base.tenant,
    outputModes:
      modes.length > 0 ? accepted : [...new Set([...accepted, ...card.outputModes, "text/plain"])],
  };
}

/** Remote agents of one agent, offered to each piece of its work. */
class Offer implements AgentOffer {
  readonly #peers: readonly Peer[];
  readonly #lost: ReadonlyArray<Extract<Found, { lost: string }>>;

  constructor(found: readonly Found[]) {
    this.#peers = found.flatMap((each) => ("peer" in each ? [each.peer] : []));
    this.#lost = found.flatMap((each) => ("lost" in each ? [each] : []));
  }

  forWork(work: AgentWork): WorkOffer {
    const conversations = this.#peers.map((peer) => new Conversation(peer));
    const isLoop = this.#peers.some(({ config }) => config.delegation === "loop");
    const notice = this.#notice(work);
    return {
      tools: [...(isLoop ? [] : askTools(conversations)), ...this.#injected(work)],
      ...(isLoop ? { around: delegationLoop(conversations) } : undefined),
      ...(notice === undefined ? undefined : { notice }),
    };
  }

  #notice({ taskName, expectedOutput }: AgentWork): string | undefined {
    if (this.#lost.length === 0) return undefined;
    const isTask = taskName !== undefined || expectedOutput !== undefined;
    if (this.#peers.length === 0 && !isTask) return undefined;
    const lines = this.#lost.map(({ config }) => `- ${config.name ?? config.endpoint}`);
    return this.#peers.length === 0
      ? `None of the agents elsewhere that you could ask can be reached now:\n${lines.join("\n")}\nDo the work yourself.`
      : `These agents elsewhere cannot be reached now:\n${lines.join("\n")}`;
  }

  /** A failing extension injects no tools. */
  #injected({ identity }: AgentWork): readonly Tool[] {
    return this.#peers.flatMap(({ config }) =>
      config.clientExtensions.flatMap((each) => {
        try {
          return each.injectTools?.({ role: identity.role }) ?? [];
        } catch {
          return [];
        }
      }),
    );
  }
}

function askTools(conversations: readonly Conversation[]): readonly Tool[] {
  const names = uniqueToolNames(
    conversations.map(
      ({ peer: { config, card } }) => `ask_${sanitizeToolName(config.name ?? card.name)}`,
    ),
  );
  return conversations.map((each, index) => askTool(names[index] ?? "ask_agent", each));
}
