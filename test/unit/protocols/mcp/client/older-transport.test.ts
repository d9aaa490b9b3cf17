import { describe, expect, it } from "vitest";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop } from "../../../../support/mcp-shop.ts";

const SHOP = { url: "https://shop.example.com/sse", name: "shop" };

/** A server of the first revision: a stream of events, and an address for messages that the stream names. */
function sseShop(endpoint = "/messages") {
  const shop = openShop({ era: "legacy" });
  let open = 0;
  let push: ((text: string) => void) | undefined;
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { href, pathname } = new URL(request.url);
    asked.push(`${request.method} ${href}`);
    if (pathname === "/sse" && request.method === "GET") {
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          push = (text) => controller.enqueue(encoder.encode(text));
          push(`event: endpoint\ndata: ${endpoint}\n\n`);
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    if (pathname === "/sse") return new Response(null, { status: 405 });
    open += 1;
    const answer = await shop.fetch("https://shop.example.com/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: await request.text(),
    });
    const text = await answer.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    if (data !== "") push?.(`event: message\ndata: ${data}\n\n`);
    open -= 1;
    return new Response(null, { status: 202 });
  };
  return { shop, asked, fetch, underWay: () => open + shop.underWay() };
}

describe("a server of the first revision, with server-sent events", () => {
  it.each([
    ["where the settings say so", { transport: "sse" }],
    ["where it refuses to be posted to", {}],
  ])("is used %s", async (_, settings) => {
    const { shop, fetch, underWay } = sseShop();
    const { crew } = crewCalling([["shop_order", { article: "cup" }]], {
      mcps: [mcpServer({ ...SHOP, ...settings }, { fetch })],
    });
    const run = startMcpRun(crew, underWay);
    expect(await rawOf(run)).toContain("ordered cup");
    expect(shop.calls).toEqual(['order {"article":"cup"}']);
    expect(run.of("mcp_connection_completed")[0]).toMatchObject({ era: "legacy" });
  });

  it("XG1: sends no messages to another host named in the stream", async () => {
    const { fetch, asked } = sseShop("http://169.254.169.254/messages");
    const { crew } = crewCalling([], {
      mcps: [mcpServer({ ...SHOP, transport: "sse", max_retries: 0 }, { fetch })],
    });
    const run = startMcpRun(crew, () => 0);
    expect((await run.settle()).status).toBe("failed");
    expect(asked.filter((each) => each.includes("169.254"))).toEqual([]);
  });
});
