import type { SubjectInfo } from "../parts/part.ts";
import { placeholderSchema, skillsOf, tagOf, textInputSchema } from "../parts/subject-info.ts";
import type { Agent } from "./description/agent.ts";

/**
 * Describes an agent to remote callers: one skill per tool, or one for its role. Omits the backstory, because cards are
 * public.
 */
export function agentInfo({ role, goal, tools, placeholders }: Agent): SubjectInfo {
  const description = goal.trim() === "" ? role : goal;
  return {
    title: role,
    description,
    inputSchema: placeholderSchema(placeholders),
    takes: textInputSchema(placeholders),
    skills: skillsOf(
      tools.length === 0
        ? [{ name: role, description, tags: [tagOf(role)] }]
        : tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            tags: [tagOf(tool.name)],
          })),
    ),
  };
}
