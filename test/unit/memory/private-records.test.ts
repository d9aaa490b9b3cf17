// Private records against every reader: random records in both stores, read through every door.
import { describe, expect, it } from "vitest";
import { D1MemoryRecords } from "../../../src/cloudflare/stores/d1-memory-records.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { Memory } from "../../../src/memory/memory.ts";
import type { MemoryRecord } from "../../../src/memory/memory-record.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";
import { memoryTools } from "../../../src/memory/memory-tools.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { InMemoryVectorStores } from "../../../src/vectors/exact-vectors.ts";
import { saidEmbedder } from "../../support/memory-harness.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const SOURCES = [undefined, "anna", "bert", "person:anna", "an"] as const;
const SCOPES = ["/", "/a", "/a/b", "/ab", "/person/anna"] as const;
const CONTEXT = { agentRole: "Clerk" } as ToolContext;

/** Numbers from a seed, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 0x1_0000_0000) * below);
  };
}

const STORAGES: readonly [string, () => MemoryStorage][] = [
  ["in this process", inMemoryStorage],
  [
    "in D1",
    () => ({
      tenant: "t",
      records: new D1MemoryRecords(sqliteD1(), "t"),
      vectors: new InMemoryVectorStores(),
    }),
  ],
];

/** Records of random source, privacy and scope, all equally near to the question `base`. */
async function filled(storage: MemoryStorage, seed: number): Promise<readonly MemoryRecord[]> {
  const next = numbers(seed);
  const memory = new Memory({ embedder: saidEmbedder(), storage, consolidationThreshold: 1 });
  for (let index = 0; index < 40; index++)
    await memory.remember(`word ${index} cos=0.9`, {
      scope: SCOPES[next(SCOPES.length)],
      categories: [`c${index}`],
      importance: 0.5,
      source: SOURCES[next(SOURCES.length)],
      private: next(2) === 1,
    });
  return (await storage.records.list({}, { limit: 100 })).items;
}

const isVisible = ({ private: isPrivate, source }: MemoryRecord, reader: string | undefined) =>
  !isPrivate || (source !== undefined && source === reader);

describe.each(STORAGES)("%s", (_, storageOf) => {
  it.each([1, 2, 3, 4, 5])(
    "MO2, RC1: no reader sees a private record of another, or without a source (seed %i)",
    async (seed) => {
      const storage = storageOf();
      const all = await filled(storage, seed);
      expect(all.some((record) => record.private && record.source === undefined)).toBe(true);
      const memory = new Memory({ embedder: saidEmbedder(), storage });
      for (const source of SOURCES)
        for (const scope of SCOPES) {
          const seen = all.filter(
            (record) =>
              isVisible(record, source) &&
              (scope === "/" || record.scope === scope || record.scope.startsWith(`${scope}/`)),
          );
          const expected = seen.map(({ content }) => content).toSorted();
          for (const hybrid of [false, true]) {
            const options = {
              scope,
              source,
              hybrid,
              limit: 50,
              minScore: 0,
              depth: "shallow",
            } as const;
            for (const query of ["base", "word"]) {
              const found = await memory.recall(query, options);
              expect(found.map(({ record }) => record.content).toSorted()).toEqual(expected);
            }
          }
          const visibleTo = source ?? null;
          const listed = await storage.records.list({ scope, visibleTo }, { limit: 100 });
          expect(listed.items.map(({ content }) => content).toSorted()).toEqual(expected);
          const info = await memory.info(scope, { visibleTo });
          const categories = seen.flatMap((record) => record.categories).toSorted();
          expect([info.recordCount, info.categories]).toEqual([seen.length, categories]);
          expect(Object.keys(await memory.listCategories(scope, { visibleTo })).toSorted()).toEqual(
            categories,
          );
          const [search] = memoryTools(memory.scope(scope), { source, minScore: 0 });
          const text = String(await search?.call({ queries: ["base"] }, CONTEXT));
          const hidden = all.filter((record) => !isVisible(record, source));
          expect(hidden.filter(({ content }) => text.includes(`${content}\n`))).toEqual([]);
        }
      const whole = await memory.recall("base", {
        includePrivate: true,
        limit: 50,
        minScore: 0,
        depth: "shallow",
      });
      expect(whole).toHaveLength(all.length);
    },
  );

  it("SV3: private records without a source are compared with no other, also of equal text", async () => {
    const storage = storageOf();
    const memory = new Memory({ embedder: saidEmbedder(), storage });
    const save = (metadata: object) =>
      memory.remember("The code is 1234", {
        scope: "/",
        categories: [],
        importance: 0.5,
        private: true,
        metadata: metadata as Record<string, string>,
      });
    const [one, other] = [await save({ by: "anna" }), await save({ by: "bert" })];
    expect(other?.id).not.toBe(one?.id);
    expect(other?.metadata).toEqual({ by: "bert" });
  });
});
