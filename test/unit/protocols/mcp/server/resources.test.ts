import { describe, expect, it } from "vitest";
import { InMemoryKnowledgeStore } from "../../../../../src/knowledge/in-memory-knowledge-store.ts";
import type { KnowledgeStore } from "../../../../../src/knowledge/knowledge-store.ts";
import type { Part } from "../../../../../src/parts/part.ts";
import { knowledgeService } from "../../../../support/knowledge-world.ts";
import { McpWorld } from "../../../../support/mcp-world.ts";

async function put(
  store: KnowledgeStore,
  [collection, name]: readonly [string, string],
  text: string,
) {
  const half = Math.floor(text.length / 2);
  const pieces = [
    { start: 0, end: half + 3 },
    { start: half, end: text.length },
  ];
  const chunks = pieces.map(({ start, end }, ordinal) => ({
    id: `${name}-${ordinal}`,
    document: name,
    ordinal,
    text: text.slice(start, end),
    start,
    end,
  }));
  await store.putDocument(collection, {
    id: name,
    name,
    reader: "text",
    state: "ready",
    hash: "",
    recipe: "",
    characters: text.length,
    chunks: chunks.length,
    indexed: chunks.length,
    runId: "r",
    createdAtMs: 0,
    updatedAtMs: 0,
  });
  await store.putChunks(collection, chunks);
}

/** Knowledge of tenants, kept apart. */
function knowledgePart(stores: Map<string, InMemoryKnowledgeStore>): Part {
  return {
    name: "test-knowledge",
    services: {
      knowledge: ({ tenant }) => {
        const store = stores.get(tenant) ?? new InMemoryKnowledgeStore();
        stores.set(tenant, store);
        return knowledgeService({ tenant, store });
      },
    },
  };
}

describe("documents of knowledge", () => {
  it("are listed in pages, and read whole", async () => {
    const store = new InMemoryKnowledgeStore();
    const parts = [knowledgePart(new Map([["default", store]]))];
    const world = new McpWorld({ knowledge: ["manual", "faq"] }, { parts });
    const text = "The warranty lasts two years. Receipts are needed.";
    for (let index = 100; index < 250; index++) await put(store, ["manual", `page ${index}`], text);
    await put(store, ["faq", "häufig.md"], "Why? Because.");
    const client = await world.connect();
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(151);
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(151);
    const read = await client.readResource({ uri: "knowledge://manual/page%20101" });
    expect(read.contents).toEqual([
      { uri: "knowledge://manual/page%20101", mimeType: "text/plain", text },
    ]);
    const other = await client.readResource({ uri: resources.at(-1)?.uri ?? "" });
    expect(other.contents).toMatchObject([{ text: "Why? Because." }]);
  });

  it("MRS1: come from the collections the app names, and the caller's tenant", async () => {
    const stores = new Map([
      ["default", new InMemoryKnowledgeStore()],
      ["beta", new InMemoryKnowledgeStore()],
    ]);
    for (const collection of ["open", "secret"])
      await put(stores.get("default") as never, [collection, "a"], "Ours alone.");
    const world = new McpWorld(
      { knowledge: ["open"] },
      { parts: [knowledgePart(stores)], auth: { mode: "keys", adminKey: "root" } },
    );
    const json = { tenant: "beta", scopes: ["run", "read"] };
    const made = await world.ask("/keys", { json, key: "root" });
    const beta = made.json["key"] as never as string;
    const read = (uri: string, key: string) => world.rpc("resources/read", { uri }, { key });
    expect((await read("knowledge://open/a", "root")).json).toMatchObject({
      result: { contents: [{ text: "Ours alone." }] },
    });
    for (const [uri, key] of [
      ["knowledge://secret/a", "root"],
      ["knowledge://open/b", "root"],
      ["knowledge://open/a", beta],
      ["knowledge://open/%E0%A4%A", "root"],
      ["knowledge://open/a/..", "root"],
      ["file:///etc/passwd", "root"],
    ] as const) {
      expect((await read(uri, key)).json).toMatchObject({
        error: { code: -32602, data: { uri } },
      });
    }
    const listed = await world.rpc("resources/list", {}, { key: beta });
    expect(listed.json).toMatchObject({ result: { resources: [] } });
  });

  it("need a key with the scope read", async () => {
    const store = new InMemoryKnowledgeStore();
    await put(store, ["open", "a"], "Ours alone.");
    const world = new McpWorld(
      { knowledge: "all" },
      {
        parts: [knowledgePart(new Map([["default", store]]))],
        auth: { mode: "keys", adminKey: "root" },
      },
    );
    const json = { tenant: "default", scopes: ["run"] };
    const made = await world.ask("/keys", { json, key: "root" });
    const key = made.json["key"] as never as string;
    const answer = await world.rpc("resources/read", { uri: "knowledge://open/a" }, { key });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('scope="run read"');
    const listed = await world.rpc("resources/list", {}, { key });
    expect(listed.json).toMatchObject({ result: { resources: [] } });
    const all = await world.rpc("resources/list", {}, { key: "root" });
    expect(all.json).toMatchObject({ result: { resources: [{ name: "a" }] } });
    const ref = { type: "ref/resource", uri: "knowledge://{collection}/{document}" };
    const argument = { name: "collection", value: "" };
    const complete = (by: string) =>
      world.rpc("completion/complete", { ref, argument }, { key: by });
    expect((await complete("root")).json).toMatchObject({
      result: { completion: { values: ["open"] } },
    });
    expect((await complete(key)).json["result"]).toBeUndefined();
  });

  it.each(["x", "9999999.a", "-1.a", ""])("refuse an invalid cursor: %j", async (cursor) => {
    const world = new McpWorld({ knowledge: "all" }, { parts: [knowledgePart(new Map())] });
    expect((await world.rpc("resources/list", { cursor })).json).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe("resources of the options", () => {
  const options = {
    resources: [
      {
        uri: "app://logo",
        name: "Logo",
        mimeType: "image/png",
        read: () => new Uint8Array([1, 2]),
      },
      {
        uriTemplate: "orders://{year}/{id}",
        name: "Order",
        read: ({ year = "", id = "" }) => (year === "2026" ? `Order ${id}` : undefined),
        complete: {
          year: (typed: string) => ["2025", "2026"].filter((each) => each.startsWith(typed)),
        },
      },
    ],
  };

  it.each([false, true])("are listed, read and completed (older client: %s)", async (legacy) => {
    const world = new McpWorld(options);
    const client = await world.connect({ legacy });
    expect((await client.listResources()).resources).toEqual([
      { uri: "app://logo", name: "Logo", mimeType: "image/png" },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: "orders://{year}/{id}", name: "Order" },
    ]);
    expect((await client.readResource({ uri: "app://logo" })).contents).toMatchObject([
      { blob: "AQI=" },
    ]);
    expect((await client.readResource({ uri: "orders://2026/a%20b" })).contents).toMatchObject([
      { text: "Order a b" },
    ]);
    await expect(client.readResource({ uri: "orders://2024/1" })).rejects.toThrow("orders");
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "orders://{year}/{id}" },
      argument: { name: "year", value: "2026" },
    });
    expect(completion.values).toEqual(["2026"]);
  });

  it("are a capability only when there are some", async () => {
    const { json } = await new McpWorld().rpc("server/discover");
    expect(json["result"]?.["capabilities"]?.["resources"]).toBeUndefined();
    expect((await new McpWorld().rpc("resources/list")).status).toBe(404);
  });
});
