// Sources of members beside the messages: memory, knowledge and offered tools, opened once for a chat.
//
//   MSR1. All sources are opened before the first turn, below the chat. An unavailable source fails the chat.
//   MSR2. Lessons of an answer are saved beside the chat, not in the turn: a finished turn replays as one row. The chat
//         ends when all are saved.
import type { AgentWork } from "../../agent/agent-work.ts";
import { openSources, type AgentSources } from "../../agent/description/agent-sources.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { requireNeeds } from "../../tools/tool-needs.ts";
import { requireCodeExecution } from "../agents/code-execution.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";

/** A member's answer, and the text it answers. */
export type TurnReport = { readonly description: string; readonly output: string };

/** Maximum number of memories added to a model's request. */
const MAX_RECALLED = 5;

/**
 * Opens the sources of the members of a chat at `place`; undefined if they have no sources. Throws
 * `invalid_definition`.
 */
export async function openMemberSources(
  place: RunScope,
  members: readonly ConversationMember[],
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

/** Sources of the members of one chat. */
export class MemberSources {
  readonly #place: RunScope;
  readonly #sources: AgentSources;

  constructor(place: RunScope, sources: AgentSources) {
    this.#place = place;
    this.#sources = sources;
  }

  /** Sources for the work of one member, which has its share of them. */
  get ofAgents(): AgentSources {
    return this.#sources;
  }

  /** Saves lessons of an answer. Called in the order of the turns. */
  remember(work: AgentWork, report: TurnReport): void {
    this.#sources.save(this.#place.atNext("remember"), work, {
      ...report,
      role: work.identity.role,
    });
  }

  /** Waits for pending saves. */
  drain(): Promise<void> {
    return this.#sources.drain();
  }
}
