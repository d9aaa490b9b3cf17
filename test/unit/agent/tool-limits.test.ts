import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { on } from "../../../src/hooks/hook.ts";
import { estimateTokens } from "../../../src/llm/token-estimate.ts";
import { tool, type Tool } from "../../../src/tools/tool.ts";
import { toolFailure } from "../../../src/tools/tool-failure.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";

const big = (characters: number, options: { maxResultCharacters?: number } = {}) =>
  tool({
    name: "big",
    description: "Gives much.",
    input: z.object({}),
    run: () => "x".repeat(characters),
    ...options,
  });

async function shownOf(made: Tool, options: Parameters<typeof scriptedAgent>[1] = {}) {
  const { agent, model } = scriptedAgent([calling("big"), "done"], {
    tools: [made],
    useBetterCompaction: false,
    ...options,
  });
  const run = startCrew(soloCrew(agent));
  await run.output();
  return { told: lastTold(model, 1), cuts: run.kept("tool_result_cut") };
}

describe("TO1: the part of a result shown to a model", () => {
  it("is all of it, up to a quarter of the model's window", async () => {
    const { told, cuts } = await shownOf(big(88_502), { modelOptions: { contextWindow: 128_000 } });
    expect(told).toHaveLength(88_502);
    expect(cuts).toEqual([]);
  });

  it("is cut beyond that limit, with a note in the text and an event", async () => {
    const { told, cuts } = await shownOf(big(130_000), {
      modelOptions: { contextWindow: 128_000 },
    });
    expect(told).toMatch(/^x{128000}\n\[cut: 2000 of 130000 characters left out\]$/);
    expect(cuts).toEqual([
      expect.objectContaining({ toolName: "big", characters: 130_000, shownCharacters: 128_000 }),
    ]);
  });

  it("is enough to work with when the window is small", async () => {
    const { told } = await shownOf(big(20_000), { modelOptions: { contextWindow: 8_000 } });
    expect(told).toContain("[cut: 3616 of 20000");
  });

  it.each([
    ["x", 4_000],
    ["文", 20_000],
  ])("leaves half of the window free: of %s in %i tokens", async (character, contextWindow) => {
    const whole = character.repeat(60_000);
    const read = tool({ name: "big", description: "-", input: z.object({}), run: () => whole });
    const { told } = await shownOf(read, { modelOptions: { contextWindow } });
    const tokens = estimateTokens(told);
    expect(tokens).toBeLessThan(contextWindow * 0.52);
    expect(tokens).toBeGreaterThan(contextWindow * 0.4);
  });

  it("is limited by the agent, or first by the tool", async () => {
    const own = await shownOf(big(100), { maxToolResultCharacters: 60 });
    expect(own.told).toContain("[cut: 40 of 100");
    const tools = await shownOf(big(100, { maxResultCharacters: 90 }), {
      maxToolResultCharacters: 60,
    });
    expect(tools.told).toContain("[cut: 10 of 100");
  });

  it("is reported once, also when the run is replayed", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: (_, { wait }) => wait("person", { kind: "human" }),
    });
    const { agent } = scriptedAgent([calling("big"), calling("ask"), "done"], {
      tools: [big(100), ask],
      maxToolResultCharacters: 60,
    });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ value: "x" });
    await run.output();
    expect(run.kept("tool_result_cut")).toHaveLength(1);
  });

  it("must be a number of characters", () => {
    expect(() => big(1, { maxResultCharacters: 0 })).toThrow(
      "maxResultCharacters must be an integer >= 1, got 0",
    );
    expect(() => scriptedAgent([], { maxToolResultCharacters: 1.5 })).toThrow(
      "maxToolResultCharacters must be an integer >= 1, got 1.5",
    );
  });
});

describe("TO2: maxUsageCount", () => {
  const limited = (maxUsageCount: number, seen: unknown[]) =>
    tool({
      name: "find",
      description: "Finds.",
      input: z.object({ code: z.string() }),
      maxUsageCount,
      run: ({ code }) => (seen.push(code), `found ${code}`),
    });

  it.each([
    ["native", {}],
    ["text", { modelOptions: TEXT_ONLY }],
  ])("is not spent by invalid arguments, in a %s call", async (_mode, options) => {
    const seen: unknown[] = [];
    const say = (input: object) =>
      "modelOptions" in options
        ? `Action: find\nAction Input: ${JSON.stringify(input)}`
        : calling("find", { ...input });
    const { agent, model } = scriptedAgent(
      [say({ bad: 1 }), say({ code: "a" }), say({ code: "b" }), "Final Answer: done"],
      { tools: [limited(1, seen)], ...options },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual(["a"]);
    expect(lastTold(model, 3)).toContain("it may be used 1 times");
  });

  it("is not spent by results from the cache", async () => {
    const seen: unknown[] = [];
    const { agent } = scriptedAgent(
      [
        calling("find", { code: "a" }),
        calling("find", { code: "a" }),
        calling("find", { code: "b" }),
        "done",
      ],
      { tools: [limited(2, seen)] },
    );
    await runCrewToEnd(new Crew({ tasks: [taskFor(agent)], cache: true }));
    expect(seen).toEqual(["a", "b"]);
  });

  it("is spent by a failed run", async () => {
    const seen: unknown[] = [];
    const failing = tool({
      name: "find",
      description: "Finds.",
      input: z.object({}),
      maxUsageCount: 1,
      run: () => {
        seen.push(1);
        throw new Error("down");
      },
    });
    const { agent } = scriptedAgent([calling("find"), calling("find"), "done"], {
      tools: [failing],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([1]);
  });
});

describe("TO3: the calls of one message", () => {
  const calls = (count: number) => ({
    toolCalls: Array.from({ length: count }, (_, n) => ({ name: "note", arguments: { n } })),
  });
  const noting = (seen: unknown[]) =>
    tool({
      name: "note",
      description: "Notes.",
      input: z.object({ n: z.number() }),
      run: ({ n }) => seen.push(n),
    });

  it("are bounded, and those beyond the bound are answered", async () => {
    const seen: unknown[] = [];
    const { agent, model } = scriptedAgent([calls(3_000), "done"], { tools: [noting(seen)] });
    const run = startCrew(soloCrew(agent));
    await run.output();
    expect(seen).toHaveLength(64);
    const answers = toldTo(model, 1).filter(({ role }) => role === "tool");
    expect(answers).toHaveLength(3_000);
    expect(answers[64]?.content).toContain("one message can make 64 calls at most");
    expect(run.kept("agent_warning")).toEqual([
      expect.objectContaining({ message: expect.stringContaining("made 3000 tool calls") }),
    ]);
  });

  it("are limited by the agent's option", async () => {
    const seen: unknown[] = [];
    const { agent } = scriptedAgent([calls(3), "done"], {
      tools: [noting(seen)],
      maxToolCallsPerTurn: 2,
    });
    await runCrewToEnd(soloCrew(agent));
    expect(seen).toEqual([0, 1]);
  });
});

describe("a tool's own format", () => {
  const rows = [{ name: "tea", price: 3 }];
  const list = (options: object = {}) =>
    tool({
      name: "list",
      description: "Lists.",
      input: z.object({}),
      run: async () => rows,
      format: (found) => found.map(({ name, price }) => `${name}: ${price}`).join("\n"),
      ...options,
    });

  it("is for the model only, while hooks and the cache get the result itself", async () => {
    const kept: unknown[] = [];
    const raw: unknown[] = [];
    const { agent, model } = scriptedAgent([calling("list"), "done"], {
      tools: [list({ cache: (_: unknown, result: unknown) => (kept.push(result), true) })],
      hooks: [on("post_tool_call", ({ rawToolResult }) => void raw.push(rawToolResult))],
    });
    await runCrewToEnd(new Crew({ tasks: [taskFor(agent)], cache: true }));
    expect(lastTold(model, 1)).toBe("tea: 3");
    expect(kept).toEqual([rows]);
    expect(raw).toEqual([rows]);
  });

  it("gets the result after its schema", async () => {
    const made = tool({
      name: "list",
      description: "Lists.",
      input: z.object({}),
      run: () => ({ name: "tea", secret: "x" }),
      resultSchema: z.object({ name: z.string() }),
      format: (result) => JSON.stringify(result),
    });
    const { agent, model } = scriptedAgent([calling("list"), "done"], { tools: [made] });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe('{"name":"tea"}');
  });

  it("is not called for failures, and the model receives its own failures", async () => {
    const failed = tool({
      name: "list",
      description: "Lists.",
      input: z.object({}),
      run: () => toolFailure({ message: "closed" }),
      format: () => "never",
    });
    const first = scriptedAgent([calling("list"), "done"], { tools: [failed] });
    await runCrewToEnd(soloCrew(first.agent));
    expect(lastTold(first.model, 1)).toBe("closed");
    const second = scriptedAgent([calling("list"), "done"], { tools: [list({ format: () => 1 })] });
    await runCrewToEnd(soloCrew(second.agent));
    expect(lastTold(second.model, 1)).toContain("format must return a text, got 1");
  });
});

describe("a value other than a tool", () => {
  function lookup() {
    return "x";
  }
  const define = (value: unknown) =>
    new Agent({ role: "A", goal: "g", backstory: "b", tools: [value as Tool] });

  it.each([
    [lookup, /tools\[0\] must be made with tool\(\).*wrap the function, tool\(\{ name: "lookup"/],
    [async () => "x", /wrap the function/],
    [{ name: "x", description: "d", func: lookup }, /toolFrom/],
    [{ name: "x", call: lookup }, /convertTool\(/],
    [{ name: "x", description: "d", execute: lookup }, /convertTool\(/],
    [null, /got null/],
    ["search", /got "search"/],
  ])("is refused when an agent is defined: %o", (value, message) => {
    expect(() => define(value)).toThrow(message);
  });

  it("is refused when a task is defined, and in place of a list", () => {
    expect(
      () => new Task({ description: "d", expectedOutput: "e", tools: [lookup as unknown as Tool] }),
    ).toThrow(/must be made with tool\(\)/);
    expect(
      () => new Agent({ role: "A", goal: "g", backstory: "b", tools: lookup as never }),
    ).toThrow(/tools must be a list/);
  });
});
