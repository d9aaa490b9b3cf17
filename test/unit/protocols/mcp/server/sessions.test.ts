import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../../src/base/json.ts";
import type { PartSession } from "../../../../../src/parts/part.ts";
import { Subscriptions } from "../../../../../src/protocols/mcp/server/subscriptions.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";
import { askingScript, textOf } from "../../../../support/http-app.ts";
import { askingTwice, McpWorld } from "../../../../support/mcp-world.ts";

/** A world whose sessions are in this process; `forget` is a restart of all their objects. */
function worldWithSessions(options: ConstructorParameters<typeof McpWorld>[1] = {}) {
  const open = new Map<string, PartSession>();
  const kept = new Map<string, JsonValue>();
  const world: McpWorld = new McpWorld(
    { expose: "all" },
    { crews: { briefing: askingTwice }, script: askingScript(), ...options },
    (name) => {
      const session =
        open.get(name) ??
        world.bound.get("mcp")?.openSession?.({
          get: () => Promise.resolve(kept.get(name)),
          put: (value) => Promise.resolve(void kept.set(name, value)),
          clear: () => Promise.resolve(void kept.delete(name)),
        });
      if (session === undefined) throw new Error("the part opens no sessions");
      open.set(name, session);
      return session;
    },
  );
  return { world, kept, forget: () => open.clear() };
}

describe("a session", () => {
  it("asks its client's user, and answers the call", async () => {
    const { world, forget, kept } = worldWithSessions();
    const client = await world.connect({ legacy: true, capabilities: { elicitation: {} } });
    expect(kept.size).toBe(1);
    forget();
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept" as const, content: { answer: `answer ${asked.length}` } };
    });
    const result = await world.until(
      client.callTool({ name: "briefing", arguments: { topic: "edges" } }),
    );
    expect(JSON.stringify(result.content)).toContain("answer 2");
    expect(asked).toHaveLength(2);
  });

  it("MSN1: is not there for another caller, nor for another tenant", async () => {
    const { world } = worldWithSessions({ auth: { mode: "keys", adminKey: "root" } });
    const keys = await Promise.all(
      ["default", "beta"].map(async (tenant) => {
        const json = { tenant, scopes: ["run"] };
        return (await world.ask("/keys", { json, key: "root" })).json["key"];
      }),
    );
    const sent = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    };
    const accept = "application/json, text/event-stream";
    const begun = await world.ask("/mcp", { json: sent, key: "root", headers: { accept } });
    const id = begun.headers.get("mcp-session-id") ?? "";
    expect(id).not.toBe("");
    const headers = { accept, "mcp-session-id": id };
    const json = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const ours = await world.ask("/mcp", { json, key: "root", headers });
    expect(ours.status).toBe(200);
    for (const key of keys.map(textOf))
      expect((await world.ask("/mcp", { json, key, headers })).status).toBe(404);
    // A client cannot say who it is.
    const forged = {
      ...headers,
      "x-edgecrew-mcp-caller": encodeURIComponent('{"tenant":"default","callerId":"","id":"x"}'),
    };
    expect((await world.ask("/mcp", { json, key: textOf(keys[0]), headers: forged })).status).toBe(
      404,
    );
  });
});

it("MSB1: checks subscriptions only while a listener is open", async () => {
  const clock = new SimulatedClock();
  const looked: string[] = [];
  const notified: string[] = [];
  let text = "first";
  const subscriptions = new Subscriptions({
    clock,
    version: (uri) => {
      looked.push(uri);
      return uri === "gone" && looked.length > 3
        ? Promise.reject(new Error("gone"))
        : Promise.resolve(text);
    },
    notify: (uri) => Promise.resolve(void notified.push(uri)),
  });
  await subscriptions.add("note");
  expect(clock.pending).toBe(0);
  const leave = subscriptions.listen();
  await clock.advance(16_000);
  expect(notified).toEqual([]);
  text = "second";
  await subscriptions.add("gone");
  await clock.advance(31_000);
  expect(notified).toEqual(["note"]);
  leave();
  const { length } = looked;
  await clock.advance(60_000);
  expect(looked).toHaveLength(length);
  expect(clock.pending).toBe(0);
  subscriptions.listen();
  subscriptions.remove("note");
  subscriptions.remove("gone");
  expect(clock.pending).toBe(0);
  for (let index = 0; index < 100; index++) expect(await subscriptions.add(`r${index}`)).toBe(true);
  expect(await subscriptions.add("one more")).toBe(false);
  expect(await subscriptions.add("r1")).toBe(true);
});
