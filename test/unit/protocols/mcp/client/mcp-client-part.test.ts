import { describe, expect, it } from "vitest";
import {
  mcpClient,
  mcpServer,
  mcpService,
  MCPServerHTTP,
  MCPServerSSE,
  MCPServerStdio,
} from "../../../../../src/entry/mcp.ts";
import { Agent } from "../../../../../src/agent/description/agent.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../../../src/crew/definition/crew-definition.ts";
import { openServices } from "../../../../../src/parts/services.ts";
import type { McpClientOptions } from "../../../../../src/entry/mcp.ts";
import type { Script } from "../../../../../src/llm/scripted/scripted-model.ts";
import { HttpWorld, type HttpWorldOptions } from "../../../../support/http-app.ts";
import { crewCalling, quiet, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop, type Shop } from "../../../../support/mcp-shop.ts";
import { sqliteD1 } from "../../../../support/sqlite-d1.ts";

const URL_OF = "https://shop.example.com/mcp";

function servicesOf(shop: Shop, options: McpClientOptions = {}, allowPrivate = false) {
  const part = mcpClient({ fetch: shop.fetch, ...options });
  return openServices([part], {
    tenant: "acme",
    env: { DB: sqliteD1() },
    environment: { variables: { SHOP_KEY: "the-key-of-the-shop" } },
    outbound: { allowPrivate },
  });
}

function started(
  mcps: ReadonlyArray<string | Record<string, unknown>>,
  calls: ReadonlyArray<readonly [string, Record<string, unknown>]>,
  options: McpClientOptions = {},
) {
  const shop = openShop();
  const { crew, model } = crewCalling(calls, { mcps });
  return { shop, model, run: startMcpRun(crew, shop.underWay, servicesOf(shop, options)) };
}

describe("mcps by name", () => {
  it("connects to addresses, to settings in either spelling, and to names of the catalog", async () => {
    for (const mcps of [
      [URL_OF],
      [{ url: URL_OF, tool_filter: { allowed_tool_names: ["order"] } }],
      ["shop#order"],
      ["crewai-amp:shop"],
    ]) {
      const isNamed = typeof mcps[0] === "string" && !mcps[0].startsWith("https:");
      const tool = isNamed ? "shop_order" : "shop_example_com_mcp_order";
      const catalog = { shop: { url: URL_OF, name: "shop" } };
      const { run } = started(mcps, [[tool, { article: "cup" }]], { catalog });
      expect(await rawOf(run)).toContain("ordered cup");
    }
  });

  it("reports an unknown server, and goes on with the others", async () => {
    const { run, model } = started(["notion", URL_OF, "slack#post"], []);
    await rawOf(run);
    expect(run.of("mcp_config_fetch_failed").map((event) => ({ ...event }))).toMatchObject([
      { slug: "notion", errorType: "not_connected" },
      { slug: "slack", errorType: "not_connected" },
    ]);
    expect(model.calls[0]?.request.tools?.length).toBeGreaterThan(3);
  });

  it("connects to them in this process, with the service", async () => {
    const shop = openShop();
    const catalog = { shop: { url: URL_OF, name: "shop" } };
    const { crew } = crewCalling([["shop_order", { article: "cup" }]], { mcps: ["shop"] });
    const services = { mcp: mcpService({ catalog, fetch: shop.fetch }) };
    expect(await rawOf(startMcpRun(crew, shop.underWay, services))).toContain("ordered cup");
    const inside = crewCalling([], { mcps: ["https://10.0.0.1/mcp"] });
    const ended = await startMcpRun(inside.crew, shop.underWay, services).settle();
    expect(ended.status).toBe("failed");
  });

  it("goes on without an unreachable server when the part makes it optional", async () => {
    const shop = openShop({ before: () => new Response("down", { status: 404 }) });
    const { crew } = crewCalling([], { mcps: [URL_OF] });
    const run = startMcpRun(crew, shop.underWay, servicesOf(shop, { optional: true }));
    expect(await rawOf(run)).toBe("Final: nothing");
  });

  it("XL2: asks a server once when two agents' references need the same list", async () => {
    const { run, shop } = started(["shop#order", "shop#reserve"], [], {
      catalog: { shop: URL_OF },
    });
    await rawOf(run);
    expect(shop.requests.filter(({ body }) => body.method === "tools/list")).toHaveLength(1);
  });

  it("XL1: keeps one list for each tenant (MC1)", async () => {
    const shop = openShop();
    const part = mcpClient({ fetch: shop.fetch });
    for (const tenant of ["acme", "acme", "other"]) {
      const place = { env: { DB: sqliteD1() }, environment: { variables: {} }, outbound: {} };
      const services = openServices([part], { tenant, ...place });
      const { crew } = crewCalling([], { mcps: [URL_OF] });
      await rawOf(startMcpRun(crew, shop.underWay, services));
    }
    expect(shop.requests.filter(({ body }) => body.method === "tools/list")).toHaveLength(2);
  });

  it.each(["https://10.0.0.1/mcp", "https://localhost/mcp", "https://metadata.internal/mcp"])(
    "XG1: sends no request to %s",
    async (url) => {
      const { run, shop } = started([url], []);
      expect((await run.settle()).status).toBe("failed");
      expect(shop.requests).toEqual([]);
    },
  );
});

describe("a server in a local process", () => {
  const stdio = { command: "npx", args: ["-y", "server"] };

  it("is refused with the alternative, in every place (MC7)", () => {
    expect(() => MCPServerStdio(stdio)).toThrow(/MCPServerStdio.*MCPServerHTTP/s);
    expect(() => mcpServer(stdio)).toThrow("https://…");
    const role = { role: "Clerk", goal: "Help", backstory: "Calm" };
    expect(() => new Agent({ ...role, mcps: [stdio] })).toThrow(/mcps\[0\].*url: "https:/s);
    const definition = {
      agents: { clerk: { ...role, mcps: [stdio] } },
      tasks: [{ description: "Do", expectedOutput: "It", agent: "clerk" }],
    };
    expect(() => crewFromDefinition(readCrewDefinition(definition))).toThrow("starts no processes");
  });
});

describe("settings", () => {
  it("are read in upstream's forms", async () => {
    const shop = openShop();
    for (const source of [
      MCPServerHTTP(
        { url: URL_OF, streamable: true, cache_tools_list: true },
        { fetch: shop.fetch },
      ),
      mcpServer(
        { url: URL_OF, transport: "streamable-http", headers: null },
        { fetch: shop.fetch },
      ),
    ]) {
      const { crew } = crewCalling([["shop_example_com_mcp_order", { article: "cup" }]], {
        mcps: [source],
      });
      expect(await rawOf(startMcpRun(crew, shop.underWay))).toContain("ordered cup");
    }
    expect(MCPServerSSE({ url: URL_OF }).name).toBe("shop.example.com/mcp");
  });

  it.each([
    [{}, "url: expected"],
    [{ url: "ftp://a.example.com" }, "url: expected"],
    [{ url: URL_OF, colour: "red" }, "colour: is not a known field"],
    [{ url: "https://user:pass@shop.example.com" }, "user name or password"],
    [{ url: URL_OF, maxRetries: -1 }, "maxRetries"],
    [{ url: URL_OF, headers: { "a b": "c" } }, "headers"],
    [{ url: URL_OF, auth: { oauth: { clientId: "a" } } }, "auth"],
  ])("are refused as %j", (options, message) => {
    expect(() => mcpServer(options as never)).toThrow(message);
  });

  it("ask a person before calls when they say so", async () => {
    for (const [needsApproval, name, asks] of [
      [true, "searchDocs", true],
      ["destructive", "order", true],
      ["destructive", "reserve", false],
      ["destructive", "searchDocs", false],
      [["order"], "order", true],
      [["order"], "reserve", false],
    ] as const) {
      const shop = openShop();
      const settings = { url: URL_OF, name: "shop", needs_approval: needsApproval };
      const tool = name === "searchDocs" ? "shop_search_docs" : `shop_${name}`;
      const args = name === "searchDocs" ? { q: "x" } : { article: "cup" };
      const { crew } = crewCalling([[tool, args]], {
        mcps: [mcpServer(settings, { fetch: shop.fetch })],
      });
      const { status } = await startMcpRun(crew, shop.underWay).settle();
      expect([needsApproval, name, status]).toEqual([
        needsApproval,
        name,
        asks ? "waiting" : "completed",
      ]);
      expect(shop.calls).toHaveLength(asks ? 0 : 1);
    }
  });
});

const clerk = { role: "Clerk", goal: "Help", backstory: "Calm" };
const definitionWith = (...mcps: unknown[]) => ({
  agents: { clerk: { ...clerk, mcps } },
  tasks: [{ name: "sell", description: "Sell", expectedOutput: "It", agent: "clerk" }],
});

const SELLING: Script = ({ messages }) => {
  const said = messages.at(-1);
  if (said?.role === "tool") return `Final: ${said.content}`;
  return { toolCalls: [{ name: "shop_example_com_mcp_order", arguments: { article: "cup" } }] };
};

const SEALING = {
  outbound: {},
  seal: async (key: string, owner: string) => `sealed:${btoa(`${owner}|${key}`)}`,
  open: async (sealed: string) => atob(sealed.slice("sealed:".length)).split("|")[1] ?? "",
};

function stored(options: McpClientOptions = {}, world: HttpWorldOptions = {}) {
  const shop = openShop();
  const part = mcpClient({ fetch: shop.fetch, ...options });
  return {
    shop,
    world: new HttpWorld({ script: SELLING, parts: [part], definitionRules: SEALING, ...world }),
  };
}

describe("stored crews", () => {
  it("DP4: run without the tools when the deployment has no client, and say so at PUT", async () => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/crews/sales", {
      method: "PUT",
      json: definitionWith(URL_OF),
    });
    expect([status, json["warnings"]]).toEqual([
      201,
      [{ path: "/agents/clerk/mcps", message: expect.stringContaining("mcpClient()") }],
    ]);
  });

  it("DP4: have the same rules for the servers of the crew and of tasks", async () => {
    const servers = (mcps: readonly unknown[]) => {
      const plain = definitionWith();
      return { ...plain, mcps, tasks: plain.tasks.map((task) => ({ ...task, mcps })) };
    };
    const put = (world: HttpWorld, mcps: readonly unknown[]) =>
      world.ask("/crews/sales", { method: "PUT", json: servers(mcps) });
    const without = await put(new HttpWorld(), [URL_OF]);
    const paths = ({ json }: typeof without, field: string) =>
      (json[field] as unknown as ReadonlyArray<{ path: string }>).map(({ path }) => path);
    expect(paths(without, "warnings")).toEqual(["/mcps", "/tasks/0/mcps"]);
    const { world } = stored();
    const refused = await put(world, [{ url: "https://10.0.0.1/mcp", colour: "red" }]);
    expect([refused.status, paths(refused, "errors")]).toEqual([
      400,
      ["/mcps/0", "/tasks/0/mcps/0"],
    ]);
    const secret = { url: URL_OF, headers: { authorization: "Bearer of-the-customer-1234" } };
    expect((await put(world, [secret])).status).toBe(201);
    expect((await world.ask("/crews/sales")).text).not.toContain("of-the-customer");
  });

  it("use the tools, with hidden headers", async () => {
    const { shop, world } = stored();
    const secret = "Bearer of-the-customer-1234";
    const server = { url: URL_OF, headers: { authorization: secret } };
    const put = await world.ask("/crews/sales", { method: "PUT", json: definitionWith(server) });
    expect([put.status, put.json["warnings"]]).toEqual([201, undefined]);
    expect(put.text).not.toContain("of-the-customer");
    const shown = await world.ask("/crews/sales");
    expect(shown.text).toContain(URL_OF);
    expect(shown.text).not.toContain("of-the-customer");
    expect(shown.text).not.toContain("sealed:");
    const id = await world.kickoff("sales", { inputs: {} });
    await quiet(world.clock, shop.underWay);
    const run = await world.ask(`/runs/${id}`);
    expect(run.json).toMatchObject({ status: "completed" });
    expect((run.json["output"] as unknown as { readonly raw: string }).raw).toContain(
      "ordered cup",
    );
    const sent = new Set(shop.requests.map(({ headers }) => headers.get("authorization")));
    expect(sent).toEqual(new Set([secret]));
    for (const path of [`/runs/${id}/events`, `/runs/${id}/journal?values=1`, `/runs/${id}`])
      expect((await world.ask(path)).text).not.toContain("of-the-customer");
  });

  it.each([
    [{ command: "npx" }, "starts no processes"],
    [{ url: "http://shop.example.com/mcp" }, "https://"],
    [{ url: URL_OF, auth: { token: { secret: "OTHER" } } }, "does not list"],
    [{ url: URL_OF, headers: { a: { env: "OTHER" } } }, "does not list"],
    [
      { url: "https://evil.example.com/mcp", headers: { a: { secret: "SHOP_KEY" } } },
      "goes only to",
    ],
    [{ url: URL_OF, headers: { a: { sealed: "x", owner: "y" } } }, "expected a text"],
    [{ url: URL_OF, colour: "red" }, "colour"],
  ])("DP4, DK2: are refused with the server %j", async (server, message) => {
    const { world } = stored({ secrets: { SHOP_KEY: ["shop.example.com"] } });
    const { status, text } = await world.ask("/crews/sales", {
      method: "PUT",
      json: definitionWith(server),
    });
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  it("DP4: are warned of a key in an address, which readers see", async () => {
    const { world } = stored();
    const json = definitionWith("https://shop.example.com/mcp?api_key=abc", { url: URL_OF });
    const put = await world.ask("/crews/sales", { method: "PUT", json });
    expect(put.json["warnings"]).toEqual([
      { path: "/agents/clerk/mcps/0", message: expect.stringContaining("api_key in the address") },
    ]);
  });

  it("DK3: show the name of a secret, and never the key of OAuth", async () => {
    const { world } = stored({ secrets: { SHOP_KEY: ["shop.example.com"] } });
    const servers = [
      { url: URL_OF, headers: { "x-key": { secret: "SHOP_KEY" } } },
      { url: URL_OF, headers: { "x-other": { env: "SHOP_KEY" } } },
      { url: URL_OF, auth: { oauth: { client_id: "crew", client_secret: "of-the-crew-123" } } },
    ];
    const put = { method: "PUT", json: definitionWith(...servers) };
    expect((await world.ask("/crews/sales", put)).status).toBe(201);
    const { text } = await world.ask("/crews/sales");
    expect(text).toContain('"x-key":{"secret":"SHOP_KEY"}');
    expect(text).toContain('"x-other":{"env":"SHOP_KEY"}');
    expect(text).not.toContain("of-the-crew");
  });
});
