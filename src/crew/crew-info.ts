import { outputShape } from "../agent/loop/structured-output.ts";
import { cut } from "../base/cut.ts";
import type { JsonObject } from "../base/json.ts";
import type { SubjectInfo } from "../parts/part.ts";
import { placeholderSchema, skillsOf, tagOf, textInputSchema } from "../parts/subject-info.ts";
import type { Crew } from "./crew.ts";

/** Maximum length of a description in place of a name. */
const MAX_NAME_LENGTH = 50;

/** JSON Schema of the inputs of a crew: its own, or else one of its texts' placeholders. */
export function crewInputSchema(crew: Crew): JsonObject {
  const { inputSchema, placeholders, requiredInputs, options } = crew;
  return (
    inputSchema ??
    textInputSchema(placeholders, { required: requiredInputs, defaults: options.inputs ?? {} })
  );
}

/** Describes a crew to remote callers: one skill per task. */
export function crewInfo(crew: Crew): SubjectInfo {
  const { agents, tasks, requiredInputs, inputSchema, manager } = crew;
  const roles = agents.map(({ role }) => role).join(", ");
  const output = tasks.at(-1)?.output;
  return {
    description: `A crew of ${agents.length} ${agents.length === 1 ? "agent" : "agents"}: ${roles}`,
    inputSchema: inputSchema ?? placeholderSchema(requiredInputs),
    takes: crewInputSchema(crew),
    ...(output === undefined ? undefined : { outputSchema: outputShape(output).schema }),
    skills: skillsOf(
      tasks.map(({ name, description, expectedOutput, agent }) => ({
        name: name ?? cut(description, MAX_NAME_LENGTH),
        description,
        tags: [tagOf((agent ?? manager)?.role ?? crew.name)],
        examples: [expectedOutput],
      })),
    ),
  };
}
