import * as z from "zod";
import type { JsonObject } from "../base/json.ts";
import type { SubjectInfo } from "../parts/part.ts";
import { skillsOf, tagOf } from "../parts/subject-info.ts";
import type { ServedFlow } from "./served-flow.ts";
import type { StateSchema } from "./flow-state.ts";

/** Describes a flow to remote callers, as one skill. */
export function flowInfo({ definition, parts }: ServedFlow): SubjectInfo {
  const { name, description = `The flow ${name}` } = definition;
  return {
    description,
    inputSchema: inputSchemaOf(parts.schema),
    skills: skillsOf([{ name, description, tags: [tagOf(name)] }]),
  };
}

/**
 * Returns the schema of the state, whose fields are the inputs. A state JSON Schema cannot describe counts as one with
 * any fields.
 */
function inputSchemaOf(schema: StateSchema): JsonObject {
  const any = { type: "object", additionalProperties: true };
  if (schema === undefined) return any;
  try {
    const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: "input" });
    return shape.type === "object" ? (shape as JsonObject) : any;
  } catch {
    return any;
  }
}
