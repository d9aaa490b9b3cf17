import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runIdFor } from "../../src/protocols/protocol-runs.ts";
import { killAll } from "./support/faults.ts";
import { heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { noteText } from "./support/mcp.ts";
import { newId, runs, until } from "./support/runs.ts";

const MODERN = "2026-07-28";

async function connect(
  legacy: boolean,
  capabilities: Record<string, object> = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, versionNegotiation: { mode: legacy ? "legacy" : { pin: MODERN } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL("https://api.test/mcp"), {
    fetch: (url, init) => exports.default.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  return { client, transport };
}

/** One request of the current revision. */
async function rpc(
  name: string,
  params: Record<string, unknown>,
  { signal, ...meta }: Record<string, unknown> & { readonly signal?: AbortSignal } = {},
): Promise<{ readonly result?: Record<string, unknown>; readonly error?: { code: number } }> {
  const response = await exports.default.fetch(
    new Request("https://api.test/mcp", {
      method: "POST",
      ...(signal === undefined ? undefined : { signal }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
            ...meta,
          },
        },
      }),
    }),
  );
  return response.json();
}

describe("a call whose run is killed on the way", () => {
  it("MT1: is found again by its key, and repeats no effect", async () => {
    const key = newId("order");
    const id = runIdFor("mcp", "", "order", key);
    const meta = { "edgecrew/idempotencyKey": key };
    const called = { arguments: { what: "tea" } };
    holdCalls(id);
    const lost = rpc("order", called, meta).catch((error: unknown) => ({ error }));
    await until("the call is under way", () => heldCalls(id).length > 0);
    await killAll(id);
    await lost;
    letGo(id);
    const { result = {} } = await rpc("order", called, meta);
    expect(result["resultType"]).toBe("input_required");
    const inputResponses = { count: { action: "accept", content: { count: 3 } } };
    const answered = { ...called, inputResponses, requestState: result["requestState"] };
    holdCalls(id, /place/);
    const lostAgain = rpc("order", answered).catch((error: unknown) => ({ error }));
    await until("the answer has arrived", () => heldCalls(id).length > 0);
    await killAll(id);
    await lostAgain;
    letGo(id);
    // The same answer once more: the run has it already, and goes on.
    expect(await rpc("order", answered)).toMatchObject({
      result: { content: [{ text: '{"count":3} of tea' }] },
    });
    const steps = keysCalled(id).map((each) => each.slice(each.lastIndexOf("/") + 1));
    expect(new Set(steps)).toEqual(new Set(["reserve", "place"]));
  });
});

it("cancels the run of a call whose client has disconnected, on request", async () => {
  const key = newId("order");
  const id = runIdFor("mcp", "", "order", key);
  const gone = new AbortController();
  holdCalls(id);
  const lost = rpc(
    "order",
    { arguments: { what: "tea" } },
    {
      signal: gone.signal,
      "edgecrew/idempotencyKey": key,
      "edgecrew/cancelOnDisconnect": true,
    },
  ).catch(() => undefined);
  await until("the call is under way", () => heldCalls(id).length > 0);
  gone.abort();
  await lost;
  await expect.poll(async () => (await runs.get("default", id)).status).toBe("cancelled");
});

describe("a session", () => {
  it("asks a client of an older revision while it waits for its result", async () => {
    const { client } = await connect(true, { elicitation: {}, sampling: {} });
    const questions: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return { action: "accept" as const, content: { count: 2 } };
    });
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant" as const,
      model: "test",
      content: { type: "text" as const, text: "Hello" },
    }));
    const ordered = await client.callTool({ name: "order", arguments: { what: "cups" } });
    expect(ordered.content).toEqual([{ type: "text", text: '{"count":2} of cups' }]);
    expect(questions).toEqual(["How many?"]);
    const greeted = await client.callTool({ name: "greet", arguments: {} });
    expect(JSON.stringify(greeted.content)).toContain("Hello");
    await client.close();
  });

  it("MSN2: goes on after its object was killed", async () => {
    const { client, transport } = await connect(true, { elicitation: {} });
    const { sessionId } = transport;
    await killAll();
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept" as const,
      content: { count: 1 },
    }));
    const ordered = await client.callTool({ name: "order", arguments: { what: "pots" } });
    expect(ordered.content).toEqual([{ type: "text", text: '{"count":1} of pots' }]);
    expect(transport.sessionId).toBe(sessionId);
    await client.close();
  });

  it("ends, and is not there afterwards", async () => {
    const { client, transport } = await connect(true);
    const { sessionId = "" } = transport;
    await transport.terminateSession();
    const ask = (method: string, id: string): Promise<Response> =>
      exports.default.fetch(
        new Request("https://api.test/mcp", {
          method,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-session-id": id,
          },
          ...(method === "POST"
            ? { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) }
            : undefined),
        }),
      );
    for (const id of [sessionId, "never-was", "../other", "x".repeat(65)])
      for (const method of ["POST", "GET", "DELETE"])
        expect((await ask(method, id)).status).toBe(404);
    await client.close();
  });

  it("notifies its client of subscribed changes", { timeout: 60_000 }, async () => {
    const { client } = await connect(true);
    const updated: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updated.push(params.uri);
    });
    await client.subscribeResource({ uri: "test://note" });
    noteText.text = "second";
    await expect.poll(() => updated, { timeout: 40_000 }).toEqual(["test://note"]);
    await client.close();
  });
});
