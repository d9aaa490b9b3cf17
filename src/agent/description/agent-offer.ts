// What others offer to an agent beyond tools: agents elsewhere, which can be asked, or take over part of the work.
import type { RunScope } from "../../events/run-scope.ts";
import type { ToolSourceOwner } from "../../tools/tool-source.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";

/** An agent elsewhere, by its settings. */
export type RemoteAgentSettings = Readonly<Record<string, unknown>>;

/** One entry of an agent's `a2a`: settings, or a value that connects by itself. */
export type RemoteAgentEntry = RemoteAgentSettings | RemoteAgentValue;

/** A value of code that brings the connection with it, such as `remoteAgent()` of `edgecrew/a2a` makes. */
export interface RemoteAgentValue {
  /** The source of all entries of one agent. */
  connect(entries: readonly RemoteAgentEntry[]): AgentSource;
}

/** Does a piece of work at a place, and gives its text. */
export type Performer = (place: RunScope, work: AgentWork) => Promise<string>;

/** Has a piece of work done in another way than by the agent's model alone. `perform` is the usual way. */
export type WorkAround = (scope: RunScope, work: AgentWork, perform: Performer) => Promise<string>;

/** What is offered for one piece of work. */
export type WorkOffer = {
  readonly tools: readonly Tool[];
  /** Added to the prompt. */
  readonly notice?: string;
  readonly around?: WorkAround;
};

/** What was opened for one agent. */
export interface AgentOffer {
  /** Called once for each piece of work in a drive, before it begins. */
  forWork(work: AgentWork): WorkOffer;
}

/** Opens what is offered to one agent. */
export interface AgentSource {
  /** Called in every drive: whatever it asks of others is a step at `place`. What it throws ends the run. */
  open(place: RunScope, owner: ToolSourceOwner): Promise<AgentOffer>;
}

/** True for an entry that brings its connection with it. */
export function isRemoteAgentValue(entry: unknown): entry is RemoteAgentValue {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "connect" in entry &&
    typeof entry.connect === "function"
  );
}

/** The entries that can be asked: the others say how this agent is offered to others. */
export function askedAgents(entries: readonly RemoteAgentEntry[]): readonly RemoteAgentEntry[] {
  return entries.filter((entry) => isRemoteAgentValue(entry) || "endpoint" in entry);
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Connects agents to those elsewhere that their `a2a` names. */
    readonly a2a?: {
      readonly source: (entries: readonly RemoteAgentEntry[]) => AgentSource;
      /** What of the settings in a stored definition cannot work here. */
      readonly faults: (settings: RemoteAgentSettings) => string | undefined;
    };
  }
}
