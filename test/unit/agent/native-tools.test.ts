import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import type { ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { ToolOptions } from "../../../src/tools/tool-options.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  toldTo,
} from "../../support/crew-harness.ts";
import { Latch } from "../../support/journal-harness.ts";

const search = (run: (query: string) => unknown, options: Partial<ToolOptions<z.ZodObject>> = {}) =>
  tool({
    name: "search",
    description: "Search the web.",
    input: z.object({ query: z.string() }),
    run: ({ query }) => run(String(query)),
    ...options,
  });

/** A tool without input, named `name`. */
const plain = (name: string, run: () => unknown, options: Partial<ToolOptions<z.ZodObject>> = {}) =>
  tool({ name, description: `Does ${name}.`, input: z.object({}), run, ...options });

describe("native tool calls", () => {
  it("AL2: does not run a call from a message cut off at its length limit", async () => {
    const asked: string[] = [];
    const cut: ScriptedReply = {
      toolCalls: [{ name: "search", arguments: '{"query": "edge' }],
      finishReason: "length",
    };
    const { agent, model } = scriptedAgent(
      [cut, calling("search", { query: "edge" }), "Found it."],
      {
        tools: [search((query) => (asked.push(query), "hits"))],
      },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(asked).toEqual(["edge"]);
    expect(lastTold(model, 1)).toContain("search was not run");
  });

  it("AL2: offers the tools, runs the called ones, and returns each result under the call's id", async () => {
    const asked: string[] = [];
    const { agent, model } = scriptedAgent([calling("search", { query: "edge" }), "Found it."], {
      tools: [search((query) => (asked.push(query), { hits: 2 }))],
    });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("Found it.");
    expect(asked).toEqual(["edge"]);
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["search"]);
    expect(toldTo(model, 1).slice(-2)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call_0_0", name: "search", arguments: '{"query":"edge"}' }],
      },
      { role: "tool", toolCallId: "call_0_0", toolName: "search", content: '{"hits":2}' },
    ]);
  });

  it("CW4: a task's tools take the place of the agent's", async () => {
    const { agent, model } = scriptedAgent(["done"], { tools: [plain("one", () => 1)] });
    await runCrewToEnd(soloCrew(agent, { tools: [plain("two", () => 2)] }));
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["two"]);
  });

  it("CW4: an empty list of a task leaves the agent's tools", async () => {
    const { agent, model } = scriptedAgent(["done"], { tools: [plain("one", () => 1)] });
    await runCrewToEnd(soloCrew(agent, { tools: [] }));
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["one"]);
  });

  it("AW1: several plain tools run at once, and their results keep the order of the calls", async () => {
    const gate = new Latch<void>();
    const order: string[] = [];
    const tools = [
      plain("slow", async () => (await gate.promise, order.push("slow"), "s")),
      plain("fast", () => (order.push("fast"), "f")),
      plain("last", () => (order.push("last"), gate.resolve(), "l")),
    ];
    const reply = { toolCalls: ["slow", "fast", "last"].map((name) => ({ name, arguments: {} })) };
    const { agent, model } = scriptedAgent([reply, "done"], { tools });
    await runCrewToEnd(soloCrew(agent));
    expect(order).toEqual(["fast", "last", "slow"]);
    expect(
      toldTo(model, 1)
        .slice(-3)
        .map(({ content }) => content),
    ).toEqual(["s", "f", "l"]);
  });

  it("AW2: a batch with a limited tool runs in sequence, and calls over the limit are refused", async () => {
    const order: string[] = [];
    const limited = plain(
      "limited",
      async () => (order.push("start"), await Promise.resolve(), order.push("end"), "ok"),
      { maxUsageCount: 1 },
    );
    const { agent, model } = scriptedAgent(
      [
        {
          toolCalls: [
            { name: "limited", arguments: {} },
            { name: "limited", arguments: {} },
            { name: "free", arguments: {} },
          ],
        },
        "done",
      ],
      { tools: [limited, plain("free", () => (order.push("free"), "free"))] },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(order).toEqual(["start", "end", "free"]);
    expect(
      toldTo(model, 1)
        .slice(-3)
        .map(({ content }) => content),
    ).toEqual([
      "ok",
      expect.stringContaining("limited was not run: it may be used 1 times"),
      "free",
    ]);
  });

  it("AW2: uses are counted per task", async () => {
    let runs = 0;
    const limited = plain("limited", () => ++runs, { maxUsageCount: 1 });
    const script = [calling("limited"), "a"];
    for (const _ of [1, 2])
      await runCrewToEnd(soloCrew(scriptedAgent(script, { tools: [limited] }).agent));
    expect(runs).toBe(2);
  });

  it("AW3: the first result of a resultAsAnswer tool is the task's answer; later calls are not run", async () => {
    let later = 0;
    const tools = [
      plain("answer", () => ({ total: 3 }), { resultAsAnswer: true }),
      plain("later", () => ++later),
    ];
    const { agent, model } = scriptedAgent(
      [
        {
          toolCalls: [
            { name: "answer", arguments: {} },
            { name: "later", arguments: {} },
          ],
        },
      ],
      { tools },
    );
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe('{"total":3}');
    expect(later).toBe(0);
    expect(model.calls).toHaveLength(1);
    expect(kept("tool_usage_started")).toHaveLength(1);
  });

  it("AW3: calls before the answering one are run", async () => {
    let before = 0;
    const tools = [
      plain("answer", () => "A", { resultAsAnswer: true }),
      plain("before", () => ++before),
    ];
    const { agent } = scriptedAgent(
      [
        {
          toolCalls: [
            { name: "before", arguments: {} },
            { name: "answer", arguments: {} },
          ],
        },
      ],
      { tools },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("A");
    expect(before).toBe(1);
  });

  it("TF1: a failed result-as-answer tool is no answer: the model receives the failure and continues", async () => {
    const failing = plain(
      "answer",
      () => {
        throw new Error("disk full");
      },
      { resultAsAnswer: true },
    );
    const { agent, model } = scriptedAgent([calling("answer"), "my own answer"], {
      tools: [failing],
    });
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("my own answer");
    expect(lastTold(model, 1)).toContain("answer failed: disk full");
    expect(kept("tool_usage_error").map((event) => "error" in event && event.error)).toEqual([
      "disk full",
    ]);
  });

  it("TF1: the calls after a failed answer are run", async () => {
    const tools = [
      plain(
        "answer",
        () => {
          throw new Error("no");
        },
        { resultAsAnswer: true },
      ),
      plain("next", () => "N", { resultAsAnswer: true }),
    ];
    const { agent } = scriptedAgent(
      [
        {
          toolCalls: [
            { name: "answer", arguments: {} },
            { name: "next", arguments: {} },
          ],
        },
      ],
      { tools },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("N");
  });

  it("TA1: unreadable arguments do not run the tool; the model gets the schema", async () => {
    let runs = 0;
    const { agent, model } = scriptedAgent([calling("search", "{bad json"), "done"], {
      tools: [search(() => ++runs)],
    });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(runs).toBe(0);
    expect(lastTold(model, 1)).toMatch(
      /arguments for search could not be read: .*\{bad json[^]*"query"/,
    );
    expect(kept("tool_validate_input_error")).toHaveLength(1);
    expect(kept("tool_usage_started")).toEqual([]);
  });

  it("TA1: arguments close to JSON are repaired", async () => {
    const asked: string[] = [];
    const { agent } = scriptedAgent([calling("search", "{'query': 'edge',}"), "done"], {
      tools: [search((query) => asked.push(query))],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(asked).toEqual(["edge"]);
  });

  it("TA1: arguments outside the schema do not run the tool; the model receives the faults", async () => {
    let runs = 0;
    const { agent, model } = scriptedAgent([calling("search", { query: 3 }), "done"], {
      tools: [search(() => ++runs)],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(runs).toBe(0);
    expect(lastTold(model, 1)).toMatch(/\/query: .*expected string[^]*"query":3[^]*schema/);
  });

  it("TC1: an unknown tool is answered with the names of the existing ones", async () => {
    const { agent, model } = scriptedAgent([calling("serach", {}), "done"], {
      tools: [search(() => "x")],
    });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe(
      'Error: there is no tool named "serach". The tools you have: search',
    );
    expect(kept("tool_selection_error")).toHaveLength(1);
  });

  it("TC1: a tool is found by any spelling of its name", async () => {
    const { agent, model } = scriptedAgent([calling("Read-A File"), "done"], {
      tools: [plain("Read a file", () => "text")],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe("text");
  });

  it("TC1: two tools with one name are distinguished by a number", async () => {
    const { agent, model } = scriptedAgent([calling("fetch_2"), "done"], {
      tools: [plain("fetch", () => "first"), plain("Fetch", () => "second")],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe("second");
  });

  it("AW5: a failing tool is not retried behind the model's back", async () => {
    let runs = 0;
    const flaky = plain("flaky", () => {
      if (++runs === 1) throw new Error("once");
      return "fine";
    });
    const { agent, model } = scriptedAgent([calling("flaky"), calling("flaky"), "done"], {
      tools: [flaky],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toContain("flaky failed: once");
    expect(lastTold(model, 2)).toBe("fine");
    expect(runs).toBe(2);
  });

  it("AW5: a tool with a retry policy is retried with the same idempotency key after retryable errors", async () => {
    const keys: string[] = [];
    const flaky = tool({
      name: "flaky",
      description: "Fails once.",
      input: z.object({}),
      retry: { maxAttempts: 2, initialDelayMs: 1000, maxDelayMs: 1000, maxRetryAfterMs: 0 },
      run: (_, { idempotencyKey, attempt }) => {
        keys.push(idempotencyKey);
        if (attempt === 1) throw new EngineError("tool_failed", "busy", { retryable: true });
        return "fine";
      },
    });
    const { agent, model } = scriptedAgent([calling("flaky"), "done"], { tools: [flaky] });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe("fine");
    expect(keys).toEqual(Array(2).fill("run-1:task:work/turn:1/tool:flaky#0"));
  });

  it("TC1: a tool beyond its time limit is aborted, and the model receives the failure", async () => {
    let aborted = false;
    const hanging = tool({
      name: "hang",
      description: "Hangs.",
      input: z.object({}),
      timeoutMs: 1000,
      run: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (aborted = true))),
    });
    const { agent, model } = scriptedAgent([calling("hang"), "done"], { tools: [hanging] });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toContain("took longer than 1000 ms");
    expect(aborted).toBe(true);
  });

  it("TC1: a result without a stored form fails the call, not the run", async () => {
    const { agent, model } = scriptedAgent([calling("big"), "done"], {
      tools: [plain("big", () => isNaN)],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toContain("big failed:");
  });

  it("CW4: step keys are paths with the number of the call of one tool within a turn", async () => {
    const keys: string[] = [];
    const noting = tool({
      name: "note",
      description: "Notes.",
      input: z.object({}),
      run: (_, { idempotencyKey }) => keys.push(idempotencyKey),
    });
    const call = { name: "note", arguments: {} };
    const { agent } = scriptedAgent([{ toolCalls: [call, call] }, { toolCalls: [call] }, "done"], {
      tools: [noting],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(keys).toEqual([
      "run-1:task:work/turn:1/tool:note#0",
      "run-1:task:work/turn:1/tool:note#1",
      "run-1:task:work/turn:2/tool:note#0",
    ]);
  });

  it("TC3: reports each call: started, then finished with result and times", async () => {
    const { agent } = scriptedAgent([calling("search", { query: "q" }), "done"], {
      tools: [search(() => "hit")],
    });
    const { kept } = await runCrewToEnd(soloCrew(agent));
    const [started, finished] = kept(
      "tool_usage_started",
      "tool_usage_finished",
      "tool_usage_error",
    );
    expect(started).toMatchObject({
      type: "tool_usage_started",
      toolName: "search",
      toolArgs: { query: "q" },
      agentRole: "Researcher",
      runAttempts: 1,
    });
    expect(finished).toMatchObject({
      type: "tool_usage_finished",
      output: "hit",
      fromCache: false,
      startedId: started?.id,
      startedAt: expect.stringMatching(/^2026/),
    });
  });

  it("sends text and calls of one turn back to the model", async () => {
    const { agent, model } = scriptedAgent(
      [
        { text: "Let me look.", toolCalls: [{ name: "search", arguments: { query: "q" } }] },
        "done",
      ],
      { tools: [search(() => "hit")] },
    );
    await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 1).at(-2)).toMatchObject({
      role: "assistant",
      content: "Let me look.",
      toolCalls: [{ name: "search" }],
    });
  });
});

const refusal = (message: string) => ({ error: new EngineError("model_rejected", message) });

describe("a provider without tool support", () => {
  it.each([
    "400: gemma:7b does not support tools",
    "404: No endpoints found that support tool use",
    "400: tools is not supported with this model",
    "400: `tools` are not supported by this model",
    "400: This model doesn't support function calling",
    "400: Function calling is not enabled for models/gemma-3",
    "400: tool calling is unsupported",
  ])("AL2: continues in the text form after: %s", async (message) => {
    const { agent, model } = scriptedAgent(
      [
        refusal(message),
        'Thought: x\nAction: search\nAction Input: {"query": "q"}',
        "Final Answer: hit it",
      ],
      {
        tools: [search((query) => `hit ${query}`)],
      },
    );
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("hit it");
    expect(model.calls[1]?.request.tools).toBeUndefined();
    expect(lastTold(model, 1)).toContain("Action Input:");
    expect(toldTo(model, 2).at(-1)?.content).toContain("Observation: hit q");
  });

  it.each([
    "400: invalid value for temperature",
    "400: tool_calls[0].id must be at most 40 characters",
  ])("fails on other rejections: %s", async (message) => {
    const { agent, model } = scriptedAgent([refusal(message)], { tools: [search(() => "x")] });
    await expect(runCrewToEnd(soloCrew(agent))).rejects.toMatchObject({
      code: "model_rejected",
      message,
    });
    expect(model.calls).toHaveLength(1);
  });
});
