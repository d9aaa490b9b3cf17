import type { SubjectInfo } from "../parts/part.ts";
import { skillsOf, tagOf } from "../parts/subject-info.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

/** What callers of other makers are told of a conversation. What agents are told is for their models alone: cards are public. */
export function conversationInfo({
  name,
  description: own,
  pattern,
}: RunnableConversation): SubjectInfo {
  const members = pattern.prepare().group.members.map((member) => member.name);
  const description = own ?? `A conversation of ${members.join(", ")}.`;
  return {
    title: name,
    description,
    inputSchema: {
      type: "object",
      properties: {
        contextVariables: {
          type: "object",
          description: "What its members share at the beginning",
        },
        maxRounds: { type: "integer", minimum: 1, description: "Messages at most" },
      },
      additionalProperties: true,
    },
    skills: skillsOf([{ name, description, tags: [tagOf(name)] }]),
  };
}
