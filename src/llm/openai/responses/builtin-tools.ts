import type { Tool } from "openai/resources/responses/responses";
import type { JsonObject } from "../../../base/json.ts";
import { toJson } from "../../../base/recorded.ts";
import type { BuiltinTool, GeneratedImage } from "../../builtin-tools.ts";
import { isJson, textOf, type Fields } from "../../wire.ts";

/** The tools as a request names them; those of other providers are left out. */
export function passedTools(tools: readonly BuiltinTool[]): Tool[] {
  return tools.flatMap((tool) => {
    const wire = wireOf(tool);
    return wire === undefined ? [] : [toJson(wire) as unknown as Tool];
  });
}

function wireOf(tool: BuiltinTool): object | undefined {
  switch (tool.kind) {
    case "web_search": {
      const { allowedDomains, blockedDomains, userLocation, contextSize } = tool;
      const filters = { allowed_domains: allowedDomains, blocked_domains: blockedDomains };
      return {
        type: "web_search",
        ...(allowedDomains || blockedDomains ? { filters } : undefined),
        ...(userLocation && { user_location: { type: "approximate", ...userLocation } }),
        search_context_size: contextSize,
      };
    }
    case "code_execution":
      return { type: "code_interpreter", container: { type: "auto" } };
    case "file_search":
      return {
        type: "file_search",
        vector_store_ids: tool.vectorStoreIds,
        max_num_results: tool.maxResults,
      };
    case "image_generation": {
      const { size, quality, background, outputFormat } = tool;
      return { type: "image_generation", size, quality, background, output_format: outputFormat };
    }
    case "mcp":
      return {
        type: "mcp",
        server_label: tool.label,
        server_url: tool.url,
        authorization: tool.token,
        allowed_tools: tool.allowedTools,
        // Approvals by the provider have no person to answer them. A server with approvals is called by Edgecrew
        // itself.
        require_approval: "never",
      };
    default:
      return undefined;
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  jpeg: "image/jpeg",
  webp: "image/webp",
};

/** Returns the images made by the provider's tool. */
export function imagesIn(items: readonly Fields[]): readonly GeneratedImage[] {
  return items.flatMap(({ type, result, output_format: format }) => {
    if (type !== "image_generation_call" || typeof result !== "string") return [];
    return [{ data: result, mediaType: MEDIA_TYPES[textOf(format)] ?? "image/png" }];
  });
}

/** Returns an item for storage, without the bytes of an image, which are not recorded. */
export function withoutImage(item: Fields): JsonObject | undefined {
  const kept = item["type"] === "image_generation_call" ? { ...item, result: null } : item;
  return isJson(kept) ? kept : undefined;
}
