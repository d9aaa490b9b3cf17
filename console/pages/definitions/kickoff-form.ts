import type { Json, JsonSchema, TargetDetails, TargetKind } from "../../api-types.ts";
import { isObject, schemaOfNames } from "../../parts/form-fields.ts";

const MESSAGE: JsonSchema = { type: "string", title: "Message", minLength: 1, maxLength: 100_000 };

/** What a kickoff of this kind is asked for: inputs, or a message, or both. */
export function kickoffSchema(kind: TargetKind, target: TargetDetails): JsonSchema {
  const inputs = target.inputSchema ?? schemaOfNames(target.inputs ?? []);
  if (kind === "crew" || kind === "flow")
    return isObject(inputs["properties"]) ? inputs : { type: "object", properties: {} };
  const field = kind === "agent" ? "messages" : "message";
  const properties = isObject(inputs["properties"]) ? inputs["properties"] : {};
  const hasInputs = Object.keys(properties).length > 0;
  return {
    type: "object",
    properties: {
      [field]: MESSAGE,
      ...(hasInputs ? { inputs: { ...inputs, type: "object", title: "Inputs" } } : undefined),
    },
    required: [field, ...(hasInputs ? ["inputs"] : [])],
  };
}

type Options = { readonly id: string; readonly tags: string };

/** The body of the kickoff. */
export function kickoffBody(
  kind: TargetKind,
  value: Json,
  { id, tags }: Options,
): Readonly<Record<string, unknown>> {
  const list = tags.split(/\s+/).filter(Boolean);
  const more = {
    ...(id.trim() === "" ? undefined : { id: id.trim() }),
    ...(list.length === 0 ? undefined : { tags: list }),
  };
  return kind === "crew" || kind === "flow"
    ? { inputs: value, ...more }
    : { ...(value as object), ...more };
}
