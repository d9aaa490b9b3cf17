import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { memory } from "../../../../src/entry/memory.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import type { VectorStores } from "../../../../src/vectors/vector-store.ts";
import { textOf, type Answer, type AskOptions } from "../../../support/http-app.ts";
import { memoryScript, planOf, saidEmbedder } from "../../../support/memory-harness.ts";
import { ADMIN, RecallWorld } from "../../../support/recall-world.ts";

const WHERE = { scope: "/customers", categories: ["fact"], importance: 0.5 };
const paying = { content: "Acme pays by invoice within 30 days", ...WHERE };

function asked(world: RecallWorld, key = ADMIN) {
  return (path: string, options: AskOptions = {}): Promise<Answer> =>
    world.ask(path, { key, ...options });
}

async function keyOf(world: RecallWorld, tenant: string, ...scopes: string[]): Promise<string> {
  const { json } = await asked(world)("/keys", { json: { tenant, scopes } });
  return textOf(json["key"]);
}

describe("POST /memory", () => {
  it("MO1: returns the stored memory, which the next recall finds, with reasons", async () => {
    const ask = asked(new RecallWorld());
    const saved = await ask("/memory", {
      json: { ...paying, metadata: { by: "phone" }, source: "call" },
    });
    expect(saved.status).toBe(201);
    expect(saved.json).toMatchObject({
      ...paying,
      metadata: { by: "phone" },
      source: "call",
      private: false,
    });
    expect(saved.headers.get("location")).toBe(`/memory/records/${textOf(saved.json["id"])}`);
    const recalled = await ask("/memory/recall", { json: { query: "How does Acme pay?" } });
    expect(recalled).toMatchObject({
      status: 200,
      json: { items: [{ record: saved.json, matchReasons: ["semantic", "recency"] }] },
    });
    expect(recalled.json).not.toHaveProperty("degraded");
  });

  it("MS2: leaves out matches below minScore, and gives the similarity of the rest", async () => {
    const ask = asked(new RecallWorld({ memory: { embedder: saidEmbedder(), minScore: 0.3 } }));
    for (const cosine of ["0.9", "0.5", "0.1"])
      await ask("/memory", {
        json: { ...paying, content: `it cos=${cosine}`, scope: `/${cosine}` },
      });
    const recall = async (more: object) => {
      const { json } = await ask("/memory/recall", { json: { query: "base", ...more } });
      return (json["items"] as unknown as { similarity: number }[]).map(({ similarity }) =>
        Number(similarity.toFixed(2)),
      );
    };
    expect(await recall({})).toEqual([0.9, 0.5]);
    expect(await recall({ minScore: 0.6 })).toEqual([0.9]);
    expect(await recall({ min_score: 0 })).toEqual([0.9, 0.5, 0.1]);
    expect(await recall({ minScore: 0.95 })).toEqual([]);
    const wrong = await ask("/memory/recall", { json: { query: "base", minScore: 2 } });
    expect(wrong).toMatchObject({ status: 400 });
  });

  it("asks no model when the scope is in the request, else the deployment's", async () => {
    const llm = memoryScript({
      analysis: {
        suggested_scope: "/paying",
        categories: ["money"],
        importance: 0.9,
        extracted_metadata: { entities: [], dates: [], topics: [] },
      },
    });
    const ask = asked(new RecallWorld({ memory: { llm } }));
    await ask("/memory", { json: paying });
    expect(llm.kinds()).toEqual([]);
    const filed = await ask("/memory", { json: { content: "Berta pays in cash" } });
    expect(filed.json).toMatchObject({ scope: "/paying", categories: ["money"], importance: 0.9 });
    expect(llm.kinds()).toEqual(["analysis"]);
  });

  it("uses the defaults for a model other than a language model", async () => {
    const ask = asked(new RecallWorld());
    const { json } = await ask("/memory", { json: { content: "Acme pays by invoice" } });
    expect(json).toMatchObject({ scope: "/", categories: [], importance: 0.5, metadata: {} });
    const again = await ask("/memory", { json: { content: "Acme pays by invoice!" } });
    expect(again.status).toBe(201);
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 2 });
  });

  it("SP3: stores a memory whose plan only deletes another", async () => {
    const llm = memoryScript({
      consolidation: (text) =>
        planOf(false, { action: "delete", id: /[0-9a-f-]{36}/.exec(text)?.[0] ?? "" }),
    });
    const ask = asked(new RecallWorld({ memory: { embedder: saidEmbedder(), llm } }));
    expect((await ask("/memory", { json: { ...paying, content: "base" } })).status).toBe(201);
    const told = await ask("/memory", { json: { ...paying, content: "not so cos=0.95" } });
    expect(told).toMatchObject({ status: 201, json: { content: "not so cos=0.95" } });
    expect((await ask("/memory/records")).json["items"]).toEqual([told.json]);
  });

  it("SV7: twenty equal requests at once make one memory, also with a key and without a model", async () => {
    const ask = asked(new RecallWorld());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask("/memory", { json: paying })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ json }) => json["id"])).size).toBe(1);
    const again = await ask("/memory", { json: paying, headers: { "idempotency-key": "k1" } });
    expect(again).toMatchObject({ status: 201, json: { id: answers[0]?.json["id"] } });
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 1 });
  });

  it("MO1: saves an array by a run, with the saved memories in its output", async () => {
    const world = new RecallWorld();
    const ask = asked(world);
    const json = [
      paying,
      { ...paying, content: "Berta pays in cash" },
      { ...paying, scope: "/other", content: "It rains" },
    ];
    const started = await ask("/memory", { json });
    expect(started).toMatchObject({ status: 202, json: { status: "queued" } });
    await world.clock.settle();
    const run = await ask(`/runs/${textOf(started.json["id"])}`);
    expect(run.json).toMatchObject({
      kind: "memory",
      name: "save",
      status: "completed",
      inputs: { items: 3 },
    });
    expect(run.text).not.toContain("invoice");
    expect(run.json["output"]?.["saved"]).toHaveLength(3);
    const { json: listed } = await ask("/memory/records");
    expect(
      (listed["items"] as unknown as { content: string }[])
        .map(({ content }) => content)
        .toSorted(),
    ).toEqual(json.map(({ content }) => content).toSorted());
    expect((await ask("/runs?kind=memory")).json["items"]).toMatchObject([{ kind: "memory" }]);
  });

  it("embeds texts of an array together", async () => {
    const embedder = saidEmbedder();
    const world = new RecallWorld({ memory: { embedder } });
    const json = Array.from({ length: 40 }, (_, index) => ({
      ...paying,
      content: `fact ${index}`,
    }));
    await asked(world)("/memory", { json });
    await world.clock.settle();
    expect(embedder.batches.map(({ length }) => length)).toEqual([40]);
    expect((await asked(world)("/memory/info")).json).toMatchObject({ recordCount: 40 });
  });

  it("MO3: saves one memory once under an Idempotency-Key, and answers it again", async () => {
    const world = new RecallWorld();
    const headers = { "idempotency-key": "call of 3 May" };
    const send = async () => {
      const answer = asked(world)("/memory", { json: paying, headers });
      await world.clock.settle();
      return answer;
    };
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(201);
    expect(second.json).toEqual(first.json);
    expect((await asked(world)("/memory/info")).json).toMatchObject({ recordCount: 1 });
  });

  it("a failed save is a failed run after a 202", async () => {
    const vectors: VectorStores = {
      open: () => {
        throw new EngineError("unavailable", "no vectors are bound");
      },
    };
    const world = new RecallWorld({ vectors });
    expect(await asked(world)("/memory", { json: paying })).toMatchObject({
      status: 503,
      json: { detail: "no vectors are bound" },
    });
    const { json } = await asked(world)("/memory", { json: [paying] });
    await world.clock.settle();
    expect((await asked(world)(`/runs/${textOf(json["id"])}`)).json).toMatchObject({
      status: "failed",
      error: { message: "no vectors are bound" },
    });
  });

  it.each([
    [{}, "/content expected string, got nothing"],
    [{ content: "" }, "/content expected at least 1 characters"],
    [{ content: "   " }, "content must be a text that is not blank"],
    [{ content: "a", scope: "/a/../b" }, "scope must be a path without"],
    [{ content: "a", importance: 2 }, "/importance expected at most 1"],
    [{ content: "a", colour: "red" }, "/colour is not a known field"],
    [[], "expected at least 1 items"],
    [[{ content: "a" }, { content: 3 }], "/1/content expected string, got number 3"],
  ])("refuses %j", async (json, detail) => {
    const answer = await asked(new RecallWorld())("/memory", { json });
    expect(answer.status).toBe(400);
    expect(answer.json["detail"]).toContain(detail);
  });
});

describe("POST /memory/recall", () => {
  it("reports a failed index, and finds by words", async () => {
    const inner = new InMemoryVectorStores();
    let away = false;
    const vectors: VectorStores = {
      open: (collection) => {
        const store = inner.open(collection);
        return Object.assign(Object.create(store) as typeof store, {
          upsert: store.upsert.bind(store),
          query: async (...args: Parameters<typeof store.query>) => {
            if (away) throw new EngineError("vector_store_unavailable", "the index sleeps");
            return store.query(...args);
          },
        });
      },
    };
    const ask = asked(new RecallWorld({ vectors }));
    await ask("/memory", { json: paying });
    away = true;
    const { json } = await ask("/memory/recall", { json: { query: "invoice of Acme" } });
    expect(json).toMatchObject({
      items: [{ record: { content: paying.content } }],
      degraded: "the index sleeps",
    });
  });

  it("reports the model's gaps with the first match", async () => {
    const llm = memoryScript({ exploration: "Missing: the price" });
    const ask = asked(
      new RecallWorld({ memory: { llm, confidenceThresholdLow: 1, confidenceThresholdHigh: 1 } }),
    );
    await ask("/memory", { json: paying });
    const { json } = await ask("/memory/recall", { json: { query: "Acme" } });
    expect(json["items"]?.[0]?.["evidenceGaps"]).toHaveLength(1);
    const shallow = await ask("/memory/recall", { json: { query: "Acme", depth: "shallow" } });
    expect(shallow.json["items"]?.[0]).not.toHaveProperty("evidenceGaps");
  });

  it("keeps to scope, categories and limit", async () => {
    const ask = asked(new RecallWorld());
    for (const [content, scope, category] of [
      ["red apples", "/a/b", "fruit"],
      ["green apples", "/ab", "fruit"],
      ["apple cake", "/a", "cake"],
    ])
      await ask("/memory", { json: { content, scope, categories: [category], importance: 0.5 } });
    const of = async (more: object) =>
      (
        (await ask("/memory/recall", { json: { query: "apples", ...more } })).json[
          "items"
        ] as unknown as { record: { content: string } }[]
      ).map(({ record }) => record.content);
    expect((await of({ scope: "/a" })).toSorted()).toEqual(["apple cake", "red apples"]);
    expect((await of({ categories: ["fruit"] })).toSorted()).toEqual([
      "green apples",
      "red apples",
    ]);
    expect(await of({ limit: 1 })).toHaveLength(1);
  });
});

describe("records", () => {
  it("are listed newest first, page by page, and sieved", async () => {
    const world = new RecallWorld();
    const ask = asked(world);
    for (const [content, category] of [
      ["one", "a"],
      ["two", "b"],
      ["three", "a"],
    ]) {
      await ask("/memory", { json: { ...paying, content, categories: [category] } });
      await world.clock.advance(1000);
    }
    const contents = (answer: Answer) =>
      (answer.json["items"] as unknown as { content: string }[]).map(({ content }) => content);
    const page = await ask("/memory/records?limit=2");
    expect(contents(page)).toEqual(["three", "two"]);
    const next = await ask(`/memory/records?limit=2&cursor=${textOf(page.json["nextCursor"])}`);
    expect(contents(next)).toEqual(["one"]);
    expect(next.json).not.toHaveProperty("nextCursor");
    expect(contents(await ask("/memory/records?categories=a,c"))).toEqual(["three", "one"]);
    const [, second] = page.json["items"] as unknown as { createdAt: string }[];
    expect(contents(await ask(`/memory/records?before=${second?.createdAt}`))).toEqual(["one"]);
    expect(
      contents(await ask(`/memory/records?from=${second?.createdAt}&scope=/customers`)),
    ).toEqual(["three", "two"]);
    expect(contents(await ask("/memory/records?scope=/elsewhere"))).toEqual([]);
    expect((await ask("/memory/records?cursor=mine")).status).toBe(400);
  });

  it("are shown, changed and forgotten", async () => {
    const ask = asked(new RecallWorld());
    const { json } = await ask("/memory", { json: paying });
    const path = `/memory/records/${textOf(json["id"])}`;
    expect((await ask(path)).json).toEqual(json);
    const changed = await ask(path, {
      method: "PATCH",
      json: { content: "Acme pays in cash", importance: 0.9, scope: "/paid" },
    });
    expect(changed).toMatchObject({
      status: 200,
      json: { id: json["id"], content: "Acme pays in cash", importance: 0.9, scope: "/paid" },
    });
    const { json: found } = await ask("/memory/recall", { json: { query: "cash" } });
    expect(found["items"]).toMatchObject([{ record: { content: "Acme pays in cash" } }]);
    expect((await ask(path, { method: "DELETE" })).status).toBe(204);
    expect((await ask(path, { method: "DELETE" })).status).toBe(404);
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, { method: "PATCH", json: {} })).status).toBe(404);
    expect((await ask("/memory/recall", { json: { query: "cash" } })).json["items"]).toEqual([]);
  });

  it("MO2: private ones are visible to their source, and to an admin on request", async () => {
    const world = new RecallWorld();
    const ask = asked(world, await keyOf(world, "default", "run", "read"));
    const { json } = await ask("/memory", { json: { ...paying, source: "anna", private: true } });
    const path = `/memory/records/${textOf(json["id"])}`;
    for (const query of ["", "?source=bert"]) {
      expect((await ask(path + query)).status).toBe(404);
      expect((await ask(path + query, { method: "DELETE" })).status).toBe(404);
      expect((await ask(path + query, { method: "PATCH", json: { content: "x" } })).status).toBe(
        404,
      );
      expect((await ask(`/memory/records${query}`)).json["items"]).toEqual([]);
    }
    expect((await ask(`${path}?source=anna`)).status).toBe(200);
    const recall = (more: object, by = ask) =>
      by("/memory/recall", { json: { query: "invoice", ...more } });
    expect((await recall({})).json["items"]).toEqual([]);
    expect((await recall({ source: "anna" })).json["items"]).toHaveLength(1);
    expect((await recall({ includePrivate: true })).status).toBe(403);
    expect((await ask(`${path}?includePrivate=true`)).status).toBe(403);
    expect((await recall({ includePrivate: true }, asked(world))).json["items"]).toHaveLength(1);
    expect((await asked(world)("/memory/records?includePrivate=true")).json["items"]).toHaveLength(
      1,
    );
  });
});

describe("the rest of memory", () => {
  async function filled() {
    const world = new RecallWorld();
    for (const [scope, category] of [
      ["/a/b", "x"],
      ["/a/c", "x"],
      ["/d", "y"],
    ])
      await asked(world)("/memory", {
        json: { content: `at ${scope}`, scope, categories: [category], importance: 0.5 },
      });
    return { world, ask: asked(world) };
  }

  it("lists scopes, tree, counts and categories", async () => {
    const { ask } = await filled();
    expect((await ask("/memory/scopes")).json).toEqual({ items: ["/a", "/d"] });
    expect((await ask("/memory/scopes?path=/a")).json).toEqual({ items: ["/a/b", "/a/c"] });
    expect((await ask("/memory/tree?path=/a&depth=1")).json["tree"]).toBe(
      "/a (2 records)\n  /a/b (1 records)\n  /a/c (1 records)",
    );
    expect((await ask("/memory/info?path=/a")).json).toMatchObject({
      path: "/a",
      recordCount: 2,
      categories: ["x"],
      childScopes: ["/a/b", "/a/c"],
    });
    expect((await ask("/memory/categories")).json).toEqual({ categories: { x: 2, y: 1 } });
    expect((await ask("/memory/tree?depth=0")).status).toBe(400);
    expect((await ask("/memory/scopes?path=/a/../b")).status).toBe(400);
  });

  it("forgets matches of a filter, and refuses an empty one", async () => {
    const { ask } = await filled();
    expect(await ask("/memory/forget", { json: {} })).toMatchObject({ status: 400 });
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 3 });
    const forgotten = await ask("/memory/forget", { json: { categories: ["x"], scope: "/a/b" } });
    expect(forgotten.json).toEqual({ forgotten: 1 });
    const past = await ask("/memory/forget", { json: { older_than: "2001-01-01T00:00:00Z" } });
    expect(past.json).toEqual({ forgotten: 0 });
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 2 });
  });

  it("resets a path, or everything", async () => {
    const { ask } = await filled();
    expect((await ask("/memory/reset", { json: {} })).status).toBe(400);
    expect((await ask("/memory/reset", { json: { scope: "/a" } })).status).toBe(204);
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 1 });
    expect((await ask("/memory/reset", { json: { all: true } })).status).toBe(204);
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 0 });
  });

  it("rebuilds all vectors for another embedder", async () => {
    const vectors = new InMemoryVectorStores();
    const world = new RecallWorld({ vectors });
    await asked(world)("/memory", { json: paying });
    const { json } = await asked(world)("/memory/reindex", { json: { all: true } });
    await world.clock.settle();
    expect((await asked(world)(`/runs/${textOf(json["id"])}`)).json).toMatchObject({
      kind: "memory",
      name: "reindex",
      output: { made: 1 },
    });
  });

  it("tenants do not see each other's memories", async () => {
    const { world, ask } = await filled();
    const other = asked(world, await keyOf(world, "other", "admin"));
    const [{ id }] = (await ask("/memory/records")).json["items"] as unknown as [{ id: string }];
    expect((await other("/memory/records")).json).toEqual({ items: [] });
    expect((await other("/memory/recall", { json: { query: "at" } })).json).toMatchObject({
      items: [],
    });
    expect((await other(`/memory/records/${id}`)).status).toBe(404);
    expect((await other(`/memory/records/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await other("/memory/forget", { json: { recordIds: [id] } })).json).toEqual({
      forgotten: 0,
    });
    expect((await other("/memory/reset", { json: { all: true } })).status).toBe(204);
    expect((await other("/memory/info")).json).toMatchObject({ recordCount: 0 });
    expect((await ask("/memory/info")).json).toMatchObject({ recordCount: 3 });
    expect((await ask("/memory/recall", { json: { query: "at" } })).json["items"]).toHaveLength(3);
  });

  it("asks for the scopes of keys", async () => {
    const world = new RecallWorld();
    const reader = asked(world, await keyOf(world, "default", "read"));
    const runner = asked(world, await keyOf(world, "default", "run"));
    expect((await reader("/memory", { json: paying })).status).toBe(403);
    expect((await runner("/memory", { json: paying })).status).toBe(201);
    expect((await runner("/memory/recall", { json: { query: "a" } })).status).toBe(403);
    for (const path of ["forget", "reset", "reindex"])
      expect((await runner(`/memory/${path}`, { json: {} })).status).toBe(403);
    expect((await world.ask("/memory/info")).status).toBe(401);
  });
});

it("refuses invalid options", () => {
  expect(() => memory({ semanticWeight: 2 })).toThrow(/memory.semanticWeight/);
});

describe("steps of a recall", () => {
  it.each([{ hybrid: true }, { hybrid: false }])(
    "the parts of a score add up to it: %j (CA28)",
    async (settings) => {
      const ask = asked(new RecallWorld({ memory: settings }));
      for (const [index, content] of ["tea is hot", "Acme pays late", "rain falls"].entries())
        await ask("/memory", { json: { ...paying, content, importance: index / 3 } });
      const { json } = await ask("/memory/recall", { json: { query: "who pays for tea" } });
      const items = json["items"] as unknown as {
        score: number;
        parts: Record<string, number>;
      }[];
      expect(items.length).toBeGreaterThan(0);
      for (const { score, parts } of items) {
        const sum = Object.values(parts).reduce((one, other) => one + other, 0);
        expect(Math.abs(sum - score)).toBeLessThan(1e-9);
      }
      expect(json["tookMs"]).toBeGreaterThanOrEqual(0);
      expect(json).not.toHaveProperty("analysis");
    },
  );
});

describe("GET /memory/tree?format=json", () => {
  type Node = { path: string; count: number; below: number; children: Node[]; more?: number };

  it("as data it is the tree of the text (CA28)", async () => {
    const ask = asked(new RecallWorld());
    for (const scope of ["/a", "/a/b", "/a/b", "/a/c/d/e", "/f"])
      await ask("/memory", { json: { ...paying, content: `in ${scope}`, scope } });
    const text = textOf((await ask("/memory/tree?depth=3")).json["tree"]);
    const { json } = await ask("/memory/tree?format=json&depth=3");
    const lines = ({ path, count, below, children }: Node, depth: number): string[] => [
      `${"  ".repeat(depth)}${path} (${count + below} records)`,
      ...children.flatMap((child) => lines(child, depth + 1)),
    ];
    const root = json["tree"] as unknown as Node;
    expect(lines(root, 0).join("\n")).toBe(text);
    expect(root.children[0]).toMatchObject({ path: "/a", count: 1, below: 2 });
    expect(root.children[0]?.children[1]).toMatchObject({ path: "/a/c", count: 0, below: 1 });
    const flat = (await ask("/memory/tree?format=json&depth=1")).json["tree"] as unknown as Node;
    expect(flat.children[0]).toMatchObject({ path: "/a", children: [], more: 2 });
    expect((await ask("/memory/tree?format=json&depth=4")).status).toBe(400);
    expect((await ask("/memory/tree?format=yaml")).status).toBe(400);
  });
});
