import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { InMemoryFileStore } from "../../../../../src/files/in-memory-file-store.ts";
import { mcpReader, mcpServer } from "../../../../../src/entry/mcp.ts";
import { scriptedAgent } from "../../../../support/crew-harness.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop, type Shop } from "../../../../support/mcp-shop.ts";

const SHOP = { url: "https://shop.example.com/mcp", name: "shop" };

function reading(call: readonly [string, Record<string, unknown>], settings: object) {
  const shop = openShop();
  const mcps = [mcpServer({ ...SHOP, ...settings }, { fetch: shop.fetch })];
  const { crew, model } = crewCalling([call], { mcps });
  return { shop, model, run: startMcpRun(crew, shop.underWay) };
}

describe("resources and prompts", () => {
  it.each([
    ["shop_list_resources", {}, "- shop://cup: cup, The cup"],
    ["shop_read_resource", { uri: "shop://cup" }, "[resource: shop://cup]\nA cup of clay."],
    ["shop_list_prompts", {}, "- greet(name): Greets a customer."],
    ["shop_get_prompt", { name: "greet", arguments: { name: "Ada" } }, "user: Greet Ada."],
  ])("are read by the tool %s when the settings allow it", async (tool, args, text) => {
    const { run } = reading([tool, args], { resources: true, prompts: true });
    const raw = await rawOf(run);
    expect(raw.startsWith("Final: Data from shop. It is content")).toBe(true);
    expect(raw.endsWith(`\n\n${text}`)).toBe(true);
  });

  it("have no tools otherwise", async () => {
    const { run, model } = reading(["shop_order", { article: "cup" }], {});
    await rawOf(run);
    const names = model.calls[0]?.request.tools?.map(({ name }) => name) ?? [];
    expect(names.filter((name) => /resource|prompt/.test(name))).toEqual([]);
  });

  it("report a missing document", async () => {
    const { run } = reading(["shop_read_resource", { uri: "shop://none" }], { resources: true });
    await rawOf(run);
    expect(run.of("tool_failure_detected")[0]).toMatchObject({ reason: "mcp_error" });
  });

  it("are read outside of runs", async () => {
    const shop = openShop();
    const reader = mcpReader(SHOP, { fetch: shop.fetch });
    expect(await reader.prompts()).toEqual([
      {
        name: "greet",
        description: "Greets a customer.",
        arguments: [{ name: "name", required: true }],
      },
    ]);
    expect(await reader.prompt("greet", { name: "Ada" })).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ada." } },
    ]);
    expect(await reader.resources()).toMatchObject([{ uri: "shop://cup", name: "cup" }]);
    expect(await reader.resource("shop://cup")).toMatchObject([{ text: "A cup of clay." }]);
    await expect(reader.resource("shop://none")).rejects.toThrow("MCP server shop");
  });
});

it("XF1: puts pictures into the run's workspace, when there is a file store (MC3)", async () => {
  const shop = openShop();
  const files = new InMemoryFileStore();
  const mcps = [mcpServer(SHOP, { fetch: shop.fetch })];
  const { crew } = crewCalling([["shop_picture", {}]], { mcps });
  const raw = await rawOf(startMcpRun(crew, shop.underWay, { files }));
  const [, path = ""] = /\[image image\/png: (mcp\/[0-9a-f]{16}\/2\.png)\]/.exec(raw) ?? [];
  const file = await files.get(`runs/run-1/${path}`);
  expect(file?.mediaType).toBe("image/png");
  expect(file?.content.slice(1, 4)).toEqual(new TextEncoder().encode("PNG"));
});

it("gives an agent without a crew its tools", async () => {
  const shop = openShop();
  const mcps = [mcpServer(SHOP, { fetch: shop.fetch })];
  const { agent } = scriptedAgent(
    ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? `Final: ${messages.at(-1)?.content}`
        : { toolCalls: [{ name: "shop_order", arguments: { article: "cup" } }] },
    { mcps },
  );
  expect((await agent.kickoff("Sell a cup")).raw).toContain("ordered cup");
});

it("makes the calls of one message at once, each on a connection of its own", async () => {
  const shop = openShop({ era: "legacy" });
  const mcps = [mcpServer(SHOP, { fetch: shop.fetch })];
  const { agent } = scriptedAgent(
    ({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool");
      if (results.length > 0) return results.map(({ content }) => content).join(", ");
      const call = (article: string) => ({ name: "shop_order", arguments: { article } });
      return { toolCalls: ["cup", "jug", "pot"].map(call) };
    },
    { mcps },
  );
  expect((await agent.kickoff("Sell")).raw).toMatch(/ordered cup.*ordered jug.*ordered pot/s);
  const starts = shop.requests.filter(({ body }) => body.method === "initialize");
  expect(starts).toHaveLength(4);
});

describe("over a socket", () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  const serve = (shop: Shop): Promise<string> =>
    new Promise((resolve) => {
      const answerTo = async (
        request: IncomingMessage,
        response: ServerResponse,
      ): Promise<void> => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const answer = await shop.fetch(`http://localhost${request.url}`, {
          method: request.method ?? "GET",
          headers: Object.entries(request.headers).map(
            ([k, v]) => [k, String(v)] as [string, string],
          ),
          ...(chunks.length === 0 ? undefined : { body: Buffer.concat(chunks) }),
        });
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      };
      server = createServer((request, response) => void answerTo(request, response)).listen(
        0,
        "127.0.0.1",
        () =>
          resolve(`http://127.0.0.1:${(server?.address() as AddressInfo | undefined)?.port}/mcp`),
      );
    });

  it.each(["modern", "legacy"] as const)(
    "uses a server of the %s era on this machine",
    async (era) => {
      const shop = openShop({ era });
      const url = await serve(shop);
      const { crew } = crewCalling([["shop_order", { article: "cup" }]], {
        mcps: [mcpServer({ url, name: "shop" })],
      });
      const { raw } = await crew.kickoff();
      expect(raw).toContain("ordered cup");
      expect(shop.calls).toEqual(['order {"article":"cup"}']);
    },
  );
});
