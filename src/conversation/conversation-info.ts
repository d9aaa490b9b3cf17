import type { SubjectInfo } from "../parts/part.ts";
import { skillsOf, tagOf } from "../parts/subject-info.ts";
import type { RunnableConversation } from "./runnable-conversation.ts";

/**
 * Returns the public description of a conversation for other systems. Cards are public, so the agents' system messages
 * stay out.
 */
export function conversationInfo({
  name,
  description: own,
  exchange,
}: RunnableConversation): SubjectInfo {
  const members = exchange.prepare().group.members.map((member) => member.name);
  const description = own ?? `A conversation of ${members.join(", ")}.`;
  return {
    title: name,
    description,
    inputSchema: {
      type: "object",
      properties: {
        contextVariables: {
          type: "object",
          description: "Initial variables that members share",
        },
        maxRounds: { type: "integer", minimum: 1, description: "Maximum messages" },
      },
      additionalProperties: true,
    },
    skills: skillsOf([{ name, description, tags: [tagOf(name)] }]),
  };
}
