import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { scriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";
import { handServer, listed, type Hand } from "../../../../support/mcp-answers.ts";
import { crewCalling, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop } from "../../../../support/mcp-shop.ts";

const URL_OF = "https://shop.example.com/mcp";
const SHOP = { url: URL_OF, name: "shop" };

function confirming(settings: object = {}) {
  const shop = openShop();
  const mcps = [mcpServer({ ...SHOP, ...settings }, { fetch: shop.fetch })];
  const { crew } = crewCalling([["shop_confirm", { article: "cup" }]], { mcps });
  return { shop, run: startMcpRun(crew, shop.underWay) };
}

describe("a server's question to a person", () => {
  it("XQ1, XR3: waits for an answer that fits its form, and repeats the call with it", async () => {
    const { shop, run } = confirming();
    const { status, waits } = await run.settle();
    expect(status).toBe("waiting");
    expect(waits).toHaveLength(1);
    expect(waits[0]).toMatchObject({
      kind: "human",
      prompt: "MCP server shop asks, in a call of confirm: How many of cup?",
      schema: { properties: { pieces: { type: "integer", minimum: 1 } }, required: ["pieces"] },
      declinable: true,
      data: { mcp: { serverName: "shop", toolName: "confirm", mode: "form" } },
    });
    const key = waits[0]?.key ?? "";
    await expect(run.handle.resume({ key, value: { pieces: 0 } })).rejects.toThrow("schema");
    await expect(run.handle.resume({ key, value: { other: 1 } })).rejects.toThrow("schema");
    await run.handle.resume({ key, value: { pieces: 2 } });
    expect(await rawOf(run)).toContain("sold 2 cup");
    const calls = shop.requests.filter(({ body }) => body.method === "tools/call");
    expect(new Set(shop.requests.map(({ body }) => body.id)).size).toBe(shop.requests.length);
    expect(calls.map(({ body }) => body.params?.["requestState"])).toEqual([
      undefined,
      "state-of-cup",
    ]);
    expect(calls[1]?.body.params).toMatchObject({
      arguments: { article: "cup" },
      inputResponses: { pieces: { action: "accept", content: { pieces: 2 } } },
    });
  });

  it("XQ1: passes on the person's decline", async () => {
    const { run } = confirming();
    const { waits } = await run.settle();
    await run.handle.resume({ key: waits[0]?.key ?? "", approve: false });
    expect(await rawOf(run)).toContain("not sold: decline");
  });

  it("XQ2: is not asked by a client whose settings forbid it", async () => {
    const { shop, run } = confirming({ elicitation: false });
    expect(await rawOf(run)).not.toContain("sold");
    const { params } = shop.requests.find(({ body }) => body.method === "tools/call")?.body ?? {};
    const meta = params?.["_meta"] as JsonObject;
    expect(meta["io.modelcontextprotocol/clientCapabilities"]).not.toHaveProperty("elicitation");
  });
});

function asking(hand: Hand, settings: object = {}, agent: object = {}) {
  const server = handServer([listed("ask")], hand);
  const mcps = [mcpServer({ ...SHOP, ...settings }, { fetch: server.fetch })];
  const { crew } = crewCalling([["shop_ask", {}]], { mcps, ...agent });
  return { server, run: startMcpRun(crew, () => 0) };
}

/** Asks once, and tells what it was answered. */
const once =
  (inputRequests: JsonObject): Hand =>
  ({ params }) => {
    const { inputResponses } = params;
    if (inputResponses === undefined) return { resultType: "input_required", inputRequests };
    return { content: [{ type: "text", text: JSON.stringify(inputResponses) }] };
  };

describe("kinds of questions", () => {
  it("shows the address to open", async () => {
    const url = "https://pay.example.com/cart?id=1";
    const params = { mode: "url", message: "Pay here", url, elicitationId: "1" };
    const { run } = asking(once({ pay: { method: "elicitation/create", params } }));
    const { waits } = await run.settle();
    expect(waits[0]?.prompt).toContain(url);
    await run.handle.resume({ key: waits[0]?.key ?? "", approve: true });
    expect(await rawOf(run)).toContain('{"pay":{"action":"accept"}}');
  });

  it("XQ2: shows the beginning of a long message, without invisible characters", async () => {
    const params = { message: `Pay\u202Enow ${"x".repeat(9_000)}` };
    const { run } = asking(once({ it: { method: "elicitation/create", params } }));
    const { waits } = await run.settle();
    expect(waits[0]?.prompt?.length).toBeLessThan(5_000);
    expect(waits[0]?.prompt).not.toContain("\u202E");
  });

  it.each([
    ["an address with code", { mode: "url", message: "Open", url: "javascript:alert(1)" }],
    [
      "a form in a form",
      {
        message: "Say",
        requestedSchema: { type: "object", properties: { a: { type: "object" } } },
      },
    ],
    [
      "an uncheckable form",
      {
        message: "Say",
        requestedSchema: { type: "object", properties: { a: { type: "string", pattern: "(" } } },
      },
    ],
    [
      "an overlong form",
      {
        message: "Say",
        requestedSchema: {
          type: "object",
          properties: { a: { type: "string", title: "x".repeat(40_000) } },
        },
      },
    ],
  ])("XQ2: shows no person %s", async (_, params) => {
    const { run } = asking(once({ it: { method: "elicitation/create", params } }));
    expect(await rawOf(run)).toContain("the server asks a person");
    expect(run.of("tool_failure_detected")[0]).toMatchObject({ reason: "mcp_error" });
  });

  const sampling = {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "Why?" } }], maxTokens: 9 },
  };

  it("XQ2: asks no model, and shows no roots, unless it may", async () => {
    for (const request of [sampling, { method: "roots/list" }]) {
      const { run } = asking(once({ it: request }));
      expect(await rawOf(run)).toContain("which it may not");
    }
  });

  it("asks a model when the settings allow it", async () => {
    const model = scriptedModel(["Because."], { id: "side" });
    const { run } = asking(once({ it: sampling }), { sampling: model });
    expect(await rawOf(run)).toContain('"text":"Because."');
    expect(JSON.stringify(model.calls[0]?.messages)).toContain("Why?");
  });

  it("WI4: asks the model with the server's settings, and marks an answer cut at its limit", async () => {
    const model = scriptedModel([{ text: "Beca", finishReason: "length" }], { id: "side" });
    const params = { ...sampling.params, temperature: 0.1, stopSequences: ["END"] };
    const { run } = asking(once({ it: { ...sampling, params } }), { sampling: model });
    expect(await rawOf(run)).toContain('"stopReason":"maxTokens"');
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.request).toMatchObject({
      settings: { temperature: 0.1, maxTokens: 9 },
      stop: ["END"],
    });
  });

  it("asks the agent's model when the settings name no other", async () => {
    const { run } = asking(once({ it: sampling }), { sampling: true });
    expect(await rawOf(run)).toContain('"model":"scripted');
  });

  it("ends for a server that asks endlessly", async () => {
    const { run, server } = asking(() => ({ resultType: "input_required", requestState: "more" }));
    expect(await rawOf(run)).toContain("asked 10 times");
    expect(server.requests.filter(({ method }) => method === "tools/call")).toHaveLength(10);
  });
});
