// Remote agents as an offer to an agent beside its tools: it can ask them or hand over part of its work.
import type { RunScope } from "../../events/run-scope.ts";
import type { ToolSourceOwner } from "../../tools/tool-source.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork, WorkAround } from "../agent-work.ts";

/** An agent elsewhere, by its settings. */
export type RemoteAgentSettings = Readonly<Record<string, unknown>>;

/** Entry of an agent's `a2a`: settings, or a value with its own connection. */
export type RemoteAgentEntry = RemoteAgentSettings | RemoteAgentValue;

/** Value with its own connection, such as the result of `remoteAgent()` of `edgecrew/a2a`. */
export interface RemoteAgentValue {
  /** The source of all entries of one agent. */
  connect(entries: readonly RemoteAgentEntry[]): AgentSource;
}

/** Offer for one piece of work. */
export type WorkOffer = {
  readonly tools: readonly Tool[];
  /** Added to the prompt. */
  readonly notice?: string;
  readonly around?: WorkAround;
};

/** Opened offer for one agent. */
export interface AgentOffer {
  /** Called once for each piece of work in a drive, before it begins. */
  forWork(work: AgentWork): WorkOffer;
}

/** Opens the offer for one agent. */
export interface AgentSource {
  /** Called in every drive. Each request to remote agents is a step at `place`. An error ends the run. */
  open(place: RunScope, owner: ToolSourceOwner): Promise<AgentOffer>;
}

/** True for an entry with its own connection. */
export function isRemoteAgentValue(entry: unknown): entry is RemoteAgentValue {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "connect" in entry &&
    typeof entry.connect === "function"
  );
}

/** Returns the entries with an endpoint or connection. The others describe how this agent is exposed. */
export function askedAgents(entries: readonly RemoteAgentEntry[]): readonly RemoteAgentEntry[] {
  return entries.filter((entry) => isRemoteAgentValue(entry) || "endpoint" in entry);
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Connects agents to the remote agents in their `a2a`. */
    readonly a2a?: {
      readonly source: (entries: readonly RemoteAgentEntry[]) => AgentSource;
      /** Returns the reason why a stored definition's settings cannot work in this deployment. */
      readonly faults: (settings: RemoteAgentSettings) => string | undefined;
    };
  }
}
