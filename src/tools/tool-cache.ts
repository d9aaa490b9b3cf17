import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Tool } from "./tool.ts";

/** Results of tool calls that may be used again for equal input, shared by the agents of one crew run. */
export class ToolCache {
  /** Of each tool, by input. Two tools of one name are two tools. */
  readonly #results = new Map<Tool, Map<string, string>>();

  read(tool: Tool, input: JsonObject): string | undefined {
    return this.#results.get(tool)?.get(inputKey(input));
  }

  /** Keeps a result, unless the tool says no. */
  write(tool: Tool, input: JsonObject, result: string): void {
    if (!tool.cache(input, result)) return;
    const results = this.#results.get(tool) ?? new Map<string, string>();
    this.#results.set(tool, results.set(inputKey(input), result));
  }
}

function inputKey(input: JsonObject): string {
  return JSON.stringify(sorted(input));
}

/** Equal input gives equal text, whatever the order in which a model wrote its fields. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
