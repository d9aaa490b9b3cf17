import type { GroupPattern } from "../groups/patterns.ts";
import type { GroupChatResult } from "../groups/group-chat-result.ts";
import { runPattern } from "../groups/run-pattern.ts";
import { NamedConversation } from "../named-conversation.ts";
import { patternGraph } from "../picture/conversation-graph.ts";
import type { TransitionTarget } from "../targets/targets.ts";
import type { ConversationExchange } from "./exchange.ts";

/** The exchange of a group with hand-overs. */
export function patternExchange(pattern: GroupPattern, maxRounds: number): ConversationExchange {
  return {
    kind: pattern.kind,
    maxRounds,
    opensItself: false,
    opener: undefined,
    get conversationNames() {
      return conversationNames(pattern);
    },
    prepare: () => pattern.prepare(),
    openers: () => pattern.prepare(),
    graph: () => patternGraph(pattern),
    run: async (talk, place, { maxRounds: asked = maxRounds, ...opening }) => {
      const { pending: _, ...result }: GroupChatResult = await runPattern(talk, place, {
        ...opening,
        maxRounds: asked,
        prepared: pattern.prepare(),
      });
      return result;
    },
  };
}

function conversationNames(pattern: GroupPattern): readonly string[] {
  const { handoffs, afterWork } = pattern.prepare().group;
  const targets = [...(handoffs?.values() ?? [])].flatMap(
    ({ contextConditions, llmConditions, afterWorks }) =>
      [...contextConditions, ...llmConditions, ...afterWorks].map(({ target }) => target),
  );
  const all = afterWork === undefined ? targets : [...targets, afterWork];
  return [...new Set(all.flatMap(namedConversation))];
}

function namedConversation(target: TransitionTarget): readonly string[] {
  return target.kind === "groupChat" && target.conversation instanceof NamedConversation
    ? [target.conversation.name]
    : [];
}
