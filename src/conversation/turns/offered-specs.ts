import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { ToolSpec } from "../../llm/language-model.ts";
import type { ToolBox } from "../../tools/tool-box.ts";

const described = new WeakMap<ToolBox, readonly ToolSpec[]>();

/** Describes tools to a model of a conversation: a parameter without a description is described by its name. */
export function offeredSpecs(box: ToolBox): readonly ToolSpec[] {
  let specs = described.get(box);
  if (specs === undefined) {
    specs = box.specs.map((spec) => ({ ...spec, parameters: withDescriptions(spec.parameters) }));
    described.set(box, specs);
  }
  return specs;
}

function withDescriptions(parameters: JsonObject): JsonObject {
  const { properties } = parameters;
  if (!isJsonObject(properties)) return parameters;
  const named = Object.entries(properties).map(([name, schema]) => [
    name,
    isJsonObject(schema) && schema["description"] === undefined
      ? { ...schema, description: name }
      : schema,
  ]);
  return { ...parameters, properties: Object.fromEntries(named) as JsonObject };
}
