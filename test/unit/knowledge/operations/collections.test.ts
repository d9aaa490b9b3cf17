import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import type { VectorStores } from "../../../../src/vectors/vector-store.ts";
import { textOf, type Answer, type AskOptions } from "../../../support/http-app.ts";
import { countingEmbedder } from "../../../support/knowledge-world.ts";
import { ADMIN, RecallWorld } from "../../../support/recall-world.ts";

function asked(world: RecallWorld, key = ADMIN) {
  return (path: string, options: AskOptions = {}): Promise<Answer> =>
    world.ask(path, { key, ...options });
}

async function keyOf(world: RecallWorld, tenant: string, ...scopes: string[]): Promise<string> {
  const { json } = await asked(world)("/keys", { json: { tenant, scopes } });
  return textOf(json["key"]);
}

/** Adds documents and lets their run end; answers the run. */
async function added(world: RecallWorld, json: unknown, collection = "manuals"): Promise<Answer> {
  const started = await asked(world)(`/knowledge/${collection}/sources`, { json });
  expect(started.status).toBe(202);
  return ended(world, textOf(started.json["id"]));
}

/** Digests are made beside the simulated time, so a run is not through when the clock is. */
async function until(
  what: string,
  world: RecallWorld,
  holds: () => Promise<boolean>,
): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    await world.clock.settle();
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`in vain: ${what}`);
}

/** The run, once it has ended. */
async function ended(world: RecallWorld, id: string, key = ADMIN): Promise<Answer> {
  const run = () => asked(world, key)(`/runs/${id}`);
  await until(`run ${id} ends`, world, async () =>
    ["completed", "failed"].includes(textOf((await run()).json["status"])),
  );
  return run();
}

const manual = {
  name: "manual.md",
  text: "# Kettle\n\nThe kettle boils water.\n\n# Warranty\n\nThe warranty lasts two years.",
};

describe("POST /knowledge/:collection/sources", () => {
  it("KO1: indexes a document by a run, and a query cites the place", async () => {
    const world = new RecallWorld();
    const run = await added(world, manual);
    expect(run.json).toMatchObject({
      kind: "knowledge",
      name: "manuals",
      status: "completed",
      inputs: { documents: ["manual.md"] },
      output: { documents: [{ name: "manual.md", state: "ready", chunks: 2, embedded: 2 }] },
    });
    expect(run.text).not.toContain("boils");
    const found = await asked(world)("/knowledge/manuals/query", {
      json: { query: "How many years is the warranty?", score_threshold: 0.1, limit: 1 },
    });
    expect(found.json).toMatchObject({
      items: [
        {
          text: expect.stringContaining("two years") as string,
          document: { name: "manual.md" },
          heading: "Warranty",
          start: manual.text.indexOf("# Warranty"),
          matched: ["meaning", "words"],
        },
      ],
    });
    expect(found.json).not.toHaveProperty("degraded");
  });

  it("publishes each document in the run's events", async () => {
    const world = new RecallWorld();
    const { json } = await added(world, [manual, { name: "bad.pdf", base64: "AAAA" }]);
    const events = await asked(world)(`/runs/${textOf(json["id"])}/events?follow=0`);
    for (const type of ["started", "progress", "completed", "failed"])
      expect(events.text).toContain(`event: knowledge_document_${type}`);
  });

  it("KO1: an unreadable document does not affect the others, and has its error", async () => {
    const world = new RecallWorld();
    const { json } = await added(world, [
      { name: "photo.raw", base64: "AAAA", media_type: "image/x-raw" },
      manual,
      { name: "gone.txt", path: "gone.txt" },
    ]);
    expect(json["output"]).toMatchObject({
      documents: [
        { state: "failed", error: expect.stringContaining("no reader for image/x-raw") as string },
        { state: "ready" },
        { state: "failed", error: expect.stringContaining("there is no file") as string },
      ],
    });
    const { json: listed } = await asked(world)("/knowledge/manuals");
    expect(listed["items"]).toMatchObject([
      { name: "gone.txt", state: "failed" },
      { name: "manual.md", state: "ready", chunks: 2, indexed: 2 },
      { name: "photo.raw", state: "failed" },
    ]);
  });

  it("embeds no text of an unchanged document", async () => {
    const embedder = countingEmbedder();
    const world = new RecallWorld({ knowledge: { embedder } });
    await added(world, manual);
    const again = await added(world, manual);
    expect(again.json["output"]).toMatchObject({ documents: [{ state: "ready", embedded: 0 }] });
    const { length } = embedder.embedded;
    const changed = { ...manual, text: `# Cord\n\nThe cord is short.\n\n${manual.text}` };
    await added(world, changed);
    expect(embedder.embedded.slice(length)).toEqual([expect.stringContaining("short")]);
  });

  it("starts one run for one Idempotency-Key", async () => {
    const world = new RecallWorld();
    const headers = { "idempotency-key": "upload 1" };
    const [first, second] = [
      await asked(world)("/knowledge/a/sources", { json: manual, headers }),
      await asked(world)("/knowledge/a/sources", { json: manual, headers }),
    ];
    expect(second.json["id"]).toBe(first.json["id"] as never);
  });

  it("takes a body as the document named in the query", async () => {
    const world = new RecallWorld();
    const upload = (name: string, body: string, type: string) =>
      asked(world)(`/knowledge/files/sources?name=${name}`, {
        body,
        headers: { "content-type": type },
      });
    const runs = [
      await upload("prices.csv", "item,price\nkettle,30\ncup,5", "text/csv"),
      await upload("data.json", '{"kettle":{"price":30}}', "application/json"),
      await upload("notes", "Cups are blue", "text/plain"),
    ];
    await Promise.all(runs.map((run) => ended(world, textOf(run.json["id"]))));
    const { json } = await asked(world)("/knowledge/files");
    expect(json["items"]).toMatchObject([
      { name: "data.json", reader: "json", state: "ready" },
      { name: "notes", reader: "text", state: "ready" },
      { name: "prices.csv", reader: "csv", state: "ready" },
    ]);
    const cited = await asked(world)("/knowledge/files/query", { json: { query: "cup price" } });
    expect(cited.json["items"]?.[0]).toMatchObject({ document: { name: "prices.csv" }, row: 3 });
  });

  it("KO2: puts a large body into the file store, and refuses it without one", async () => {
    const world = new RecallWorld();
    const body = `begin ${"word ".repeat(100_000)} end`;
    const options = { body, headers: { "content-type": "text/plain" } };
    const { json } = await asked(world)("/knowledge/big/sources?name=big book.txt", options);
    const id = textOf(json["id"]);
    await ended(world, id);
    expect(await world.files.get(`knowledge-uploads/${id}/big-book.txt`)).toMatchObject({
      mediaType: "text/plain",
    });
    expect((await asked(world)("/knowledge/big")).json["items"]).toMatchObject([
      { name: "big book.txt", state: "ready", characters: body.length },
    ]);
    const bare = new RecallWorld({ files: null });
    const large = { ...options, body: "a".repeat(1024 * 1024 + 1) };
    expect((await asked(bare)("/knowledge/big/sources?name=a.txt", large)).status).toBe(413);
    expect((await asked(bare)("/knowledge/big/sources?name=a.txt", options)).status).toBe(202);
  });

  it.each([
    [{ name: "a" }, "expected one of text, url, path and base64"],
    [{ name: "a", text: "b", url: "https://example.com" }, "expected one of"],
    [{ text: "b" }, "/name expected string, got nothing"],
    [{ name: "", text: "b" }, "/name expected at least 1 characters"],
    [{ name: "a", text: "b", colour: 1 }, "/colour is not a known field"],
    [
      { name: "a", text: "b", chunking: { size: 10, overlap: 10 } },
      "overlap must be an integer from 0",
    ],
    [
      { name: "a", base64: "YQ==", encoding: "nope" },
      'encoding must be the name of an encoding, such as windows-1252 or shift_jis, got "nope"',
    ],
    [[], "expected at least 1 items"],
    [
      [
        { name: "a", text: "b" },
        { name: "a", text: "c" },
      ],
      "/1/name expected each name once",
    ],
    [
      { name: "a", url: "http://169.254.169.254/latest" },
      "must not be an address of a private network",
    ],
    [{ name: "a", url: "http://localhost/x" }, "must not be an address of a private network"],
    [{ name: "a", url: "file:///etc/passwd" }, "must be an http or https URL"],
  ])("refuses %j", async (json, detail) => {
    const world = new RecallWorld();
    const answer = await asked(world)("/knowledge/manuals/sources", { json });
    expect(answer.status).toBe(400);
    expect(answer.json["detail"]).toContain(detail);
    expect((await asked(world)("/runs")).json["items"]).toEqual([]);
  });

  it("refuses bodies without a name, and invalid JSON", async () => {
    const ask = asked(new RecallWorld());
    const send = (body: string, type: string) =>
      ask("/knowledge/a/sources", { body, headers: { "content-type": type } });
    expect((await send("text", "text/plain")).json["detail"]).toContain("/name expected");
    expect((await send("{", "application/json")).json["detail"]).toContain("not JSON");
    const empty = { body: "", headers: { "content-type": "text/plain" } };
    expect((await ask("/knowledge/a/sources?name=a", empty)).status).toBe(400);
    const long = `/knowledge/${"a".repeat(129)}/sources`;
    expect((await ask(long, { json: manual })).status).toBe(400);
  });

  it.each([
    ["[".repeat(150_000) + "]".repeat(150_000), "must be nested at most 100 deep"],
    ["[".repeat(150_000), "not JSON"],
    [`{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`, "must be nested at most 100 deep"],
    [`{"a":`.repeat(150_000), "not JSON"],
  ])("refuses a body of lists in lists", async (body, detail) => {
    const answer = await asked(new RecallWorld())("/knowledge/a/sources", {
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(400);
    expect(answer.json["detail"]).toContain(detail);
  });

  it("names the unreachable address after retries", async () => {
    let asks = 0;
    const fetched = (async () => {
      asks++;
      throw new TypeError("the network is down");
    }) as unknown as typeof fetch;
    const world = new RecallWorld({ knowledge: { fetch: fetched } });
    const started = await asked(world)("/knowledge/a/sources", {
      json: { name: "page", url: "https://example.com/page.txt" },
    });
    for (let turn = 0; turn < 20; turn++) await world.clock.advance(1000);
    const { json } = await ended(world, textOf(started.json["id"]));
    expect(json["output"]?.["documents"]?.[0]?.["error"]).toBe(
      "https://example.com/page.txt cannot be reached: the network is down",
    );
    expect(asks).toBeGreaterThan(1);
  });

  it("follows no redirect to a private address", async () => {
    const asks: string[] = [];
    const fetched = (async (url: URL | string) => {
      asks.push(String(url));
      return new Response(null, { status: 302, headers: { location: "http://10.0.0.1/secret" } });
    }) as typeof fetch;
    const world = new RecallWorld({ knowledge: { fetch: fetched } });
    const { json } = await added(world, { name: "page.txt", url: "https://example.com/page.txt" });
    expect(json["output"]).toMatchObject({
      documents: [{ state: "failed", error: expect.stringContaining("private network") as string }],
    });
    expect(asks).toEqual(["https://example.com/page.txt"]);
  });
});

describe("collections and documents", () => {
  it("are listed by name, page by page", async () => {
    const world = new RecallWorld();
    for (const name of ["b/2", "a 1", "c"]) {
      await added(world, manual, encodeURIComponent(name));
      await added(world, { ...manual, name: "other ä.md" }, encodeURIComponent(name));
    }
    const first = await asked(world)("/knowledge?limit=2");
    expect(first.json["items"]).toEqual([
      { name: "a 1", documents: 2, chunks: 4 },
      { name: "b/2", documents: 2, chunks: 4 },
    ]);
    const rest = await asked(world)(
      `/knowledge?cursor=${encodeURIComponent(textOf(first.json["nextCursor"]))}`,
    );
    expect(rest.json).toEqual({ items: [{ name: "c", documents: 2, chunks: 4 }] });
    const page = await asked(world)(`/knowledge/${encodeURIComponent("b/2")}?limit=1`);
    expect(page.json["items"]).toMatchObject([{ name: "manual.md" }]);
    const next = await asked(world)(
      `/knowledge/${encodeURIComponent("b/2")}?limit=1&cursor=${encodeURIComponent(textOf(page.json["nextCursor"]))}`,
    );
    expect(next.json["items"]).toMatchObject([{ name: "other ä.md" }]);
    expect(next.json).not.toHaveProperty("nextCursor");
    for (const cursor of ["mine", "n%25E0%25A4%25A"])
      expect((await asked(world)(`/knowledge?cursor=${cursor}`)).status).toBe(400);
    expect((await asked(world)("/knowledge/none")).json).toEqual({ items: [] });
  });

  it("show a document, and delete it with its vectors", async () => {
    const vectors = new InMemoryVectorStores();
    const world = new RecallWorld({ vectors });
    const ask = asked(world);
    await added(world, manual);
    const { json: listed } = await ask("/knowledge/manuals");
    const path = `/knowledge/manuals/documents/${textOf(listed["items"]?.[0]?.["id"])}`;
    const shown = await ask(path);
    expect(shown.json).toEqual(listed["items"]?.[0]);
    expect(shown.json["hash"]).toMatch(/^[\w-]{43}$/); // of the bytes, so that clients send no document twice
    expect(Object.keys(shown.json)).not.toContain("recipe");
    expect((await ask(path, { method: "DELETE" })).status).toBe(204);
    expect((await ask(path, { method: "DELETE" })).status).toBe(404);
    expect((await ask(path)).status).toBe(404);
    const query = { json: { query: "warranty", scoreThreshold: 0 } };
    expect((await ask("/knowledge/manuals/query", query)).json).toEqual({ items: [] });
    const { model } = countingEmbedder();
    const index = vectors.open({ tenant: "default", collection: "knowledge/manuals", model });
    expect(await index.query(new Float32Array(384).fill(1), { limit: 10 })).toEqual([]);
  });

  it("delete a collection, which then takes another embedder", async () => {
    const vectors = new InMemoryVectorStores();
    const world = new RecallWorld({ vectors });
    await added(world, manual);
    expect((await asked(world)("/knowledge/manuals", { method: "DELETE" })).status).toBe(204);
    expect((await asked(world)("/knowledge/manuals", { method: "DELETE" })).status).toBe(404);
    const index = vectors.open({
      tenant: "default",
      collection: "knowledge/manuals",
      model: "any",
    });
    expect(await index.info()).toBeUndefined();
  });

  it("KO3: a document being indexed cannot be deleted", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const inner = countingEmbedder({ maxBatch: 100 });
    let calls = 0;
    const embedder: typeof inner = {
      ...inner,
      embed: async (texts, options) => {
        if (++calls === 2) await held;
        return inner.embed(texts, options);
      },
    };
    const world = new RecallWorld({ knowledge: { embedder } });
    const text = Array.from({ length: 200 }, (_, index) => `${index} ${"x".repeat(30)}`).join("\n");
    const json = { name: "long.txt", text, chunking: { size: 40, overlap: 0, rule: "lines" } };
    const { json: run } = await asked(world)("/knowledge/busy/sources", { json });
    await until("half of it is there", world, async () => calls === 2);
    const { json: listed } = await asked(world)("/knowledge/busy");
    expect(listed["items"]).toMatchObject([{ state: "indexing", indexed: 100 }]);
    const path = `/knowledge/busy/documents/${textOf(listed["items"]?.[0]?.["id"])}`;
    expect((await asked(world)(path, { method: "DELETE" })).status).toBe(409);
    expect((await asked(world)("/knowledge/busy", { method: "DELETE" })).status).toBe(409);
    release();
    await ended(world, textOf(run["id"]));
    expect((await asked(world)(path, { method: "DELETE" })).status).toBe(204);
  });
});

describe("POST /knowledge/:collection/query", () => {
  it("reports a failed index, and finds by words", async () => {
    const inner = new InMemoryVectorStores();
    let away = false;
    const vectors: VectorStores = {
      open: (collection) => {
        const store = inner.open(collection);
        return Object.assign(Object.create(store) as typeof store, {
          upsert: store.upsert.bind(store),
          query: async (...query: Parameters<typeof store.query>) => {
            if (away) throw new EngineError("vector_store_unavailable", "the index sleeps");
            return store.query(...query);
          },
        });
      },
    };
    const world = new RecallWorld({ vectors });
    await added(world, manual);
    away = true;
    const { json } = await asked(world)("/knowledge/manuals/query", {
      json: { query: "warranty" },
    });
    expect(json).toMatchObject({
      items: [{ heading: "Warranty", score: null, matched: ["words"] }],
      degraded: "the index sleeps",
    });
  });

  it("takes several phrasings, and skips the word search on request", async () => {
    const world = new RecallWorld();
    await added(world, manual);
    const query = (json: object) => asked(world)("/knowledge/manuals/query", { json });
    const both = await query({ queries: ["warranty years", "boils water"], scoreThreshold: 1 });
    expect(both.json["items"]).toHaveLength(2);
    const none = await query({ query: "warranty years", scoreThreshold: 1, hybrid: false });
    expect(none.json).toEqual({ items: [] });
  });

  it.each([
    [{}, "expected either query or queries"],
    [{ query: "a", queries: ["b"] }, "expected either query or queries"],
    [{ query: "a", limit: 51 }, "/limit expected at most 50"],
    [{ query: "a", scoreThreshold: 2 }, "/scoreThreshold expected at most 1"],
    [{ query: 3 }, "/query expected string"],
  ])("refuses %j", async (json, detail) => {
    const answer = await asked(new RecallWorld())("/knowledge/a/query", { json });
    expect(answer.status).toBe(400);
    expect(answer.json["detail"]).toContain(detail);
  });

  it("refuses an embedder other than the vectors'", async () => {
    const vectors = new InMemoryVectorStores();
    const world = new RecallWorld({
      vectors,
      knowledge: { embedder: countingEmbedder({ model: "one" }) },
    });
    await added(world, manual);
    const other = new RecallWorld({
      vectors,
      knowledge: { embedder: countingEmbedder({ model: "two" }) },
    });
    const answer = await asked(other)("/knowledge/manuals/query", { json: { query: "a" } });
    expect(answer).toMatchObject({ status: 409, json: { code: "embedding_mismatch" } });
  });
});

it("tenants do not see each other's knowledge", async () => {
  const world = new RecallWorld();
  await added(world, manual);
  const { json } = await asked(world)("/knowledge/manuals");
  const path = `/knowledge/manuals/documents/${textOf(json["items"]?.[0]?.["id"])}`;
  const other = asked(world, await keyOf(world, "other", "admin"));
  expect((await other("/knowledge")).json).toEqual({ items: [] });
  expect((await other("/knowledge/manuals")).json).toEqual({ items: [] });
  for (const [gone, method] of [
    [path, "GET"],
    [path, "DELETE"],
    ["/knowledge/manuals", "DELETE"],
  ] as const)
    expect((await other(gone, { method })).status).toBe(404);
  const query = await other("/knowledge/manuals/query", {
    json: { query: "warranty", scoreThreshold: 0 },
  });
  expect(query.json).toEqual({ items: [] });
  expect((await asked(world)(path)).status).toBe(200);
});

it("asks for the scopes of keys", async () => {
  const world = new RecallWorld();
  const reader = asked(world, await keyOf(world, "default", "read"));
  const runner = asked(world, await keyOf(world, "default", "run"));
  expect((await reader("/knowledge/a/sources", { json: manual })).status).toBe(403);
  expect((await runner("/knowledge/a/sources", { json: manual })).status).toBe(202);
  expect((await runner("/knowledge/a/query", { json: { query: "a" } })).status).toBe(403);
  expect((await runner("/knowledge/a", { method: "DELETE" })).status).toBe(403);
  expect((await world.ask("/knowledge")).status).toBe(401);
});

describe("GET /knowledge/:collection/documents/:id/chunks", () => {
  it("lists the chunks of a document in their order, page by page (CA28)", async () => {
    const world = new RecallWorld();
    const ask = asked(world);
    await added(world, manual);
    const [document] = (await ask("/knowledge/manuals")).json["items"] as unknown as [
      { id: string; chunks: number },
    ];
    const path = `/knowledge/manuals/documents/${document.id}/chunks`;
    const chunks: Record<string, unknown>[] = [];
    for (let query = "?limit=1"; query !== "";) {
      const { json } = await ask(path + query);
      chunks.push(...(json["items"] as unknown as Record<string, unknown>[]));
      const { nextCursor } = json as unknown as { nextCursor?: string };
      query = nextCursor === undefined ? "" : `?limit=1&cursor=${nextCursor}`;
    }
    expect(chunks).toHaveLength(document.chunks);
    expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index));
    for (const { text, start, end, indexed, place } of chunks) {
      expect(text).toBe(manual.text.slice(start as number, end as number));
      expect(indexed).toBe(true);
      expect(place).toHaveProperty("line");
    }
    expect((await ask("/knowledge/manuals/documents/nope/chunks")).status).toBe(404);
    expect((await ask(`${path}?cursor=x`)).status).toBe(400);
  });
});
