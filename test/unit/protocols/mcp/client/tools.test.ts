import { describe, expect, it } from "vitest";
import * as z from "zod";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop, type ShopOptions } from "../../../../support/mcp-shop.ts";

const URL_OF = "https://api.example.com/mcp";

function shopping(
  calls: ReadonlyArray<readonly [string, Record<string, unknown>]>,
  { settings = {}, ...shopOptions }: ShopOptions & { readonly settings?: object } = {},
) {
  const shop = openShop(shopOptions);
  const source = mcpServer({ url: URL_OF, ...settings }, { fetch: shop.fetch });
  const { crew, model } = crewCalling(calls, { mcps: [source] });
  return { shop, model, run: startMcpRun(crew, shop.underWay) };
}

const offered = (model: ReturnType<typeof shopping>["model"]): string[] =>
  (model.calls[0]?.request.tools ?? []).map(({ name }) => name);

describe.each(["modern", "legacy"] as const)("a server of the %s era", (era) => {
  it("gives agents its tools, and carries out their calls", async () => {
    const { shop, model, run } = shopping([["api_example_com_mcp_order", { article: "cup" }]], {
      era,
    });
    expect(await rawOf(run)).toContain("ordered cup");
    expect(shop.calls).toEqual(['order {"article":"cup"}']);
    expect(offered(model)).toContain("api_example_com_mcp_search_docs");
    expect(run.of("mcp_connection_completed")[0]).toMatchObject({
      serverName: "api.example.com/mcp",
      serverUrl: URL_OF,
      era,
    });
    expect(run.of("mcp_tool_execution_completed")[0]).toMatchObject({
      toolName: "order",
      toolArgs: { article: "cup" },
      result: "ordered cup",
    });
  });
});

it("vector X9: names a tool by its server, and calls it by the server's own name", async () => {
  const shop = openShop({
    bare: true,
    add: (server) => {
      for (const name of ["Search Docs", "order"])
        server.registerTool(
          name,
          { description: "Searches.", inputSchema: z.object({ q: z.string() }) },
          ({ q }) => ({ content: [{ type: "text", text: `found ${q}` }] }),
        );
    },
  });
  const source = mcpServer(`${URL_OF}#Search Docs`, { fetch: shop.fetch });
  const { crew, model } = crewCalling([["api_example_com_mcp_search_docs", { q: "x" }]], {
    mcps: [source],
  });
  const run = startMcpRun(crew, shop.underWay);
  expect(await rawOf(run)).toContain("found x");
  expect(offered(model)).toContain("api_example_com_mcp_search_docs");
  expect(offered(model)).not.toContain("api_example_com_mcp_order");
  const sent = shop.requests.find(({ body }) => body.method === "tools/call");
  expect(sent?.body.params?.["name"]).toBe("Search Docs");
});

it("names tools by the server's name, when it has one (MC8)", async () => {
  const { model, run } = shopping([], { settings: { name: "gh", toolFilter: ["searchDocs"] } });
  await rawOf(run);
  expect(offered(model)).toEqual(["gh_search_docs"]);
});

it("vector X10: offers allowed tools, minus blocked ones", async () => {
  const toolFilter = { allow: ["order", "searchDocs"], block: ["search_docs"] };
  const { model, run } = shopping([], { settings: { toolFilter } });
  await rawOf(run);
  expect(offered(model)).toEqual(["api_example_com_mcp_order"]);
});

it("offers the tools a function accepts, which gets agent and server", async () => {
  const asked: unknown[] = [];
  const toolFilter = (tool: { name: string; readOnly: boolean }, context: unknown): boolean => {
    asked.push([tool.name, context]);
    return tool.readOnly;
  };
  const { model, run } = shopping([], { settings: { toolFilter } });
  await rawOf(run);
  expect(offered(model)).toEqual(["api_example_com_mcp_search_docs"]);
  expect(asked[0]).toEqual([
    "search_docs",
    { agent: "Researcher", serverName: "api_example_com_mcp" },
  ]);
});

it("vector X11: sends no nulls and no empty values in optional fields", async () => {
  const args = { q: "x", f: null, o: {}, l: [] };
  const { shop, run } = shopping([["api_example_com_mcp_search_docs", args]]);
  await rawOf(run);
  expect(shop.calls).toEqual(['searchDocs {"q":"x"}']);
});

it("sends an empty list in a required field only (MC2)", async () => {
  const { shop, run } = shopping([["shop_mark", { list: [], extra: [] }]], {
    settings: { name: "shop" },
    add: (server) => {
      server.registerTool(
        "mark",
        {
          description: "Marks.",
          inputSchema: z.object({
            list: z.array(z.string()),
            extra: z.array(z.string()).optional(),
          }),
        },
        (input) => {
          marked.push(input);
          return { content: [] };
        },
      );
    },
  });
  const marked: unknown[] = [];
  await rawOf(run);
  expect(shop.requests.some(({ body }) => body.method === "tools/call")).toBe(true);
  expect(marked).toEqual([{ list: [] }]);
});

it("gives all parts of a result (MC3)", async () => {
  const { run } = shopping([["shop_picture", {}]], { settings: { name: "shop" } });
  const raw = await rawOf(run);
  expect(raw).toContain("The first text.\n\n[image image/png, 70 bytes]\n\n");
  expect(raw).toContain("[resource: The cup] shop://cup\n\n[resource: shop://note]\nA note.");
  expect(raw).toContain('The second text.\n\n{"price":12}');
});

it("reports a tool's error, and does not call it again", async () => {
  const { shop, run } = shopping([["shop_broken", {}]], { settings: { name: "shop" } });
  expect(await rawOf(run)).toContain("no cups left");
  expect(shop.calls).toEqual(["broken {}"]);
  expect(run.of("tool_failure_detected")[0]).toMatchObject({ reason: "mcp_error" });
  expect(run.of("mcp_tool_execution_failed")[0]).toMatchObject({ errorType: "tool_error" });
});

it("writes sources in the vendor's form only with the setting", async () => {
  const add: ShopOptions["add"] = (server) =>
    server.registerTool(
      "find",
      { description: "Finds.", inputSchema: z.object({ sources: z.array(z.unknown()) }) },
      ({ sources }) => ({ content: [{ type: "text", text: JSON.stringify(sources) }] }),
    );
  const call = [["shop_find", { sources: ["web"] }]] as const;
  const plain = shopping(call, { add, settings: { name: "shop" } });
  expect(await rawOf(plain.run)).toContain('["web"]');
  const quirk = shopping(call, { add, settings: { name: "shop", vendor_quirks: true } });
  expect(await rawOf(quirk.run)).toContain('[{"type":"web"}]');
});
