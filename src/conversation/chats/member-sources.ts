// What members know beside what was said: memory, knowledge and the tools that others offer, opened once for a chat.
//
//   MSR1. All of it is opened before the first turn, below the chat; what is not available fails the chat.
//   MSR2. What an answer taught is saved beside the chat, not in the turn: a finished turn replays as one row. The chat ends when all
//         is saved.
import type { AgentWork } from "../../agent/agent-work.ts";
import { openSources, type AgentSources } from "../../agent/description/agent-sources.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { requireNeeds } from "../../tools/tool-needs.ts";
import { requireCodeExecution } from "../agents/code-execution.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";

/** What a member answered, and to what. */
export type TurnReport = { readonly description: string; readonly output: string };

/** Memories added to what a model is sent, at most. */
const MAX_RECALLED = 5;

/** Opens what the members of a chat at `place` know; undefined if that is nothing. Throws `invalid_definition`. */
export async function openMemberSources(
  place: RunScope,
  members: readonly ConversableAgent[],
): Promise<MemberSources | undefined> {
  for (const member of members) {
    requireNeeds([...member.offeredTools, ...member.executedTools], place.services);
    requireCodeExecution(member, place.services);
  }
  const agents = members.map(({ inner }) => inner);
  const sources = openSources(place, { agents, limit: MAX_RECALLED });
  if (sources === undefined) return undefined;
  await sources.open();
  return new MemberSources(place, sources);
}

/** What the members of one chat know. */
export class MemberSources {
  readonly #place: RunScope;
  readonly #sources: AgentSources;

  constructor(place: RunScope, sources: AgentSources) {
    this.#place = place;
    this.#sources = sources;
  }

  /** For the work of one member, which knows its own part of it. */
  get ofAgents(): AgentSources {
    return this.#sources;
  }

  /** Saves what an answer taught. Called in the order of the turns. */
  remember(work: AgentWork, report: TurnReport): void {
    this.#sources.save(this.#place.atNext("remember"), work, {
      ...report,
      role: work.identity.role,
    });
  }

  /** Waits for what is being saved. */
  drain(): Promise<void> {
    return this.#sources.drain();
  }
}
