import { expect, it } from "vitest";
import { D1KnowledgeStore } from "../../../../src/cloudflare/stores/d1-knowledge-store.ts";
import type { KnowledgeChunk } from "../../../../src/knowledge/knowledge-store.ts";
import { knowledgeStoreSuite } from "../../../support/knowledge-store.suite.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

const worlds = new Map<string, ReturnType<typeof sqliteD1>>();

knowledgeStoreSuite((tenant, world) => {
  const db = worlds.get(world) ?? sqliteD1();
  worlds.set(world, db);
  return new D1KnowledgeStore(db, tenant);
});

it("finds chunks of earlier versions until they are written again or deleted", async () => {
  const db = sqliteD1();
  const store = new D1KnowledgeStore(db, "t");
  const chunk: KnowledgeChunk = {
    id: "1",
    document: "d",
    ordinal: 0,
    text: "The kettle boils",
    start: 0,
    end: 16,
  };
  const count = (table: string) =>
    db.sqlite.prepare(`SELECT count(*) AS n FROM ${table}_docsize`).get()?.["n"];
  db.sqlite.exec("CREATE VIRTUAL TABLE terms_of USING fts5vocab(knowledge_terms, col)");
  await store.putChunks("c", [chunk, { ...chunk, id: "2", text: "Tea" }]);
  // Earlier versions wrote the place and the terms alone.
  const { place } = db.sqlite
    .prepare("SELECT term AS place FROM terms_of WHERE col = 'place' LIMIT 1")
    .get() as { place: string };
  db.sqlite.exec("DELETE FROM knowledge_terms");
  const number = db.sqlite.prepare("SELECT number FROM knowledge_chunks WHERE id = ?");
  for (const [id, terms] of [
    ["1", "kettl boil"],
    ["2", "tea"],
  ])
    db.sqlite
      .prepare("INSERT INTO knowledge_words (rowid, place, terms) VALUES (?, ?, ?)")
      .run(Number(number.get(id!)?.["number"]), place, terms!);
  const find = async (term: string) => (await store.searchText("c", [term], 5)).map(({ id }) => id);
  expect([await find("kettl"), await find("tea")]).toEqual([["1"], ["2"]]);
  await store.putChunks("c", [chunk]);
  expect([count("knowledge_words"), count("knowledge_terms")]).toEqual([1, 1]);
  expect(await find("kettl")).toEqual(["1"]);
  await store.deleteChunks("c", ["1", "2"]);
  expect([count("knowledge_words"), count("knowledge_terms")]).toEqual([0, 0]);
});
