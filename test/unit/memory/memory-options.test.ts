import { expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import {
  fittedSettings,
  memorySettings,
  type MemoryOptions,
} from "../../../src/memory/memory-options.ts";

it("has defaults", () => {
  expect(memorySettings({})).toMatchObject({
    semanticWeight: 0.5,
    recencyWeight: 0.3,
    importanceWeight: 0.2,
    recencyHalfLifeDays: 30,
    consolidationLimit: 5,
    defaultImportance: 0.5,
    confidenceThresholdHigh: 0.8,
    confidenceThresholdLow: 0.5,
    complexQueryThreshold: 0.7,
    explorationBudget: 1,
    queryAnalysisThreshold: 200,
    batchDedupThreshold: 0.98,
    recallOversampleFactor: 2,
    readOnly: false,
    hybrid: true,
    rootScope: undefined,
  });
});

it("takes its embedder's thresholds by default", () => {
  const fitted = (options: MemoryOptions, similarity = {}) => {
    const settings = fittedSettings(memorySettings(options), { similarity });
    return [settings.minScore, settings.consolidationThreshold];
  };
  expect(fitted({})).toEqual([0, 0.85]);
  expect(fitted({}, { unrelated: 0.3, alike: 0.7 })).toEqual([0.3, 0.7]);
  const own = { minScore: 0, consolidationThreshold: 1 };
  expect(fitted(own, { unrelated: 0.3, alike: 0.7 })).toEqual([0, 1]);
});

it("normalises its root, and hands it on to its scopes", () => {
  const memory = new Memory({ rootScope: "crew//x/" });
  expect(memory.rootScope).toBe("/crew/x");
  expect(memory.scope("/facts").rootScope).toBe("/crew/x/facts");
  expect(memory.scope("facts").subscope("old").rootScope).toBe("/crew/x/facts/old");
});

it.each<[MemoryOptions, string]>([
  [{ semanticWeight: 1.1 }, "memory.semanticWeight must be a number from 0 to 1, got 1.1"],
  [{ recencyHalfLifeDays: 0.5 }, "memory.recencyHalfLifeDays must be a number from 1 to 36500"],
  [{ explorationBudget: 0.5 }, "memory.explorationBudget must be an integer from 0 to 5, got 0.5"],
  [{ minScore: 1.5 }, "memory.minScore must be a number from 0 to 1, got 1.5"],
  [{ readOnly: "yes" as never }, 'memory.readOnly must be true or false, got "yes"'],
  [{ rootScope: "../x" }, "memory.rootScope must be a path"],
  [
    { embedder: 7 as never },
    "memory.embedder must be a name, an embedder, a function or settings, got 7",
  ],
  [{ reranker: 1 as never }, "memory.reranker must be a function, got 1"],
  [{ prompts: { nope: "x" } as never }, 'memory.prompts has no text "nope"'],
  [{ prompts: { taskReport: 1 } as never }, "memory.prompts.taskReport must be a text, got 1"],
  [{ halfLife: 3 } as never, 'memory has no option "halfLife"'],
])("refuses %j", (options, message) => {
  expect(() => new Memory(options)).toThrow(message);
});

it("names its embedder as definitions do", async () => {
  const memory = new Memory({ embedder: "offline/hash-embed", consolidationThreshold: 1 });
  const given = { scope: "/", categories: [], importance: 0.5 };
  await memory.remember("The kettle is in the kitchen.", given);
  await memory.remember("The car is in the garage.", given);
  const [match] = await memory.recall("Where is the kettle?", { depth: "shallow" });
  expect(match?.record.content).toBe("The kettle is in the kitchen.");
  const wrong = new Memory({ embedder: "nowhere/at-all" });
  await expect(wrong.remember("x", given)).rejects.toMatchObject({ code: "invalid_definition" });
});
