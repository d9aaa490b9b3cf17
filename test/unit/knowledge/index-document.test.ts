import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/base/bytes.ts";
import type { RunScope } from "../../../src/events/run-scope.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import type { DocumentReader } from "../../../src/knowledge/document-text.ts";
import { indexDocument, type IndexedDocument } from "../../../src/knowledge/index-document.ts";
import type { DocumentSource } from "../../../src/knowledge/knowledge-source.ts";
import { DOCUMENT_READERS } from "../../../src/knowledge/readers/document-readers.ts";
import { TEXT_READERS } from "../../../src/knowledge/readers/text-reader-list.ts";
import { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { pdfOf, xlsxOf } from "../../support/documents.ts";
import {
  countingEmbedder,
  inRun,
  interrupted,
  knowledgeService,
} from "../../support/knowledge-world.ts";

const collection = "handbook";
const utf8 = (text: string) => new TextEncoder().encode(text);
const paragraphs = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, index) => `Rule ${from + index}: keep item${from + index} dry.\n\n`,
  ).join("");
/** Forty pages; a word of the 20th may be another. */
const pagesWith = (word: string) =>
  Array.from({ length: 40 }, (_, page) =>
    Array.from(
      { length: 12 },
      (_line, line) =>
        `Rule ${page}.${line}: keep item${page * 12 + line} ${page === 20 ? word : "dry"}.`,
    ).join("\n"),
  );
const chunking = { rule: "recursive", size: 40, overlap: 0 } as const;

function world(options: Parameters<typeof knowledgeService>[0] = {}) {
  const service = knowledgeService(options);
  const index = (source: DocumentSource): Promise<IndexedDocument> =>
    inRun((scope) => indexDocument(scope, service, { collection, source }));
  return { service, index, store: service.store };
}

describe("indexDocument", () => {
  it("keeps a document and its chunks, each with its place, and makes them findable", async () => {
    const { index, store, service } = world();
    const csv = Array.from({ length: 50 }, (_, row) => `item${row},${row} EUR`).join("\n");
    const done = await index({
      name: "prices.csv",
      text: csv,
      type: "csv",
      chunking: { size: 100, overlap: 0 },
    });
    expect(done).toMatchObject({ name: "prices.csv", state: "ready", embedded: done.chunks });
    const document = await store.document(collection, done.id);
    expect(document).toMatchObject({
      state: "ready",
      reader: "csv",
      chunks: done.chunks,
      indexed: done.chunks,
    });
    const chunks = await store.chunks(collection, await store.chunkIds(collection, done.id));
    expect(chunks[0]).toMatchObject({ ordinal: 0, row: 1, start: 0 });
    for (const { text, row = 0 } of chunks) expect(text.startsWith(`item${row - 1} `)).toBe(true);
    expect(chunks.map(({ text }) => text).join("")).toContain("item49 | 49 EUR");
    const model = service.embedder.model;
    const vectors = service.vectors.open({ tenant: "t", collection: "knowledge/handbook", model });
    expect(await vectors.info()).toEqual({ model, dimension: 384 });
  });

  it("LOS2: keeps the reader's losses with the document, its result and its event", async () => {
    const losses = [{ kind: "picture", count: 2, detail: "2 pictures without text" }] as const;
    const reader: DocumentReader = {
      name: "drawn",
      mediaTypes: ["image/x-drawn"],
      extensions: [".drawn"],
      read: async () => ({ text: "Tea is at four.", marks: [], losses }),
    };
    const service = knowledgeService({ readers: [reader] });
    const source: DocumentSource = { name: "a.drawn", base64: toBase64(new Uint8Array([1])) };
    const run = () =>
      new LocalRun(
        { kind: "agent", name: "k", inputs: {} },
        {
          tasks: [],
          run: (scope) => indexDocument(scope, service, { collection, source }) as Promise<never>,
        },
      );
    for (const embedded of [1, 0]) {
      const handle = run();
      const done = (await handle.output()) as unknown as IndexedDocument;
      expect(done).toMatchObject({ state: "ready", embedded, losses });
      expect(await service.store.document(collection, done.id)).toMatchObject({ losses });
      const types = ["knowledge_document_completed"] as const;
      const events: unknown[] = [];
      for await (const event of handle.events({ types })) events.push(event);
      expect(events).toMatchObject([{ losses }]);
    }
    const plain = await inRun((scope) =>
      indexDocument(scope, knowledgeService(), { collection, source: { name: "b", text: "tea" } }),
    );
    expect(plain).not.toHaveProperty("losses");
  });

  it("KI1: an unchanged document costs no embedding", async () => {
    const { index, service } = world();
    const source = { name: "a.md", text: paragraphs(10), chunking };
    const first = await index(source);
    const embedded = service.embedder.embedded.length;
    expect(await index(source)).toEqual({ ...first, embedded: 0 });
    expect(service.embedder.embedded).toHaveLength(embedded);
  });

  it("KI1: is indexed again with another recipe", async () => {
    const { index, service } = world();
    await index({ name: "a.md", text: paragraphs(10), chunking });
    const again = await index({
      name: "a.md",
      text: paragraphs(10),
      chunking: { ...chunking, size: 80 },
    });
    expect(again.embedded).toBeGreaterThanOrEqual(again.chunks - 1);
    expect((await service.store.info(collection)).chunks).toBe(again.chunks);
  });

  it("KI2: embeds only new chunks of a document, and removes old ones", async () => {
    const { index, service, store } = world();
    const first = await index({ name: "a.md", text: paragraphs(10), chunking });
    service.embedder.embedded.length = 0;
    const text = paragraphs(9, 1) + paragraphs(1, 100);
    const second = await index({ name: "a.md", text, chunking });
    expect(second).toMatchObject({ chunks: first.chunks, embedded: 1 });
    expect(service.embedder.embedded).toEqual([expect.stringContaining("item100")]);
    const kept = await store.chunks(collection, await store.chunkIds(collection, first.id));
    expect(kept.map(({ start }) => start)).toEqual(
      kept.map(({ start }) => start).toSorted((a, b) => a - b),
    );
    expect(kept.some((chunk) => chunk.text.includes("item0 "))).toBe(false);
  });

  it.each([
    ["handbook.txt", paragraphs(4000), (text: string) => `One line more.\n${text}`],
    ["handbook.md", paragraphs(4000), (text: string) => text.replace("item2000 ", "thing ")],
    [
      "stock.csv",
      paragraphs(4000),
      (text: string) => text.replace("Rule 2000", "New,1\nRule 2000"),
    ],
    [
      "stock.json",
      JSON.stringify(Object.fromEntries(paragraphs(4000).split("\n\n").entries())),
      (text: string) => text.replace("item2000 ", "thing "),
    ],
  ])(
    "KI2: embeds little of %s after a small change, by the default rule",
    async (name, text, change) => {
      const { index } = world();
      const first = await index({
        name,
        text,
        type: name.split(".")[1]?.replace("txt", "text").replace("md", "markdown") ?? "",
      });
      expect(first.chunks).toBeGreaterThan(20);
      const again = await index({
        name,
        text: change(text),
        type: name.split(".")[1]?.replace("txt", "text").replace("md", "markdown") ?? "",
      });
      expect(again.embedded).toBeGreaterThan(0);
      expect(again.embedded).toBeLessThanOrEqual(4);
    },
  );

  it.each([
    ["book.pdf", (word: string) => pdfOf(...pagesWith(word))],
    [
      "book.xlsx",
      (word: string) => xlsxOf({ Book: pagesWith(word).map((text, row) => [row, text]) }),
    ],
  ])("KI2: embeds the new parts of %s", async (name, make) => {
    const { index } = world({ readers: [...DOCUMENT_READERS] });
    const bytes = (word: string) => toBase64(make(word));
    const first = await index({ name, base64: bytes("dry") });
    expect(first).toMatchObject({ state: "ready" });
    expect(first.chunks).toBeGreaterThan(5);
    const again = await index({ name, base64: bytes("wet") });
    expect(again.embedded).toBeGreaterThan(0);
    expect(again.embedded).toBeLessThanOrEqual(3);
  });

  it("keeps a repeated text twice", async () => {
    const { index } = world();
    expect(
      await index({ name: "a.txt", text: "same\n\nsame\n\n", chunking: { ...chunking, size: 6 } }),
    ).toMatchObject({ chunks: 2 });
  });

  it("KI4: a failed document has its error, and its earlier chunks stay", async () => {
    const { index, store } = world();
    const good = await index({ name: "a.json", text: '{"a":1}', type: "json" });
    const bad = await index({ name: "a.json", text: "{", type: "json" });
    expect(bad).toMatchObject({ state: "failed", error: expect.stringContaining("must be JSON") });
    expect(await store.document(collection, good.id)).toMatchObject({
      state: "failed",
      error: bad.error,
      chunks: 1,
    });
    expect(await store.chunkIds(collection, good.id)).toHaveLength(1);
    expect(await index({ name: "a.json", text: '{"a":1}', type: "json" })).toMatchObject({
      state: "ready",
      embedded: 0,
    });
    expect(await store.document(collection, good.id)).not.toHaveProperty("error");
  });

  it("KI6: of two versions indexed at once, the last one to end is whole", async () => {
    const { index, service, store } = world();
    const [old, fresh] = [
      { name: "sea.txt", text: "The tide is low." },
      { name: "sea.txt", text: "The wind is high." },
    ];
    const racing = interrupted(store, "chunkIds", () => index(fresh));
    const { id } = await inRun((scope) =>
      indexDocument(scope, { ...service, store: racing }, { collection, source: old }),
    );
    const chunks = await store.chunks(collection, await store.chunkIds(collection, id));
    expect(chunks.map(({ text }) => text)).toEqual([old.text]);
    expect(await store.document(collection, id)).toMatchObject({
      state: "ready",
      characters: old.text.length,
    });
    const vectors = service.vectors.open({
      tenant: "t",
      collection: `knowledge/${collection}`,
      model: service.embedder.model,
    });
    expect(await vectors.query(new Float32Array(384).fill(1), { limit: 9 })).toMatchObject(
      chunks.map((chunk) => ({ id: chunk.id })),
    );
  });

  it("KI4: a failure keeps the result of an indexing that ended meanwhile", async () => {
    const { index, service, store } = world();
    const good = { name: "a.json", text: '{"a":"tea"}', type: "json" };
    const racing = interrupted(store, "updateDocument", () => index(good));
    const { id } = await inRun((scope) =>
      indexDocument(
        scope,
        { ...service, store: racing },
        { collection, source: { ...good, text: "{" } },
      ),
    );
    expect(await store.document(collection, id)).toMatchObject({
      state: "failed",
      reader: "json",
      chunks: 1,
      characters: "a: tea\n".length,
    });
  });

  it.each(["script.js", "style.css", "notes", "manual.pdf"])(
    "reads a text named %s as it is, also beside the readers of documents",
    async (name) => {
      for (const readers of [TEXT_READERS, [...DOCUMENT_READERS, ...TEXT_READERS]]) {
        const { index, store } = world({ readers });
        const done = await index({ name, text: "Tea at 80 degrees" });
        expect(done).toMatchObject({ state: "ready", chunks: 1 });
        expect(await store.document(collection, done.id)).toMatchObject({ reader: "text" });
      }
    },
  );

  it.each<[string, DocumentSource, RegExp]>([
    [
      "a type without a reader",
      { name: "x", text: "x", type: "pdf" },
      /no reader for "pdf": DOCUMENT_READERS .*; there are text, markdown/,
    ],
    [
      "a kind without a reader",
      { name: "x", base64: "AAAA", mediaType: "image/png" },
      /no reader for image\/png/,
    ],
    [
      "a PDF without its reader",
      { name: "x.pdf", base64: "AAAA", mediaType: "application/pdf" },
      /^no reader for application\/pdf: DOCUMENT_READERS of edgecrew\/knowledge\/readers does.*; there are readers for text,/,
    ],
    [
      "HTML without its reader",
      {
        name: "prices",
        base64: toBase64(utf8("<p>Tea</p>")),
        mediaType: "text/html; charset=utf-8",
      },
      /^no reader for text\/html: DOCUMENT_READERS of edgecrew\/knowledge\/readers does/,
    ],
    [
      "XML without its reader",
      { name: "prices", base64: toBase64(utf8("<p>Tea</p>")), mediaType: "text/xml" },
      /^no reader for text\/xml: DOCUMENT_READERS of edgecrew\/knowledge\/readers does/,
    ],
    [
      "HTML by its ending",
      { name: "prices.htm", text: "<p>Tea</p>" },
      /^no reader for html: DOCUMENT_READERS of edgecrew\/knowledge\/readers does/,
    ],
    [
      "a mail without its reader",
      { name: "a.eml", base64: toBase64(utf8("From: a")), mediaType: "text/plain" },
      /^no reader for mail: DOCUMENT_READERS of edgecrew\/knowledge\/readers does/,
    ],
    [
      "RTF, for which there is no reader",
      { name: "letter", base64: toBase64(utf8("{\\rtf1 Tea}")), mediaType: "text/rtf" },
      /^no reader for text\/rtf: save it as DOCX, .*; there are readers for text,/,
    ],
    [
      "signs alone",
      { name: "x", text: "!!! ??? --- ..." },
      /^the document has no letters or digits/,
    ],
    ["a file without a store", { name: "x.txt", path: "x.txt" }, /there is no file store/],
    ["invalid base64", { name: "x.txt", base64: "%%" }, /base64/],
    ["a private address", { name: "x.html", url: "http://10.0.0.1/x" }, /private network/],
  ])("refuses %s", async (_, source, message) => {
    expect(await world().index(source)).toMatchObject({
      state: "failed",
      error: expect.stringMatching(message),
    });
  });

  it("reads files of the file store, and pages, by their ending or media type", async () => {
    const files = new InMemoryFileStore();
    await files.put("knowledge/a.md", "# A\ntext", "text/markdown");
    const fetched: string[] = [];
    const fetch = (async (url: URL) => {
      fetched.push(String(url));
      if (url.pathname === "/moved")
        return new Response(null, { status: 302, headers: { location: "http://127.0.0.1/" } });
      return new Response("a,b", { headers: { "content-type": "text/csv; charset=utf-8" } });
    }) as unknown as typeof globalThis.fetch;
    const { index, store } = world({ files, outbound: { fetch } });
    const file = await index({ name: "A", path: "knowledge/a.md" });
    expect(await store.document(collection, file.id)).toMatchObject({ reader: "markdown" });
    const page = await index({ name: "B", url: "https://example.com/data" });
    expect(await store.document(collection, page.id)).toMatchObject({ reader: "csv" });
    expect(await index({ name: "C", url: "https://example.com/moved" })).toMatchObject({
      state: "failed",
      error: expect.stringContaining("redirects to an address"),
    });
    expect(await index({ name: "D", path: "gone.md" })).toMatchObject({
      error: expect.stringContaining('no file "gone.md"'),
    });
    expect(fetched.every((url) => url.startsWith("https://example.com/"))).toBe(true);
  });

  it("reads texts in the named encoding, else in that of the media type, and again in another", async () => {
    const fetch = (async () =>
      new Response(new Uint8Array([0x61, 0x2c, 0xcf, 0xc8]), {
        headers: { "content-type": "text/csv; charset=windows-1251" },
      })) as unknown as typeof globalThis.fetch;
    const { index, store } = world({ outbound: { fetch } });
    const textOf = async (source: DocumentSource) => {
      const { id, embedded } = await index(source);
      const [chunk] = await store.chunks(collection, await store.chunkIds(collection, id));
      return { text: chunk?.text, embedded };
    };
    const base64 = toBase64(new Uint8Array([0x61, 0x2c, 0xcf, 0xc8]));
    const source = { name: "a.csv", base64 };
    expect(await textOf({ ...source, encoding: "windows-1251" })).toEqual({
      text: "a | ПИ\n",
      embedded: 1,
    });
    expect(await textOf({ ...source, encoding: "windows-1252" })).toEqual({
      text: "a | ÏÈ\n",
      embedded: 1,
    });
    expect(await textOf({ ...source, encoding: "windows-1252" })).toMatchObject({ embedded: 0 });
    const page = { name: "b.csv", url: "https://example.com/b.csv" };
    expect(await textOf(page)).toMatchObject({ text: "a | ПИ\n" });
    expect(await textOf({ ...page, encoding: "windows-1252" })).toMatchObject({ text: "a | ÏÈ\n" });
    const { losses } = await index({
      name: "c.csv",
      base64: toBase64(new Uint8Array([0x61, 0xe9])),
    });
    expect(losses).toMatchObject([{ kind: "encoding", count: 1 }]);
  });

  it("RI1: takes over the collection of another model", async () => {
    const { index, service } = world();
    await index({ name: "a", text: "one" });
    const embedder = countingEmbedder({ model: "other" });
    const done = await inRun((scope) =>
      indexDocument(scope, service, { collection, embedder, source: { name: "b", text: "two" } }),
    );
    expect(done).toMatchObject({ state: "ready" });
  });

  it("KI3: cut off anywhere, ends the same, and embeds no finished batch again", async () => {
    const text = paragraphs(350);
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const service = knowledgeService();
      const run = (scope: RunScope) =>
        indexDocument(scope, service, {
          collection,
          source: { name: "a.md", text, chunking },
        }) as Promise<never>;
      return {
        program: { run, tasks: [] },
        get calls() {
          return [...service.embedder.embedded];
        },
      };
    });
    expect(whole.run.output).toMatchObject({ state: "ready", chunks: 350, embedded: 350 });
    expect(cut.length).toBeGreaterThan(5);
    for (const each of cut) {
      expect(each.run.output).toMatchObject({ state: "ready", chunks: 350 });
      expect(each.course.calls).toEqual(whole.course.calls);
      expect(each.calls.length).toBeLessThanOrEqual(450);
    }
    const told = whole.events.filter((event) => event.type === "knowledge_document_progress");
    expect(told).toMatchObject([
      { indexed: 100, chunks: 350 },
      { indexed: 200 },
      { indexed: 300 },
      { indexed: 350 },
    ]);
  });
});
