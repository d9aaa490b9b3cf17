// Knowledge whose embedder is another one.
import { expect, it } from "vitest";
import { RunScope } from "../../../src/events/run-scope.ts";
import { documentId } from "../../../src/knowledge/index-document.ts";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import {
  knowledgeRun,
  knowledgeStart,
  reindexStart,
} from "../../../src/knowledge/operations/knowledge-run.ts";
import { queryKnowledge } from "../../../src/knowledge/query-knowledge.ts";
import { outdatedDocuments } from "../../../src/knowledge/reindex-collection.ts";
import { InMemoryVectorStores } from "../../../src/vectors/exact-vectors.ts";
import type { KnowledgeService } from "../../../src/knowledge/knowledge-service.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../support/cut-off.ts";
import { countingEmbedder, lastingStore, overtaken } from "../../support/knowledge-world.ts";

const TOPICS = ["tide", "salt", "wind", "fish"];
const SOURCES = TOPICS.map((word) => ({
  name: `${word}.txt`,
  text: Array.from({ length: 40 }, (_, line) => `The ${word} has line ${line}.`).join("\n\n"),
  chunking: { size: 40, overlap: 0 },
}));

/** A service before and after a deploy with another embedder, over the same stores. */
function services(): readonly [KnowledgeService, KnowledgeService] {
  const [store, vectors] = [lastingStore(), new InMemoryVectorStores()];
  const of = (model: string): KnowledgeService => {
    const embedder = countingEmbedder({ model });
    return knowledgeService({ store, vectors, embedder, tenant: "default" });
  };
  return [of("one"), of("two")];
}

const program = (start: ReturnType<typeof knowledgeStart>) =>
  knowledgeRun({ ...start, id: "r", tenant: "default" });

const { signal } = new AbortController();
const search = (service: KnowledgeService, word: string) =>
  queryKnowledge(service, { collection: "sea", queries: [word], scoreThreshold: 0.05 }, signal);

it("RI1, RI2: is complete wherever it is cut off, and no passage is lost", async () => {
  const ended: KnowledgeService[] = [];
  const { cut } = await cutAfterEveryWrite((): Subject => {
    const [before, after] = services();
    ended.push(after);
    let filled: Promise<unknown> | undefined;
    const fill = () =>
      RunScope.outside(() =>
        runWhole({
          services: { knowledge: before },
          program: program(knowledgeStart("sea", SOURCES)),
        }),
      );
    const reindex = program(reindexStart("sea"));
    return {
      services: { knowledge: after },
      program: {
        ...reindex,
        run: async (scope, inputs) => {
          await scope.at("fill").step({
            kind: "effect",
            run: async () => {
              await (filled ??= fill());
              return null;
            },
          });
          return reindex.run(scope, inputs);
        },
      },
    };
  });
  expect(cut.length).toBeGreaterThan(10);
  for (const service of ended) {
    expect(await outdatedDocuments(service, { collection: "sea" })).toEqual([]);
    const { store, vectors, embedder } = service;
    const { chunks } = await store.info("sea");
    expect(chunks).toBeGreaterThan(40);
    const { model } = embedder;
    const index = vectors.open({ tenant: "default", collection: "knowledge/sea", model });
    const [vector = new Float32Array()] = await embedder.embed(["tide"], { signal });
    expect(await index.query(vector, { limit: 100 })).toHaveLength(Math.min(chunks, 100));
    for (const word of TOPICS) {
      const { snippets } = await search(service, word);
      expect(snippets[0]).toMatchObject({ document: { name: `${word}.txt` } });
      expect(new Set(snippets.flatMap(({ matched }) => matched))).toEqual(
        new Set(["meaning", "words"]),
      );
    }
  }
});

it("RI1: a document added for the new embedder has the others made again in the same run", async () => {
  const [before, after] = services();
  await runWhole({
    services: { knowledge: before },
    program: program(knowledgeStart("sea", SOURCES)),
  });
  expect(await search(after, "tide")).toMatchObject({
    degraded: expect.stringContaining("were made with one") as string,
    snippets: [{ document: { name: "tide.txt" } }, {}, {}, {}, {}],
  });
  const added = knowledgeStart("sea", [{ name: "new.txt", text: "A whale sings." }]);
  const { run, events } = await runWhole({
    services: { knowledge: after },
    program: program(added),
  });
  expect(run.output).toMatchObject({
    documents: [{ name: "new.txt" }, ...SOURCES.map(() => ({ state: "ready" }))],
  });
  expect(
    events.filter(({ type }) => type === "knowledge_document_progress").length,
  ).toBeGreaterThan(4);
  expect(await outdatedDocuments(after, { collection: "sea" })).toEqual([]);
  expect((await search(after, "whale")).snippets).toMatchObject([
    { matched: ["meaning", "words"] },
  ]);
});

it("sources of a crew or a library are embedded again by addSources", async () => {
  const [before, after] = services();
  for (const service of [before, after]) {
    const knowledge = new Knowledge({ name: "sea", sources: SOURCES });
    const { run } = await runWhole({
      services: { knowledge: service },
      program: {
        tasks: [],
        run: (scope) =>
          scope.run(async () => {
            await knowledge.addSources();
            return (await knowledge.query("tide")).map(({ matched }) => matched.join());
          }),
      },
    });
    expect(run.output).toContain("meaning,words");
  }
  expect(await outdatedDocuments(after, { collection: "sea" })).toEqual([]);
});

it("RI3: an upload that ends between the last read and the write of a reindex keeps its result", async () => {
  const [before, after] = services();
  const tide = {
    name: "tide.txt",
    text: "The tide comes.\n\nThe tide goes.",
    chunking: { size: 20, overlap: 0 },
  };
  await runWhole({
    services: { knowledge: before },
    program: program(knowledgeStart("sea", [tide])),
  });
  const id = await documentId(tide.name);
  const upload = { ...tide, text: "One tide." };
  const { store } = after;
  // The reindex goes on with the document of before the upload.
  const racing = overtaken(store, "document", () =>
    RunScope.outside(() =>
      runWhole({
        services: { knowledge: after },
        program: program(knowledgeStart("sea", [upload])),
      }),
    ),
  );
  await runWhole({
    services: { knowledge: { ...after, embedder: after.embedder, store: racing } },
    program: program(reindexStart("sea")),
  });
  expect(await store.document("sea", id)).toMatchObject({
    state: "ready",
    characters: upload.text.length,
    chunks: 1,
  });
  expect(await outdatedDocuments(after, { collection: "sea" })).toEqual([]);
  expect((await search(after, "tide")).snippets).toHaveLength(1);
});
