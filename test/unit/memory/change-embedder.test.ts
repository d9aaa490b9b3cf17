// Another embedder: the index is made again, and no record is lost or hidden meanwhile.
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { RunScope } from "../../../src/events/run-scope.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { memoryRun, memoryStart, reindexJob } from "../../../src/memory/operations/memory-run.ts";
import { Memory } from "../../../src/memory/memory.ts";
import type { MemoryStorage } from "../../../src/memory/memory-records.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import type { Embedder } from "../../../src/vectors/embedder.ts";
import { cutAfterEveryWrite, runWhole, type Subject } from "../../support/cut-off.ts";
import { COMPLETE, saidEmbedder } from "../../support/memory-harness.ts";

const SHALLOW = { depth: "shallow", limit: 50, minScore: 0.3, hybrid: false } as const;

/** Vectors of another length, under another name. */
function otherEmbedder(options: Partial<Embedder> = {}): Embedder {
  const said = saidEmbedder();
  return {
    ...said,
    id: "test/other",
    model: "test/other-1",
    embed: async (texts, given) =>
      (await said.embed(texts, given)).map((vector) => Float32Array.from([...vector, 0, 0])),
    ...options,
  };
}

async function filled(count: number): Promise<MemoryStorage> {
  const storage = inMemoryStorage();
  const memory = new Memory({ embedder: saidEmbedder(), storage });
  const texts = Array.from({ length: count }, (_, index) => `word${index} axis=${index + 1}`);
  await memory.rememberAll(texts, COMPLETE);
  return storage;
}

const state = async ({ records }: MemoryStorage) => records.indexState?.();
const contents = (matches: readonly { readonly record: { readonly content: string } }[]) =>
  matches.map(({ record }) => record.content);

describe("after a change of the embedder", () => {
  it("MIX1: every record is found by its words at once, and by its vector after the reindex", async () => {
    const storage = await filled(120);
    const memory = new Memory({ embedder: otherEmbedder(), storage });
    for (const index of [0, 60, 119])
      expect(contents(await memory.recall(`word${index}`, SHALLOW))).toContain(
        `word${index} axis=${index + 1}`,
      );
    expect(await state(storage)).toEqual({
      records: 120,
      missing: 120,
      made: "test/other-1 (1202 dimensions)",
      isPending: true,
    });
    await memory.remember("fresh axis=500", COMPLETE); // also repairs 100
    expect(await state(storage)).toMatchObject({ records: 121, missing: 20 });
    // One with a vector, one by its words.
    expect(contents(await memory.recall("axis=1", SHALLOW))[0]).toBe("word0 axis=1");
    expect(contents(await memory.recall("word119", SHALLOW))).toContain("word119 axis=120");
    expect(await memory.reindex()).toBe(20);
    expect(await state(storage)).toMatchObject({ records: 121, missing: 0, isPending: false });
    for (const index of [0, 60, 119])
      expect(contents(await memory.recall(`axis=${index + 1}`, SHALLOW))).toEqual([
        `word${index} axis=${index + 1}`,
      ]);
  });

  it("MIX1: other dimensions of the same model are another embedder", async () => {
    const storage = await filled(3);
    const memory = new Memory({ embedder: otherEmbedder({ model: "test/said-1" }), storage });
    await memory.remember("fresh axis=500", COMPLETE);
    expect(await state(storage)).toMatchObject({ missing: 0 });
    expect(contents(await memory.recall("axis=2", SHALLOW))).toEqual(["word1 axis=2"]);
  });

  it("MIX2: two embedders in use at once take no turns, and lose no record", async () => {
    const storage = await filled(5);
    const clock = new SimulatedClock();
    const [old, other] = [saidEmbedder(), otherEmbedder()].map(
      (embedder) => new Memory({ embedder, storage, clock }),
    );
    for (let round = 0; round < 20; round++) {
      await other?.remember(`new${round} axis=${100 + 2 * round}`, COMPLETE);
      await old?.remember(`old${round} axis=${101 + 2 * round}`, COMPLETE);
      expect(contents((await old?.recall(`new${round}`, SHALLOW)) ?? [])).toContain(
        `new${round} axis=${100 + 2 * round}`,
      );
    }
    expect(await state(storage)).toMatchObject({
      records: 45,
      made: "test/other-1 (1202 dimensions)",
    });
    await clock.advance(600_000);
    await old?.recall("word1", SHALLOW);
    expect(await state(storage)).toMatchObject({ made: "test/said-1 (1200 dimensions)" });
    expect(await old?.reindex()).toBe(45);
    expect(contents((await old?.recall("axis=100", SHALLOW)) ?? [])).toEqual(["new0 axis=100"]);
  });

  it("a memory with an embedder of its own does not take over the deployment's index", async () => {
    const storage = await filled(2);
    const embedder = (spec: unknown): Embedder => (spec ?? saidEmbedder()) as Embedder;
    const other = new Memory({ embedder: otherEmbedder() });
    const subject: Subject = {
      services: { memory: { ...storage, embedder } },
      program: {
        tasks: [],
        run: (scope) =>
          scope.run(() =>
            other.remember("x axis=9", COMPLETE).then(
              () => "saved",
              (error: unknown) => (EngineError.is(error) ? error.code : "other"),
            ),
          ),
      },
    };
    expect((await runWhole(subject)).run.output).toBe("embedding_mismatch");
    expect(await state(storage)).toMatchObject({ missing: 0 });
  });
});

describe("a reindex", () => {
  it("is complete wherever it is cut off, also with writes during it, and reports its progress", async () => {
    const ended: MemoryStorage[] = [];
    const { whole, cut } = await cutAfterEveryWrite((): Subject => {
      const storage = inMemoryStorage();
      ended.push(storage);
      const embedder = otherEmbedder();
      const begin = memoryStart(reindexJob);
      const program = memoryRun(
        { ...begin, id: "r", tenant: "default" },
        () => new Memory({ embedder }),
      );
      let isFilled: Promise<void> | undefined;
      const filling = (): Promise<void> => (isFilled ??= RunScope.outside(fill));
      const fill = async (): Promise<void> => {
        const earlier = new Memory({ embedder: saidEmbedder(), storage });
        const texts = Array.from({ length: 130 }, (_, index) => `word${index} axis=${index + 1}`);
        await earlier.rememberAll(texts, COMPLETE);
      };
      return {
        services: { memory: storage },
        program: {
          ...program,
          run: async (scope, inputs) => {
            await scope.at("fill").step({
              kind: "effect",
              run: async () => {
                await filling();
                return null;
              },
            });
            const writer = new Memory({ embedder }).inRun({ scope: scope.at("write") });
            await writer.remember("during axis=700", COMPLETE);
            return program.run(scope, inputs);
          },
        },
      };
    });
    expect(cut.length).toBeGreaterThan(3);
    expect(whole.run.status).toBe("completed");
    const progress = whole.events.filter(({ type }) => type === "memory_reindex_progress");
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.at(-1)).toMatchObject({ left: 0 });
    for (const storage of ended) {
      expect(await state(storage)).toMatchObject({ records: 131, missing: 0, isPending: false });
      const memory = new Memory({ embedder: otherEmbedder(), storage });
      for (const index of [1, 65, 130, 700])
        expect(await memory.recall(`axis=${index}`, SHALLOW)).toHaveLength(1);
    }
  });

  it("passes over texts that the embedder refuses", async () => {
    const storage = inMemoryStorage();
    const lacking = new Memory({ embedder: saidEmbedder(), storage });
    await lacking.rememberAll(
      Array.from({ length: 150 }, (_, index) => `FAIL ${index} axis=${index}`),
      COMPLETE,
    );
    await lacking.remember("last axis=900", COMPLETE);
    await storage.records.unindexAll();
    expect(await lacking.reindex()).toBe(1);
    expect(await state(storage)).toMatchObject({ records: 151, missing: 150 });
  });

  it("waits for an embedder that is away, and goes on by itself", async () => {
    const storage = await filled(5);
    await storage.records.unindexAll();
    let left = 4;
    const said = saidEmbedder();
    const embedder: Embedder = {
      ...said,
      embed: async (texts, options) => {
        if (left-- > 0) throw new EngineError("model_unavailable", "503", { retryable: true });
        return said.embed(texts, options);
      },
    };
    const begin = memoryStart(reindexJob);
    const program = memoryRun(
      { ...begin, id: "r", tenant: "default" },
      () => new Memory({ embedder }),
    );
    const { run } = await runWhole({ services: { memory: storage }, program });
    expect(run).toMatchObject({ status: "completed", output: { made: 5 } });
  });
});
