// The remote agents of one agent: resolved at the start of its run, and offered to each piece of its work.
//
//   AXG1. All cards are read at once, at most ten at a time, each as a step.
//   AXG2. With `failFast` an unreachable agent ends the run. Otherwise the work continues without it, with a note in
//         the prompt. If all are unreachable, tasks note this too, and a kickoff proceeds as if without remote agents.
//   AXG3. Remote agents are tools. With `delegation: "loop"` in their settings, the model names agents in its answer
//         instead.
import { errorMessage, EngineError } from "../../../base/error.ts";
import { mapAtMost } from "../../../base/concurrency.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { isFromData } from "../../../llm/definition-rules.ts";
import type {
  AgentOffer,
  AgentSource,
  RemoteAgentEntry,
  WorkOffer,
} from "../../../agent/description/agent-offer.ts";
import type { AgentWork } from "../../../agent/agent-work.ts";
import { sanitizeToolName, uniqueToolNames } from "../../../wire/tool-name.ts";
import type { Tool } from "../../../tools/tool.ts";
import { AgentAccess, type A2AAccess } from "./access.ts";
import { askTool } from "./ask-tool.ts";
import { readClientConfig, type ReadConfig, type RemoteAgentConfig } from "./config.ts";
import { connectPeer } from "./connect-peer.ts";
import { Conversation } from "./conversation.ts";
import { Credentials, type TokenCache } from "./credentials.ts";
import { delegationLoop } from "./delegation-loop.ts";
import { type CardCache } from "./fetch-card.ts";
import { type Sought } from "./extended-card.ts";
import { namedExtension } from "./named-extension.ts";
import { type CallbackBase, type Peer } from "./peer.ts";

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

async function find(
  place: RunScope,
  sought: Sought,
  options: RemoteAgentsOptions & { readonly agentRole: string },
): Promise<Found> {
  const { config } = sought;
  const { shared, access } = options;
  try {
    return {
      peer: await connectPeer(place, sought, {
        ...options,
        cards: shared.cards,
        tenant: access.tenant,
      }),
    };
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
