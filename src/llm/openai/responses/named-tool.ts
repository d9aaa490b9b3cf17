import type { Tool } from "openai/resources/responses/responses";
import { EngineError } from "../../../base/error.ts";
import { preview, type JsonObject } from "../../../base/json.ts";

/** A built-in tool by its name, or as the API describes it. */
export function builtinTool(tool: string | JsonObject): Tool {
  if (typeof tool !== "string") {
    // `vectorStoreIds` and `vector_store_ids` are both right; the API knows the latter.
    const { vectorStoreIds, ...rest } = tool;
    const wire =
      vectorStoreIds === undefined ? rest : { ...rest, vector_store_ids: vectorStoreIds };
    if (typeof tool["type"] === "string") return wire as unknown as Tool;
  }
  switch (tool) {
    case "web_search":
      return { type: "web_search" };
    case "code_interpreter":
      return { type: "code_interpreter", container: { type: "auto" } };
    case "computer_use":
      return { type: "computer" };
    default:
      throw new EngineError(
        "invalid_definition",
        tool === "file_search"
          ? `builtinTools: file_search must name its stores: { type: "file_search", vectorStoreIds: ["vs_…"] }`
          : `builtinTools must be web_search, code_interpreter, computer_use, or an object with a type such as ` +
              `file_search; got ${preview(tool)}`,
      );
  }
}
