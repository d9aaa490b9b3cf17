import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { Tool } from "../../tools/tool.ts";

/** A tool as code can call it, in one line: `tools.search({ query: string; limit?: number }): Searches the web.` */
export function toolSignature({ safeName, parameters, description }: Tool): string {
  const [sentence = description] = description.split(/(?<=\.)\s|\n/, 1);
  return `tools.${safeName}(${typeText(parameters)}): ${sentence}`;
}

/** Writes a JSON Schema as a TypeScript type, without its details. */
function typeText(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return "unknown";
  const { type, properties, required, items, enum: choices } = schema;
  if (Array.isArray(choices)) return choices.map((each) => JSON.stringify(each)).join(" | ");
  if (isJsonObject(properties)) {
    const needed = Array.isArray(required) ? required : [];
    const fields = Object.entries(properties).map(
      ([name, field]) => `${name}${needed.includes(name) ? "" : "?"}: ${typeText(field)}`,
    );
    return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
  }
  if (type === "array") return `${typeText(items)}[]`;
  if (type === "integer") return "number";
  return typeof type === "string" ? type : "unknown";
}
