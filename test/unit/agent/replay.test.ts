// A run that waits in its midst is dropped and run again over its journal: everything below must come out as if it never was.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { StepCallback } from "../../../src/agent/loop/step-callback.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  acting,
  calling,
  keysOf,
  lastTold,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";

const plain = (name: string, run: (context: ToolContext) => unknown) =>
  tool({
    name,
    description: `Does ${name}.`,
    input: z.object({}),
    run: (_, context) => run(context),
  });

/** Waits for a person; answers what they wrote. */
const ask = plain("ask", async ({ wait }) => {
  const { feedback } = await wait<{ feedback: string }>("person", {
    kind: "human",
    prompt: "Well?",
  });
  return `they said ${feedback}`;
});

describe("a replayed run", () => {
  it("DC10: waits under the key of its tool call, and continues with the answer", async () => {
    const { agent, model } = scriptedAgent([calling("ask"), "thanks"], { tools: [ask] });
    const run = startCrew(soloCrew(agent));
    expect(await run.settle()).toMatchObject({
      status: "waiting",
      waits: [{ key: "task:work/turn:1/tool:ask#0/person", kind: "human", prompt: "Well?" }],
    });
    await run.handle.resume({ feedback: "yes" });
    expect((await run.output()).raw).toBe("thanks");
    expect(lastTold(model, 1)).toBe("they said yes");
    expect(model.calls).toHaveLength(2);
  });

  it("J2: repeats no model or tool call, in any number and order", async () => {
    const runs: string[] = [];
    const tools = [
      ask,
      plain("a", () => runs.push("a")),
      plain("b", async () => (await Promise.resolve(), runs.push("b"))),
    ];
    const both = {
      toolCalls: [
        { name: "b", arguments: {} },
        { name: "a", arguments: {} },
      ],
    };
    const { agent, model } = scriptedAgent([both, both, calling("ask"), both, "done"], { tools });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(runs).toEqual(["a", "b", "a", "b", "a", "b"]);
    expect(model.calls).toHaveLength(5);
    expect(new Set(keysOf(model)).size).toBe(5);
  });

  it("J2: the same in the text form, with refused repetitions and corrections on the way", async () => {
    const runs: string[] = [];
    const tools = [ask, plain("a", () => runs.push("a"))];
    const script = [
      acting("a"),
      acting("a"),
      "half\nAction: a",
      acting("nobody"),
      acting("ask"),
      acting("a"),
      "Final Answer: done",
    ];
    const { agent, model } = scriptedAgent(script, { tools, modelOptions: TEXT_ONLY });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(runs).toEqual(["a", "a"]);
    expect(model.calls).toHaveLength(script.length);
  });

  it("J3: failed executions, refused tools and summaries are taken from the record", async () => {
    const broken = { error: new EngineError("agent_failed", "broken") };
    const refused = {
      error: new EngineError("model_rejected", "this model does not support tools"),
    };
    const full = { error: new EngineError("context_window_exceeded", "too long") };
    const script = [
      broken,
      refused,
      acting("a"),
      full,
      "<summary>so far</summary>",
      acting("ask"),
      "Final Answer: done",
    ];
    const { agent, model } = scriptedAgent(script, {
      tools: [ask, plain("a", () => "A")],
      maxExecutionTime: 1000,
      maxRpm: 100,
    });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(model.calls).toHaveLength(script.length);
    expect(run.kept("agent_execution_error")).toHaveLength(1);
  });

  it("AW8: waits for the rate limit are on record with all the rest", async () => {
    const { agent, model } = scriptedAgent([calling("ask"), calling("ask"), "done"], {
      tools: [ask],
      maxRpm: 1,
    });
    const run = startCrew(soloCrew(agent));
    for (const feedback of ["one", "two"]) {
      await run.settle();
      await run.handle.resume({ feedback });
    }
    expect((await run.output()).raw).toBe("done");
    expect(model.calls).toHaveLength(3);
    expect(run.clock.now() - Date.UTC(2026, 0, 1)).toBe(120_000);
  });

  it("AW7: time for the task counts from its first start, not from the replay", async () => {
    const { agent } = scriptedAgent([calling("ask"), "too late"], {
      tools: [ask],
      maxExecutionTime: 60,
    });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.clock.advance(61_000);
    await run.handle.resume({ feedback: "sorry" });
    expect((await run.settle()).error).toMatchObject({ code: "timeout" });
  });

  it("AW2: uses before the wait count after it", async () => {
    let runs = 0;
    const limited = tool({
      name: "limited",
      description: "Limited.",
      input: z.object({}),
      maxUsageCount: 1,
      run: () => ++runs,
    });
    const { agent, model } = scriptedAgent(
      [calling("limited"), calling("ask"), calling("limited"), "done"],
      { tools: [limited, ask] },
    );
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(runs).toBe(1);
    expect(lastTold(model, 3)).toContain("limited was not run");
  });

  it("E1: keeps each event once, in one order without a gap", async () => {
    const { agent } = scriptedAgent([calling("ask"), calling("ask"), "done"], { tools: [ask] });
    const run = startCrew(soloCrew(agent));
    for (const feedback of ["1", "2"]) {
      await run.settle();
      await run.handle.resume({ feedback });
    }
    await run.output();
    const events = run.kept();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(run.kept("llm_call_started")).toHaveLength(3);
    expect(run.kept("task_started")).toHaveLength(1);
  });

  it("calls every callback once", async () => {
    const calls: string[] = [];
    const stepCallback: StepCallback = (step) =>
      calls.push(
        step.kind === "finish" ? `finish ${step.output}` : `${step.toolName} ${step.result}`,
      );
    const tools = [plain("a", () => "A"), ask];
    const first = scriptedAgent([calling("a"), "one"], { tools }).agent;
    const second = scriptedAgent([calling("a"), calling("ask"), "two"], { tools }).agent;
    const crew = new Crew({
      tasks: [
        taskFor(first, { name: "first", callback: ({ raw }) => calls.push(`task ${raw}`) }),
        taskFor(second, { name: "second" }),
      ],
      beforeKickoff: [(inputs) => (calls.push("before"), { ...inputs, extra: calls.length })],
      afterKickoff: [(output) => (calls.push("after"), { ...output, raw: `${output.raw}!` })],
      stepCallback,
      taskCallback: ({ raw }) => calls.push(`crew's ${raw}`),
    });
    const run = startCrew(crew, { topic: "x" });
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("two!");
    expect(calls).toEqual([
      "before",
      "a A",
      "finish one",
      "task one",
      "crew's one",
      "a A",
      "ask they said go",
      "finish two",
      "crew's two",
      "after",
    ]);
  });

  it("an agent's step callback takes precedence over the crew's, and receives failures", async () => {
    const calls: unknown[] = [];
    const broken = plain("broken", () => {
      throw new Error("no");
    });
    const { agent } = scriptedAgent([calling("broken"), "done"], {
      tools: [broken],
      stepCallback: (step) => calls.push(step),
    });
    await startCrew(
      soloCrew(agent, { crew: { stepCallback: () => calls.push("never") } }),
    ).output();
    expect(calls).toMatchObject([
      {
        kind: "tool_result",
        agentRole: "Researcher",
        toolName: "broken",
        toolArgs: {},
        failed: true,
        result: expect.stringContaining("broken failed: no"),
      },
      { kind: "finish", agentRole: "Researcher", output: "done" },
    ]);
  });

  it("sums up usage as if it had not been replayed", async () => {
    const usage = { totalTokens: 10, costUsd: 0.25 };
    const reply = (tools: string[]) => ({
      text: "text",
      toolCalls: tools.map((name) => ({ name, arguments: {} })),
      usage,
    });
    const { agent } = scriptedAgent([reply(["ask"]), reply(["ask"]), reply([]), reply([])], {
      tools: [ask],
    });
    const run = startCrew(
      new Crew({ tasks: [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })] }),
    );
    for (const feedback of ["1", "2"]) {
      await run.settle();
      await run.handle.resume({ feedback });
    }
    const output = await run.output();
    expect(output.tasks.map((task) => task.usage)).toMatchObject([
      { totalTokens: 30, requests: 3 },
      { totalTokens: 10, requests: 1 },
    ]);
    expect(output.usage).toMatchObject({ totalTokens: 40, requests: 4 });
    expect((await run.handle.status()).usage).toMatchObject({
      totalTokens: 40,
      requests: 4,
      costUsd: 1,
    });
  });

  it("one waiting branch of a batch does not stop the others, which are not run again", async () => {
    let runs = 0;
    const batch = {
      toolCalls: [
        { name: "ask", arguments: {} },
        { name: "count", arguments: {} },
        { name: "ask", arguments: {} },
      ],
    };
    const { agent, model } = scriptedAgent([batch, "done"], {
      tools: [ask, plain("count", () => ++runs)],
    });
    const run = startCrew(soloCrew(agent));
    const { waits } = await run.settle();
    expect(waits.map(({ key }) => key)).toEqual([
      "task:work/turn:1/tool:ask#0/person",
      "task:work/turn:1/tool:ask#1/person",
    ]);
    expect(runs).toBe(1);
    await run.handle.resume({ key: waits[1]?.key ?? "", feedback: "second" });
    await run.settle();
    await run.handle.resume({ feedback: "first" });
    await run.output();
    expect(runs).toBe(1);
    expect(
      toldTo(model, 1)
        .slice(-3)
        .map(({ content }) => content),
    ).toEqual(["they said first", "1", "they said second"]);
  });

  it("a tool's own steps are done once, though the tool runs again from its start", async () => {
    const done: string[] = [];
    const book = plain("book", async ({ step, wait, now, idempotencyKey }) => {
      const at = now();
      const order = await step("reserve", async (inner) => done.push(inner.idempotencyKey));
      await wait("approval", { kind: "human", prompt: "ok?" });
      await step("pay", async (inner) => done.push(inner.idempotencyKey));
      return `${order} at ${at - Date.UTC(2026, 0, 1)} as ${idempotencyKey}`;
    });
    const { agent, model } = scriptedAgent([calling("book"), "done"], { tools: [book] });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.clock.advance(5000);
    await run.handle.resume({ approve: true });
    await run.output();
    const key = "run-1:task:work/turn:1/tool:book#0";
    expect(done).toEqual([`${key}/reserve`, `${key}/pay`]);
    expect(lastTold(model, 1)).toBe(`1 at 0 as ${key}`);
  });

  it("DC8: user code with a catch for everything cannot swallow a wait", async () => {
    let caught = 0;
    const careful = plain("careful", async ({ wait }) => {
      try {
        await wait("person", { kind: "human" });
        return "answered";
      } catch {
        caught++;
        return "swallowed";
      } finally {
        caught += 10;
      }
    });
    const { agent, model } = scriptedAgent([calling("careful"), "done"], { tools: [careful] });
    const run = startCrew(soloCrew(agent));
    expect((await run.settle()).status).toBe("waiting");
    expect(caught).toBe(0);
    await run.handle.resume({ feedback: "x" });
    await run.output();
    expect(lastTold(model, 1)).toBe("answered");
    expect(caught).toBe(10);
  });
});

describe("streaming", () => {
  it("DC3: sends the model's words as live events without storing them, and the whole text in the log", async () => {
    const { agent } = scriptedAgent(["one two three"], { stream: true });
    const run = startCrew(soloCrew(agent));
    await run.output();
    const chunks = run.heard.filter((event) => event.type === "llm_stream_chunk");
    expect(chunks.map((event) => event.chunk).join("")).toBe("one two three");
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        callId: "task:work/turn:1/llm",
        path: "task:work/turn:1/llm",
        parentId: run.kept("llm_call_started")[0]?.id,
      });
      expect(chunk).not.toHaveProperty("seq");
    }
    expect(run.kept("llm_call_completed")).toMatchObject([
      { response: "one two three", callId: "task:work/turn:1/llm" },
    ]);
    expect(run.kept("llm_call_started")).toMatchObject([{ stream: true }]);
  });

  it("DC3: requests no deltas unless the crew or the agent does", async () => {
    const streams: boolean[] = [];
    const model = scriptedModel(() => "x");
    const noting = {
      ...model,
      generate: (
        request: Parameters<typeof model.generate>[0],
        options: Parameters<typeof model.generate>[1],
      ) => (streams.push(options.onDelta !== undefined), model.generate(request, options)),
    };
    for (const [crewStreams, agentStreams] of [
      [undefined, undefined],
      [true, undefined],
      [true, false],
      [false, true],
    ]) {
      const agent = new Agent({
        role: "R",
        goal: "g",
        backstory: "b",
        llm: noting,
        ...(agentStreams === undefined ? {} : { stream: agentStreams }),
      });
      await startCrew(
        soloCrew(agent, { crew: crewStreams === undefined ? {} : { stream: crewStreams } }),
      ).output();
    }
    expect(streams).toEqual([false, true, false, true]);
  });
});
