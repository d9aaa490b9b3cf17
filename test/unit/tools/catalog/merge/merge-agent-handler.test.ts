import { describe, expect, it } from "vitest";
import { mcpService } from "../../../../../src/entry/mcp.ts";
import { mergeAgentHandler } from "../../../../../src/tools/catalog/merge/index.ts";
import { crewCalling, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop } from "../../../../support/mcp-shop.ts";

const PACK = { toolPackId: "pack/1", registeredUserId: "user 2" };
const KEY = "merge-key-0123456789";

function handling(options: object, variables: Record<string, string>) {
  const shop = openShop();
  const tools = [mergeAgentHandler({ ...PACK, ...options })];
  const { crew, model } = crewCalling([["merge_order", { article: "cup" }]], { tools });
  const services = { variables, mcp: mcpService({ fetch: shop.fetch }) };
  return { shop, model, run: startMcpRun(crew, shop.underWay, services) };
}

describe("MergeAgentHandlerTool", () => {
  it("is the MCP server of a pack and a user, with the key as the bearer, and a person approves", async () => {
    const { shop, model, run } = handling({ tool_name: "order" }, { AGENT_HANDLER_API_KEY: KEY });
    const { status, waits } = await run.settle();
    expect([status, waits[0]?.prompt]).toEqual(["waiting", expect.stringContaining("merge_order")]);
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["merge_order"]);
    await run.handle.resume({ approve: true });
    expect((await run.settle()).status).toBe("completed");
    expect(shop.calls).toEqual(['order {"article":"cup"}']);
    const [request] = shop.requests;
    expect(request?.url).toBe(
      "https://ah-api.merge.dev/api/v1/tool-packs/pack%2F1/registered-users/user%202/mcp",
    );
    expect(request?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(run.events)).not.toContain(KEY);
  });

  it.each([
    [{ apiKey: KEY }, {}],
    [{ api_key: { env: "OTHER_KEY" } }, { OTHER_KEY: KEY }],
  ])("takes its key from an option: %j", async (options, variables) => {
    const { shop, run } = handling({ ...options, needsApproval: false }, variables);
    expect((await run.settle()).status).toBe("completed");
    expect(shop.requests[0]?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  });

  it("ends the run before a model is asked when the key is missing", async () => {
    const { shop, model, run } = handling({}, {});
    expect((await run.settle()).error?.message).toContain("AGENT_HANDLER_API_KEY is not set");
    expect([shop.requests, model.calls]).toEqual([[], []]);
  });

  it.each([
    [{ toolPackId: "" }, "toolPackId"],
    [{ baseUrl: "http://a.example" }, "baseUrl"],
  ])("refuses %j", (options, field) => {
    expect(() => mergeAgentHandler({ ...PACK, ...options })).toThrow(field);
  });
});
