import { evictAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { vectorObjectName } from "../../src/cloudflare/vectors/vector-index-api.ts";
import type { IndexedDocuments } from "../../src/knowledge/operations/knowledge-run.ts";
import { killAll } from "./support/faults.ts";
import { callsOf, heldCalls, holdCalls, keysCalled, letGo } from "./support/ledger.ts";
import { newId, stubOf, until } from "./support/runs.ts";

const fetchWorker = (url: string, init?: RequestInit) =>
  exports.default.fetch(new Request(url, init));
const baseUrl = "https://api.test";
const client = new EdgecrewClient({ baseUrl, fetch: fetchWorker });

/** A client of a tenant of its own. */
async function tenant(): Promise<EdgecrewClient> {
  const { key } = await client.keys.create({ tenant: newId("tenant"), scopes: ["admin"] });
  return new EdgecrewClient({ baseUrl, fetch: fetchWorker, apiKey: key });
}

const facts = { categories: ["fact"], importance: 0.5 };

describe("memory on D1 and the VectorIndex object", () => {
  it("a saved memory is found by the next recall, also after an eviction", async () => {
    const own = await tenant();
    const saved = await own.memory.remember("Acme pays by invoice", { scope: "/acme", ...facts });
    const recall = () => own.memory.recall("How does Acme pay?");
    const first = await recall();
    expect(first.items.map(({ record }) => record.id)).toEqual([saved?.id]);
    expect(first.items[0]?.matchReasons).toContain("semantic");
    expect(first).not.toHaveProperty("degraded");
    await evictAllDurableObjects();
    expect((await recall()).items.map(({ record }) => record.id)).toEqual([saved?.id]);
  });

  it("an array is saved once by a run killed in the middle", async () => {
    const own = await tenant();
    const id = newId("save");
    const scope = `/${id}`;
    const items = Array.from({ length: 150 }, (_, index) => ({
      content: `run=${id} fact ${index} about ${"abcdefghij"[index % 10]}${index * 7919}`,
      scope,
      ...facts,
    }));
    holdCalls(id);
    const run = await client.memory.rememberMany(items, { id });
    await until("it embeds", async () => heldCalls(id).length > 0);
    letGo(id);
    await until("it goes on", async () => callsOf(id).some(({ passed }) => passed === true));
    await killAll(id);
    runDurableObjectAlarm(stubOf(id, "default")).catch(() => undefined);
    const { saved } = (await run.output()) as unknown as { saved: readonly string[] };
    expect(new Set(saved).size).toBe(150);
    expect(await client.memory.info(scope)).toMatchObject({ recordCount: 150 });
    expect((await own.memory.list()).items).toEqual([]);
  });

  it("two tenants keep the same words apart", async () => {
    const [one, other] = [await tenant(), await tenant()];
    await one.memory.remember("The code is 1234", { scope: "/codes", ...facts });
    await other.memory.remember("The code is 9876", { scope: "/codes", ...facts });
    const codes = async (of: EdgecrewClient) =>
      (await of.memory.recall("What is the code?")).items.map(({ record }) => record.content);
    expect(await codes(one)).toEqual(["The code is 1234"]);
    await other.memory.resetAll();
    expect(await codes(one)).toEqual(["The code is 1234"]);
    expect(await codes(other)).toEqual([]);
  });

  it("a failing embedder costs the vector, and recall reports it", async () => {
    const own = await tenant();
    await own.memory.remember("The kettle is blue AWAY", { scope: "/things", ...facts });
    const { items, degraded } = await own.memory.recall("blue kettle", { hybrid: false });
    expect(items.map(({ record }) => record.content)).toEqual(["The kettle is blue AWAY"]);
    expect(degraded).toContain("by their words");
  });
});

describe("knowledge on D1 and the VectorIndex object", () => {
  it("documents are indexed by a run, and queries cite them", async () => {
    const own = await tenant();
    const run = await own.knowledge.add("manuals", [
      { name: "kettle.md", text: "# Use\n\nIt boils water.\n\n# Warranty\n\nIt lasts two years." },
      { name: "prices.csv", text: "item,price\nkettle,30\ncup,5", type: "csv" },
    ]);
    expect(await run.output()).toMatchObject({
      documents: [{ state: "ready" }, { state: "ready" }],
    });
    const { items } = await own.knowledge.query("manuals", "How many years is the warranty?");
    expect(items[0]).toMatchObject({ document: { name: "kettle.md" }, heading: "Warranty" });
    await evictAllDurableObjects();
    const again = await own.knowledge.query("manuals", "How many years is the warranty?");
    expect(again.items).toEqual(items);
    expect(await (await tenant()).knowledge.query("manuals", "warranty")).toEqual({ items: [] });
  });

  it(
    "KI3: no batch is embedded twice and no text is lost, despite kills and evictions",
    { timeout: 60_000 },
    async () => {
      const id = newId("index");
      const text = Array.from(
        { length: 450 },
        (_, index) => `run=${id} line ${index} ${"word ".repeat(6)}`,
      ).join("\n");
      holdCalls(id);
      const collection = newId("killed");
      const chunking = { rule: "lines", size: 80, overlap: 0 } as const;
      const run = await client.knowledge.add(
        collection,
        { name: "long.txt", text, chunking },
        { id },
      );
      for (let fault = 0; fault < 4; fault++) {
        await until("it embeds", async () => heldCalls(id).length > 0);
        if (fault % 2 === 0) {
          await killAll(id);
          runDurableObjectAlarm(stubOf(id, "default")).catch(() => undefined);
          await until("it embeds again", async () => heldCalls(id).length > 0);
        }
        const [key = ""] = heldCalls(id);
        if (fault % 2 === 1) await run.pause();
        letGo(id, key);
        await until("it is through", async () => !heldCalls(id).includes(key));
        if (fault % 2 === 0) continue;
        await until("it rests", async () => (await run.status()).status === "waiting");
        await evictAllDurableObjects();
        await run.unpause();
      }
      letGo(id);
      const { documents } = (await run.output()) as unknown as IndexedDocuments;
      expect(documents).toMatchObject([{ state: "ready", embedded: documents[0]?.chunks }]);
      expect(documents[0]?.chunks).toBeGreaterThan(400);
      const passed = callsOf(id).filter((call) => call.passed === true);
      expect(new Set(passed.map(({ key }) => key)).size).toBe(passed.length);
      expect(keysCalled(id).length).toBeGreaterThan(passed.length);
      const { items } = await client.knowledge.documents(collection);
      expect(items).toMatchObject([{ state: "ready", indexed: documents[0]?.chunks }]);
      const found = await client.knowledge.query(collection, `run=${id} line 449`, { limit: 50 });
      expect(found.items.some(({ text: snippet }) => snippet.includes("line 449 "))).toBe(true);
    },
  );

  it("a CSV of 100,000 rows is indexed", { timeout: 120_000 }, async () => {
    const own = await tenant();
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index},v${index % 97}`);
    const csv = `number,value\n${rows.join("\n")}`;
    const run = await own.knowledge.upload("rows", {
      name: "rows.csv",
      body: csv,
      mediaType: "text/csv",
    });
    const { documents } = (await run.output()) as unknown as IndexedDocuments;
    expect(documents).toMatchObject([{ name: "rows.csv", state: "ready" }]);
    const { items } = await own.knowledge.query("rows", "99999 v89");
    expect(items[0]?.row).toBeGreaterThan(99_000);
  });

  it("an address of a private network is refused", async () => {
    const source = { name: "secret", url: "http://169.254.169.254/latest/meta-data" };
    await expect(client.knowledge.add("private", source)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("deleting takes the vectors along", async () => {
    const { key, tenant: name } = await client.keys.create({
      tenant: newId("tenant"),
      scopes: ["admin"],
    });
    const own = new EdgecrewClient({ baseUrl, fetch: fetchWorker, apiKey: key });
    await (
      await own.knowledge.add("c", [
        { name: "a", text: "apples are red" },
        { name: "b", text: "the sea is blue" },
      ])
    ).output();
    const info = () => env.VECTORS.getByName(vectorObjectName(name, "knowledge/c")).info();
    const { items } = await own.knowledge.documents("c");
    await own.knowledge.deleteDocument("c", items[0]?.id ?? "");
    expect(
      (await own.knowledge.query("c", "apples red", { scoreThreshold: 0 })).items,
    ).toMatchObject([{ document: { name: "b" } }]);
    expect(await info()).toMatchObject({ ok: true, value: { dimension: 384 } });
    await own.knowledge.delete("c");
    expect(await info()).toMatchObject({ ok: true, value: undefined });
    expect((await own.knowledge.collections()).items).toEqual([]);
  });

  it("finds words only without a vector of the question, and reports it", async () => {
    const own = await tenant();
    await (await own.knowledge.add("c", { name: "a", text: "the moon is far away" })).output();
    const answer = await own.knowledge.query("c", "moon AWAY far");
    expect(answer).toMatchObject({
      items: [{ score: null, matched: ["words"] }],
      degraded: "the embedder is away",
    });
  });
});

it("runs of both are listed by their kind", async () => {
  const own = await tenant();
  const run = await own.knowledge.add("c", { name: "a", text: "b" });
  await run.output();
  const listed = async () => (await own.runs.list({ kind: "knowledge" })).items;
  await until("the index has heard of it", async () => (await listed()).length > 0);
  expect(await listed()).toMatchObject([{ id: run.id, kind: "knowledge", name: "c" }]);
  expect((await run.status()).status).toBe("completed");
});

it("crews of the deployment use knowledge added over HTTP, and remember it the next time", async () => {
  const own = await tenant();
  const lamp = { name: "lamp.md", text: "# Lamp\n\nThe lighthouse lamp burns whale oil." };
  await (await own.knowledge.add("house", lamp)).output();
  const told = async () => {
    const run = await own.crews.kickoff("keeper");
    return ((await run.output()) as { raw: string }).raw;
  };
  const first = await told();
  expect(first).toContain("[lamp.md, Lamp]");
  expect(first).toContain("burns whale oil");
  expect(first).not.toContain("The keeper's answer");
  const { items } = await own.memory.list({ scope: "/crew/keeper" });
  expect(items.map(({ content }) => content)).toEqual([
    "The keeper's answer was about the lighthouse lamp",
  ]);
  expect(await told()).toContain("The keeper's answer was about the lighthouse lamp");
});
