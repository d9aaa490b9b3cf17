import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { NamedTools, toolCatalog } from "../../../../src/tools/catalog/tool-catalog.ts";
import { catalogTool } from "../../../../src/tools/catalog/base/catalog-tool.ts";
import { isToolSource } from "../../../../src/tools/tool-source.ts";
import type { Tool } from "../../../../src/tools/tool.ts";
import * as z from "zod";

/** A catalogue with these tools of ours. */
function catalogueOf(...classNames: readonly string[]) {
  const entries = classNames.map(
    (className) =>
      catalogTool({
        className,
        displayName: className,
        group: "search",
        service: "Test",
        effectClass: "R",
        description: "Does it here.",
        input: () => z.object({ query: z.string() }),
        options: () => z.object({}),
        run: () => "ours",
      }).entry,
  );
  return new NamedTools(entries, {});
}

const make = (catalogue: NamedTools, name: string, options: JsonObject = {}) =>
  catalogue.make({ name, options, fromData: false, asksNobody: false });
const stored = (name: string, options: JsonObject) =>
  toolCatalog().make({ name, options, fromData: true, asksNobody: false });

describe("AG2's names of providers' tools", () => {
  it.each([
    ["WebSearchTool", "web_search", "web_search"],
    ["ag2.tools:WebSearchTool", "web_search", "web_search"],
    ["web_search_preview", "web_search", "web_search"],
    ["WebFetchTool", "web_read", "web_fetch"],
    ["CodeExecutionTool", "run_code", "code_execution"],
  ])("%s is passed on when the model has it, and %s elsewhere (AG6)", (name, ours, kind) => {
    const answer = make(catalogueOf(ours), name);
    expect(answer).toMatchObject({ tool: { name: ours, builtin: { kind } } });
    expect((answer as { readonly tool: Tool }).tool.onlyBuiltin).toBeUndefined();
    const alone = make(catalogueOf("other"), name);
    expect(alone).toMatchObject({ tool: { builtin: { kind }, onlyBuiltin: true } });
  });

  it("leave ours unchanged when the catalogue has their names (AG6)", () => {
    const answer = make(catalogueOf("web_search"), "web_search");
    expect((answer as { readonly tool: Tool }).tool.builtin).toBeUndefined();
  });

  it("take options in AG2's spelling, and report invalid ones", () => {
    const options = { max_uses: 2, allowed_domains: ["a.example"], search_context_size: "high" };
    expect(make(catalogueOf("web_search"), "WebSearchTool", options)).toMatchObject({
      tool: {
        builtin: { maxUses: 2, allowedDomains: ["a.example"], contextSize: "high" },
      },
    });
    for (const [name, wrong, message] of [
      ["WebSearchTool", { max_uses: 0 }, "WebSearchTool.maxUses"],
      ["WebSearchTool", { allowed_domains: ["a"], blocked_domains: ["b"] }, "got both"],
      ["FileSearchTool", {}, "FileSearchTool.vectorStoreIds"],
      ["MCPServerTool", {}, "MCPServerTool.serverUrl"],
    ] as const)
      expect(make(toolCatalog() as NamedTools, name, wrong as never)).toMatchObject({
        refused: expect.stringContaining(message),
      });
  });

  it.each(["GoogleMapsTool", "XSearchTool", "MemoryTool", "SkillsTool"])(
    "%s is refused with the alternative",
    (name) => {
      const message = new RegExp(`"${name}" is not available here: .*\\. (Use|Set|List) .*\\.$`);
      expect(make(toolCatalog() as NamedTools, name)).toEqual({
        refused: expect.stringMatching(message),
      });
    },
  );

  it("MST1: MCPServerTool of a stored definition holds no secret, and is never passed on", () => {
    const server = { server_url: "https://shop.example.com/mcp", server_label: "shop" };
    const catalogue = toolCatalog() as NamedTools;
    const written = { ...server, authorization_token: "written-out" };
    expect(stored("MCPServerTool", written)).toEqual({
      refused: expect.stringContaining("holds no secret"),
    });
    expect(make(catalogue, "MCPServerTool", written)).toMatchObject({ tool: { name: "shop" } });
    const answer = stored("MCPServerTool", server);
    const made = (answer as { readonly tool: unknown }).tool;
    expect(isToolSource(made)).toBe(true);
  });
});
