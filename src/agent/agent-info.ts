import type { SubjectInfo } from "../parts/part.ts";
import { placeholderSchema, skillsOf, tagOf, textInputSchema } from "../parts/subject-info.ts";
import type { Agent } from "./description/agent.ts";

/**
 * What callers of other makers are told of an agent: a skill for each tool, or one for its role. Its backstory is for its model
 * alone: cards are public.
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
