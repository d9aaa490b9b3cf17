import { describe, expect, it } from "vitest";
import { D1MemoryRecords } from "../../../../src/cloudflare/stores/d1-memory-records.ts";
import { neighboursAt } from "../../../../src/memory/record-words.ts";
import { InMemoryRecords } from "../../../../src/memory/in-memory-records.ts";
import type { MemoryRecords } from "../../../../src/memory/memory-records.ts";
import type { RecallOptions } from "../../../../src/memory/memory-view.ts";
import { InMemoryVectorStores } from "../../../../src/vectors/exact-vectors.ts";
import { hashEmbedder } from "../../../../src/vectors/hash-embedder.ts";
import { memoryWorld } from "../../../support/memory-harness.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";
import { FACTS, QUESTIONS } from "./facts.ts";
import { HELD_OUT_FACTS, HELD_OUT_QUESTIONS } from "./held-out.ts";

const WANTED = 5;

type Fact = { readonly id: string; readonly text: string; readonly scope?: string };
type Question = { readonly question: string; readonly answers: readonly string[] };

it("the set is complete: over 200 facts, over 60 questions, each answered by known facts", () => {
  expect(FACTS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(FACTS.map(({ id }) => id)).size).toBe(FACTS.length);
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(60);
  const ids = new Set(FACTS.map(({ id }) => id));
  expect(QUESTIONS.flatMap(({ answers }) => answers).filter((id) => !ids.has(id))).toEqual([]);
});

const STORES: ReadonlyArray<readonly [name: string, open: () => MemoryRecords]> = [
  ["in this process", () => new InMemoryRecords()],
  ["in D1", () => new D1MemoryRecords(sqliteD1(), "quality")],
];

describe.each(STORES)(
  "MS3: hybrid recall finds no less than the better of vectors and full text, %s",
  (name, open) => {
    it("in the development set", async () => {
      const figures = await measure(name, open(), [FACTS, QUESTIONS]);
      expect(figures.vector.found).toBeGreaterThan(0.92);
      expect(figures.text.found).toBeGreaterThan(0.9);
      expectNoLoss(figures);
    });

    it("in the held-out set, with silence on unknown topics", async () => {
      const figures = await measure(name, open(), [HELD_OUT_FACTS, HELD_OUT_QUESTIONS]);
      expectNoLoss(figures);
      expect(figures.vector.silent).toBeGreaterThan(0.5);
      expect(figures.hybrid.silent).toBeGreaterThan(0.5);
    });
  },
);

it.each([
  ["development", FACTS, QUESTIONS],
  ["held-out", HELD_OUT_FACTS, HELD_OUT_QUESTIONS],
] as const)("RWD1: D1 and this process rank the %s set alike", async (_, facts, questions) => {
  const stores = STORES.map(([, open]) => open());
  const at = new Date(0).toISOString();
  const ids = facts.map(({ id }) => id);
  const inserts = (facts as readonly Fact[]).map(({ id, text, scope = "/" }, place) => ({
    id,
    content: text,
    scope,
    categories: [],
    metadata: {},
    importance: 0,
    private: false,
    createdAt: at,
    lastAccessed: at,
    neighbours: neighboursAt(ids, place),
    ...(place % 3 === 0 ? { speaker: ["Ann", "Rosalind Okafor"][place % 2]! } : {}),
  }));
  for (const store of stores) await store.apply({ op: "facts", atMs: 0, inserts });
  for (const { question } of questions) {
    const [own, d1] = await Promise.all(
      stores.map((store) => store.searchText(question, { limit: 10, filter: { visibleTo: null } })),
    );
    const shown = (found: typeof own) =>
      found?.map(({ record, score }) => [record.id, score.toFixed(6)]);
    expect(shown(d1)).toEqual(shown(own));
  }
});

function expectNoLoss({ vector, everyVector, text, hybrid, everyHybrid }: AllFigures): void {
  expect(hybrid.found).toBeGreaterThanOrEqual(Math.max(vector.found, text.found));
  expect(everyHybrid.found).toBeGreaterThanOrEqual(Math.max(everyVector.found, text.found));
}

type AllFigures = Readonly<
  Record<"vector" | "everyVector" | "text" | "hybrid" | "everyHybrid", Figures>
>;

type Figures = {
  /** The share of the answers that are among the first five. */
  readonly found: number;
  /** The share of the questions without an answer to which nothing is found. */
  readonly silent: number;
};

async function measure(
  name: string,
  records: MemoryRecords,
  [facts, questions]: readonly [readonly Fact[], readonly Question[]],
): Promise<AllFigures> {
  const { memory } = memoryWorld(
    {},
    {
      storage: { tenant: "quality", records, vectors: new InMemoryVectorStores() },
      embedder: { ...hashEmbedder(), batches: [] },
      semanticWeight: 1,
      recencyWeight: 0,
      importanceWeight: 0,
    },
  );
  const at = new Date(0).toISOString();
  const rest = { categories: [], metadata: {}, importance: 0, private: false };
  // Stored as they are, so that ties come out alike in every run.
  await records.apply({
    op: "facts",
    atMs: 0,
    inserts: facts.map(({ id, text, scope = "/" }) => ({
      id,
      content: text,
      scope,
      ...rest,
      createdAt: at,
      lastAccessed: at,
    })),
  });
  await memory.reindex();
  expect(await records.count({})).toBe(facts.length);
  const recalled = (options: RecallOptions) => async (question: string) => {
    const matches = await memory.recall(question, { depth: "shallow", limit: WANTED, ...options });
    return matches.map(({ record }) => record.id);
  };
  const inText = async (question: string): Promise<readonly string[]> => {
    const found = await records.searchText(question, { limit: WANTED, filter: {} });
    return found.map(({ record }) => record.id);
  };
  const figures = {
    vector: await figuresOf(recalled({ hybrid: false })),
    everyVector: await figuresOf(recalled({ hybrid: false, minScore: 0 })),
    text: await figuresOf(inText),
    hybrid: await figuresOf(recalled({ hybrid: true })),
    everyHybrid: await figuresOf(recalled({ hybrid: true, minScore: 0 })),
  };
  // Printed, so that a change of the embedder or of the fusion shows.
  console.log(JSON.stringify({ [`${facts.length} facts ${name}`]: figures }));
  return figures;

  async function figuresOf(
    find: (question: string) => Promise<readonly string[]>,
  ): Promise<Figures> {
    let [sum, answered, silent] = [0, 0, 0];
    for (const { question, answers } of questions) {
      const found = await find(question);
      if (answers.length === 0) silent += found.length === 0 ? 1 : 0;
      else {
        sum += answers.filter((id) => found.includes(id)).length / answers.length;
        answered++;
      }
    }
    return { found: sum / answered, silent: silent / (questions.length - answered) };
  }
}
