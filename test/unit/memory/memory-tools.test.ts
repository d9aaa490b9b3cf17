import { describe, expect, it } from "vitest";
import { memoryTools } from "../../../src/memory/memory-tools.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../support/crew-harness.ts";
import { analysisOf, memoryWorld, type MemoryWorld } from "../../support/memory-harness.ts";

const CONTEXT = { agentRole: "Clerk" } as ToolContext;

function toolsOf(world: MemoryWorld): [Tool, Tool] {
  const [search, save] = memoryTools(world.memory);
  if (search === undefined || save === undefined) throw new Error("there must be two tools");
  return [search, save];
}

describe("the tools of a memory", () => {
  it("are named as upstream names them, and only one of them writes", () => {
    const { memory } = memoryWorld();
    expect(memoryTools(memory).map(({ safeName }) => safeName)).toEqual([
      "search_memory",
      "save_to_memory",
    ]);
    const slice = memory.slice({ scopes: ["/"] });
    expect(memoryTools(slice).map(({ safeName }) => safeName)).toEqual(["search_memory"]);
  });

  it.each<[string, JsonObject]>([
    ["a list", { queries: ["base", "axis=3"] }],
    ["one text", { queries: "base" }],
    ["another name (4611)", { query: "base" }],
    ["another name and a list", { query: ["base"] }],
  ])("search takes %s", async (_, input) => {
    const world = memoryWorld();
    await world.put({ content: "base", categories: ["c"] });
    const [search] = toolsOf(world);
    const text = await search.call(input, CONTEXT);
    expect(text).toMatch(/^Found memories:\n- \(score=0\.\d\d\) base\n {2}categories: c$/);
  });

  it("search reports an empty result, and names its missing input", async () => {
    const [search] = toolsOf(memoryWorld());
    expect(await search.call({ queries: ["x"] }, CONTEXT)).toBe("No relevant memories found.");
    for (const input of [{}, { queries: [] }, { queries: [" "] }, { queries: [7] }])
      await expect(search.call(input, CONTEXT)).rejects.toThrow(/queries/);
  });

  it("save reports one memory with scope and weight; it takes several at once", async () => {
    const world = memoryWorld({ analysis: analysisOf("/notes", 0.72) });
    const [, save] = toolsOf(world);
    expect(await save.call({ contents: ["base"] }, CONTEXT)).toBe(
      "Saved to /notes (importance 0.7).",
    );
    expect(await save.call({ content: "one axis=1" }, CONTEXT)).toMatch(/^Saved to /);
    expect(await save.call({ contents: ["two axis=2", "three axis=3"] }, CONTEXT)).toBe(
      "Saved 2 memories.",
    );
    await world.memory.drainWrites();
    expect(await world.all()).toHaveLength(4);
  });

  it("save works on a writable slice", async () => {
    const world = memoryWorld({ analysis: analysisOf("/x") });
    const slice = world.memory.slice({ scopes: ["/a"], readOnly: false });
    const save = memoryTools(slice)[1];
    await save?.call({ contents: ["base"] }, CONTEXT);
    expect((await world.all())[0]?.scope).toBe("/a");
  });

  it("an agent saves and searches, each call with its steps below the tool's", async () => {
    const world = memoryWorld({ analysis: analysisOf("/notes") });
    const script = [
      calling("save_to_memory", { contents: ["base"] }),
      calling("search_memory", { queries: ["base"] }),
      "done",
    ];
    const { agent, model } = scriptedAgent(script, { tools: memoryTools(world.memory) });
    const run = startCrew(soloCrew(agent));
    expect((await run.output()).raw).toBe("done");
    expect(lastTold(model, 2)).toMatch(/^Found memories:\n- \(score=/);
    const [record] = await world.all();
    expect(record).toMatchObject({ content: "base", scope: "/notes" });
    expect(world.model.calls[0]?.idempotencyKey).toContain(
      "turn:1/tool:save_to_memory#0/memory-save/item:0/analysis/llm",
    );
  });
});
