import { expect, it } from "vitest";
import { EdgecrewClient } from "../../../src/client/index.ts";
import { ADMIN, RecallWorld } from "../../support/recall-world.ts";

function clientOf(world: RecallWorld): EdgecrewClient {
  return new EdgecrewClient({
    baseUrl: "http://test.local",
    apiKey: ADMIN,
    clock: world.clock,
    fetch: async (url, init) => world.app.request(url, init),
  });
}

async function settled(world: RecallWorld): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    await world.clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const WHERE = { scope: "/a/b", categories: ["x"], importance: 0.5 };

it("works with memory", async () => {
  const world = new RecallWorld();
  const { memory } = clientOf(world);
  const saved = await memory.remember("tea is hot", WHERE);
  const hidden = await memory.remember("ice is cold", { ...WHERE, source: "me", private: true });
  const id = saved?.id ?? "";
  expect((await memory.recall("hot tea")).items[0]?.record).toEqual(saved);
  expect((await memory.list({ categories: ["x", "y"], limit: 5 })).items).toEqual([saved]);
  expect((await memory.list({ source: "me" })).items).toHaveLength(2);
  expect(await memory.get(hidden?.id ?? "", { includePrivate: true })).toEqual(hidden);
  expect(await memory.get(id)).toEqual(saved);
  expect(await memory.update(id, { importance: 1 })).toMatchObject({ importance: 1 });
  expect(await memory.scopes()).toEqual(["/a"]);
  expect(await memory.scopes("/a")).toEqual(["/a/b"]);
  expect(await memory.tree("/a", 1)).toBe("/a (1 records)\n  /a/b (1 records)");
  const mine = { source: "me" };
  expect(await memory.tree("/a", 1, mine)).toBe("/a (2 records)\n  /a/b (2 records)");
  expect(await memory.info("/a", mine)).toMatchObject({ recordCount: 2 });
  expect(await memory.categories()).toEqual({ x: 1 });
  expect(await memory.categories("/", mine)).toEqual({ x: 2 });
  const anna = { person: "anna" };
  const noted = await memory.remember("anna likes tea", { ...WHERE, ...anna });
  expect(noted).toMatchObject({ source: "person:anna", private: true });
  expect((await memory.list(anna)).items).toEqual([noted]);
  expect((await memory.recall("tea", { ...anna, minScore: 0 })).items).toHaveLength(1);
  expect(await memory.scopes("/", { person: "bert" })).toEqual([]);
  expect(await memory.forget({ recordIds: [hidden?.id ?? ""] })).toBe(1);
  await memory.delete(id);
  await expect(memory.get(id)).rejects.toMatchObject({ code: "not_found" });
  const run = await memory.rememberMany([{ content: "one", ...WHERE }], { id: "save-1" });
  expect(run.id).toBe("save-1");
  await settled(world);
  const again = await memory.reindex({ all: true });
  await settled(world);
  expect((await again.status()).output).toMatchObject({ made: 2 });
  await memory.reset("/a/b");
  await memory.resetAll();
  expect(await memory.info()).toMatchObject({ recordCount: 0 });
});

it("saves once under a key", async () => {
  const world = new RecallWorld();
  const { memory } = clientOf(world);
  const send = async () => {
    const saving = memory.remember("tea is hot", { ...WHERE, idempotencyKey: "k" });
    await settled(world);
    return saving;
  };
  expect(await send()).toEqual(await send());
  expect(await memory.info()).toMatchObject({ recordCount: 1 });
});

it("works with knowledge", async () => {
  const world = new RecallWorld();
  const { knowledge } = clientOf(world);
  const run = await knowledge.add(
    "a/b",
    { name: "tea.md", text: "# Tea\n\nIt is hot." },
    { id: "k1" },
  );
  expect(run.id).toBe("k1");
  const bytes = new TextEncoder().encode("item,price\ntea,3");
  await knowledge.upload("a/b", { name: "list.csv", body: bytes });
  await knowledge.upload("a/b", { name: "note", body: "ink is blue" });
  await settled(world);
  expect((await knowledge.collections()).items).toMatchObject([{ name: "a/b", documents: 3 }]);
  const { items } = await knowledge.documents("a/b", { limit: 10 });
  expect(items.map(({ name, state }) => [name, state])).toEqual([
    ["list.csv", "ready"],
    ["note", "ready"],
    ["tea.md", "ready"],
  ]);
  const [first] = items;
  expect(await knowledge.document("a/b", first?.id ?? "")).toEqual(first);
  const found = await knowledge.query("a/b", ["hot tea", "what is hot"], { limit: 1 });
  expect(found.items).toMatchObject([{ document: { name: "tea.md" }, heading: "Tea" }]);
  await knowledge.deleteDocument("a/b", first?.id ?? "");
  expect((await knowledge.documents("a/b")).items).toHaveLength(2);
  await knowledge.delete("a/b");
  expect((await knowledge.collections()).items).toEqual([]);
});
