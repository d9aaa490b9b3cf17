import { describe, expect, it } from "vitest";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../../../src/crew/definition/crew-definition.ts";
import { Agent } from "../../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../../src/crew/crew.ts";
import { Task } from "../../../../../src/crew/tasks/task.ts";
import { MCPServerAdapter, mcpClient, mcpService } from "../../../../../src/entry/mcp.ts";
import { scriptedModel, type Script } from "../../../../../src/llm/scripted/scripted-model.ts";
import { mcpServerAdapter } from "../../../../../src/tools/catalog/mcp/index.ts";
import { toolCatalog } from "../../../../../src/tools/catalog/tool-catalog.ts";
import { HttpWorld } from "../../../../support/http-app.ts";
import { crewCalling, quiet, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop } from "../../../../support/mcp-shop.ts";

const URL_OF = "https://shop.example.com/mcp";
const KEY = "the-key-of-the-shop";

/** The same crew, with a model for its agent. */
function withModel(crew: Crew, script: Script): Crew {
  const [agent, task] = [crew.agents[0], crew.tasks[0]];
  if (agent === undefined || task === undefined)
    throw new Error("the crew has no agent or no task");
  const { role, goal, backstory, tools, mcps } = agent;
  const { description, expectedOutput } = task;
  const own = new Agent({ role, goal, backstory, tools, mcps, llm: scriptedModel(script) });
  return new Crew({ tasks: [new Task({ description, expectedOutput, agent: own })] });
}

const offered = (model: ReturnType<typeof crewCalling>["model"]): readonly string[] =>
  (model.calls[0]?.request.tools ?? []).map(({ name }) => name);

describe("MCPServerAdapter in code", () => {
  it.each([
    ["settings", { url: URL_OF, transport: "streamable-http", connect_timeout: 5 }],
    ["an address", URL_OF],
    ["a list", [{ url: URL_OF }]],
  ])("is an entry of tools, with a filter by names: %s", async (_, params) => {
    const shop = openShop();
    const tools = [MCPServerAdapter(params, ["order"], { fetch: shop.fetch })];
    const call = ["shop_example_com_mcp_order", { article: "cup" }] as const;
    const { crew, model } = crewCalling([call], { tools });
    expect(await rawOf(startMcpRun(crew, shop.underWay))).toContain("ordered cup");
    expect(offered(model)).toEqual(["shop_example_com_mcp_order"]);
  });

  it("stands for several servers", async () => {
    const shop = openShop();
    const params = ["a", "b"].map((name) => ({ url: `https://${name}.example.com/mcp`, name }));
    const tools = [MCPServerAdapter(params, ["order"], { fetch: shop.fetch })];
    const { crew, model } = crewCalling([["b_order", { article: "cup" }]], { tools });
    const run = startMcpRun(crew, shop.underWay);
    expect(await rawOf(run)).toContain("ordered cup");
    expect(offered(model)).toEqual(["a_order", "b_order"]);
    expect(shop.requests.map(({ url }) => new URL(url).host).at(-1)).toBe("b.example.com");
  });

  it("refuses a local process (MC7)", () => {
    expect(() => MCPServerAdapter({ command: "npx" })).toThrow("MCPServerStdio");
  });
});

describe("MCPServerAdapter in definitions", () => {
  const definition = (...tools: readonly unknown[]) => ({
    agents: { clerk: { role: "Clerk", goal: "Sell", backstory: "Calm.", tools } },
    tasks: [{ name: "sell", description: "Sell", expectedOutput: "It", agent: "clerk" }],
  });
  const registry = { catalogs: [toolCatalog()] };

  it.each([
    [{ tool: "MCPServerAdapter", serverparams: { url: URL_OF }, tool_names: ["order"] }],
    [
      {
        tool_type: "crewai_tools:MCPServerAdapter",
        server_params: [{ url: URL_OF }],
        toolNames: ["order"],
      },
    ],
    [{ tool: "mcp_server_adapter", url: URL_OF, tool_filter: ["order"], connect_timeout: 5 }],
  ])("MSA1: is found by its name, with its settings: %j", async (entry) => {
    const shop = openShop();
    const crew = crewFromDefinition(readCrewDefinition(definition(entry)), registry);
    const services = { mcp: mcpService({ fetch: shop.fetch }) };
    const script: Script = ({ tools = [] }) => tools.map(({ name }) => name).join();
    const run = startMcpRun(withModel(crew, script), shop.underWay, services);
    expect(await rawOf(run)).toBe("shop_example_com_mcp_order");
  });

  it("MSA1: names the missing client before the first model call", async () => {
    const crew = crewFromDefinition(
      readCrewDefinition(definition({ tool: "MCPServerAdapter", url: URL_OF })),
      registry,
    );
    const ended = await startMcpRun(
      withModel(crew, () => "x"),
      () => 0,
    ).settle();
    expect(ended.error).toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining("mcpClient() of edgecrew/mcp"),
    });
  });

  it.each([
    [{ tool: "MCPServerAdapter" }, "url: expected"],
    [{ tool: "MCPServerAdapter", serverparams: "x" }, "expected settings"],
    [{ tool: "MCPServerAdapter", serverparams: [] }, "expected a server"],
    [{ tool: "MCPServerAdapter", serverparams: { command: "npx" } }, "starts no processes"],
    [{ tool: "MCPServerAdapter", url: URL_OF, colour: "red" }, "colour"],
    ["MCPServerStdio", "start no processes"],
  ])("are refused as %j", (entry, message) => {
    expect(() => crewFromDefinition(readCrewDefinition(definition(entry)), registry)).toThrow(
      message,
    );
  });

  it("is for tasks, too, and holds for the value of code", () => {
    const { tasks, ...rest } = definition();
    const entry = { tool: "MCPServerAdapter", url: URL_OF };
    const crew = crewFromDefinition(
      readCrewDefinition({ ...rest, tasks: tasks.map((task) => ({ ...task, tools: [entry] })) }),
      registry,
    );
    expect(crew.tasks[0]?.mcps).toHaveLength(1);
    expect(mcpServerAdapter({ serverparams: { url: URL_OF } }).name).toBe("shop.example.com/mcp");
  });

  /** A world whose stored crews may use the adapter. */
  function stored(...allow: readonly string[]) {
    const shop = openShop();
    const world = new HttpWorld({
      script: () => "done",
      catalogs: [toolCatalog({ allow })],
      parts: [mcpClient({ fetch: shop.fetch, secrets: { SHOP_KEY: ["shop.example.com"] } })],
      placeVariables: { SHOP_KEY: KEY, OTHER: "another-key" },
    });
    const put = (settings: object) =>
      world.ask("/crews/sales", {
        method: "PUT",
        json: definition({ tool: "MCPServerAdapter", ...settings }),
      });
    return { shop, world, put };
  }

  it.each([
    [{ url: URL_OF, headers: { authorization: "Bearer written-out" } }],
    [{ serverparams: { url: URL_OF, auth: { token: "written-out" } } }],
  ])("MSA2: %j is refused in a stored definition without a way to seal it", async (settings) => {
    const { put } = stored("MCPServerAdapter");
    const { status, text } = await put(settings);
    expect([status, text.includes("holds no secret")]).toEqual([400, true]);
    expect(text).not.toContain("written-out");
  });

  it.each([
    [{ url: URL_OF, headers: { a: { env: "OTHER" } } }],
    [{ url: "https://10.0.0.1/mcp" }],
    [{ serverparams: { url: "http://shop.example.com/mcp" } }],
  ])("MSA2: %j of a stored definition leads to no request", async (settings) => {
    const { shop, world, put } = stored("MCPServerAdapter");
    expect((await put(settings)).status).toBe(201);
    const id = await world.kickoff("sales", { inputs: {} });
    await quiet(world.clock, shop.underWay);
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("failed");
    expect(shop.requests).toEqual([]);
    expect(world.model.calls).toEqual([]);
  });

  it("MSA2: a stored definition sends a listed secret to its host, when the catalogue allows the adapter", async () => {
    const settings = {
      serverparams: { url: URL_OF, headers: { "X-Shop-Key": { env: "SHOP_KEY" } } },
    };
    const refused = await stored().put(settings);
    expect([refused.status, refused.text.includes("toolCatalog({ allow")]).toEqual([400, true]);
    const { shop, world, put } = stored("MCPServerAdapter");
    expect((await put(settings)).status).toBe(201);
    const id = await world.kickoff("sales", { inputs: {} });
    await quiet(world.clock, shop.underWay);
    expect((await world.ask(`/runs/${id}`)).json).toMatchObject({ status: "completed" });
    const sent = new Set(shop.requests.map(({ headers }) => headers.get("x-shop-key")));
    expect(sent).toEqual(new Set([KEY]));
    for (const path of [`/crews/sales`, `/runs/${id}`, `/runs/${id}/events`])
      expect((await world.ask(path)).text).not.toContain(KEY);
  });
});
