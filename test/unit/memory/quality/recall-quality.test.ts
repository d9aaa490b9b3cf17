import { expect, it } from "vitest";
import { InMemoryRecords } from "../../../../src/memory/in-memory-records.ts";
import type { RecallOptions } from "../../../../src/memory/memory-view.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import { hashEmbedder } from "../../../../src/vectors/hash-embedder.ts";
import { COMPLETE, memoryWorld } from "../../../support/memory-harness.ts";
import { FACTS, QUESTIONS } from "./facts.ts";

const WANTED = 5;

const storage = {
  tenant: "quality",
  records: new InMemoryRecords(),
  vectors: new InMemoryVectorStores(),
};
const { memory } = memoryWorld(
  {},
  {
    storage,
    embedder: { ...hashEmbedder(), batches: [] },
    semanticWeight: 1,
    recencyWeight: 0,
    importanceWeight: 0,
    consolidationThreshold: 1,
    batchDedupThreshold: 1,
  },
);

/** The share of the answers that are among the first five. */
async function recallAt5(find: (question: string) => Promise<readonly string[]>): Promise<number> {
  const ids = new Map(FACTS.map(({ id, text }) => [text, id]));
  let sum = 0;
  for (const { question, answers } of QUESTIONS) {
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    const found = (await find(question)).slice(0, WANTED).map((text) => ids.get(text) ?? "");
    sum += answers.filter((id) => found.includes(id)).length / answers.length;
  }
  return sum / QUESTIONS.length;
}

const recalled = (options: RecallOptions) => async (question: string) => {
  const matches = await memory.recall(question, { depth: "shallow", limit: WANTED, ...options });
  return matches.map(({ record }) => record.content);
};

it("the set is what it says: over 200 facts, over 60 questions, each answered by facts that are there", () => {
  expect(FACTS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(FACTS.map(({ id }) => id)).size).toBe(FACTS.length);
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(60);
  const ids = new Set(FACTS.map(({ id }) => id));
  expect(QUESTIONS.flatMap(({ answers }) => answers).filter((id) => !ids.has(id))).toEqual([]);
});

it("hybrid recall finds no less than the better of vectors and full text", async () => {
  await memory.rememberMany(
    FACTS.map(({ text }) => text),
    COMPLETE,
  );
  await memory.drainWrites();
  expect(await storage.records.count({})).toBe(FACTS.length);
  const vector = await recallAt5(recalled({}));
  const hybrid = await recallAt5(recalled({ hybrid: true }));
  const text = await recallAt5(async (question) => {
    const ids = await storage.records.searchText(question, { limit: WANTED, filter: {} });
    return (await storage.records.get(ids)).map(({ content }) => content);
  });
  // Printed, so that a change of the embedder or of the fusion shows.
  // oxlint-disable-next-line no-console -- as above
  console.log(JSON.stringify({ "recall@5": { vector, text, hybrid } }));
  expect(vector).toBeGreaterThan(0.9);
  expect(text).toBeGreaterThan(0.9);
  expect(hybrid).toBeGreaterThanOrEqual(Math.max(vector, text));
});
