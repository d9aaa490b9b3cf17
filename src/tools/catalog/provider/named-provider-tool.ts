import type { CatalogAnswer } from "../../tool-catalog.ts";
import { isToolSource } from "../../tool-source.ts";
import type { Tool } from "../../tool.ts";
import { mcpServerTool } from "./mcp-server-tool.ts";
import { PROVIDER_CLASSES, providerTool, type ProviderClass } from "./provider-tools.ts";

/** Names of classes. Our equivalents have other spellings: `web_search` is always ours. */
const CLASSES: Readonly<Record<string, ProviderClass | "MCPServerTool">> = {
  WebSearchTool: "WebSearchTool",
  web_search_preview: "WebSearchTool",
  WebFetchTool: "WebFetchTool",
  CodeExecutionTool: "CodeExecutionTool",
  FileSearchTool: "FileSearchTool",
  ImageGenerationTool: "ImageGenerationTool",
  MCPServerTool: "MCPServerTool",
};

/**
 * Returns the provider tool named in a definition, with its replacement at other providers: `find` makes a tool of the
 * catalogue by its name. Returns undefined for any other name. Fails with `invalid_definition` for invalid options.
 */
export function namedProviderTool(
  name: string,
  options: Readonly<Record<string, unknown>>,
  find: (name: string) => CatalogAnswer | undefined,
): CatalogAnswer | undefined {
  const spelled = name.split(/[:.]/).at(-1) ?? name;
  const className = Object.hasOwn(CLASSES, spelled) ? CLASSES[spelled] : undefined;
  if (className === undefined) return undefined;
  if (className === "MCPServerTool") return { tool: mcpServerTool(options), warnings: [] };
  const { fallback } = PROVIDER_CLASSES[className];
  const tool = providerTool(className, options, otherwise(find(fallback)));
  return { tool, warnings: [] };
}

function otherwise(answer: CatalogAnswer | undefined): Tool | undefined {
  if (answer === undefined || "refused" in answer || isToolSource(answer.tool)) return undefined;
  return answer.tool;
}
