import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { AgentMessages } from "../../../src/agent/run-agent.ts";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  keysOf,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });

describe("agent.kickoff()", () => {
  it("returns a text, with its usage", async () => {
    const { agent, model } = scriptedAgent([calling("look"), "hello back"], { tools: [look] });
    const output = await agent.kickoff("hello");
    expect(output).toMatchObject({
      raw: "hello back",
      agentRole: "Researcher",
      replanCount: 0,
      usage: { requests: 2 },
    });
    expect(output).not.toHaveProperty("object");
    expect(output.messages?.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(keysOf(model)).toEqual(["turn:1/llm", "turn:2/llm"]);
    expect(toldTo(model, 0)[1]).toMatchObject({ role: "user", content: "hello" });
  });

  it("leaves a long conversation out of the output", async () => {
    const flood = tool({
      name: "flood",
      description: "Floods.",
      input: z.object({}),
      run: () => "x".repeat(64 * 1024),
    });
    const calls = Array.from({ length: 18 }, () => ({ name: "flood", arguments: {} }));
    const { agent } = scriptedAgent([{ toolCalls: calls }, "done"], { tools: [flood] });
    const output = await agent.kickoff("go");
    expect(output.raw).toBe("done");
    expect(output).not.toHaveProperty("messages");
  });

  it("RA1: keeps the roles of a conversation", async () => {
    const messages: AgentMessages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "I am Ann." },
      { role: "assistant", content: "Hello Ann." },
      { role: "user", content: "Who am I?" },
    ];
    for (const modelOptions of [{}, TEXT_ONLY]) {
      const { agent, model } = scriptedAgent(["Final Answer: Ann"], {
        modelOptions,
        tools: [look],
      });
      await agent.kickoff(messages);
      expect(toldTo(model, 0).slice(1)).toMatchObject(messages);
    }
    const single = scriptedAgent(["Ann"], { useSystemPrompt: false });
    await single.agent.kickoff(messages);
    expect(toldTo(single.model, 0).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    expect(toldTo(single.model, 0).at(-1)?.content).toMatch(/^You are Researcher\.[^]*Who am I\?$/);
  });

  it("RA2: fills placeholders of its texts and of the messages; other braces stay", async () => {
    const { agent, model } = scriptedAgent(["x"], { goal: "Know {topic}" });
    await agent.kickoff('On {topic}: {"a": 1} {unknown} {topic}', { inputs: { topic: "{tea}" } });
    expect(toldTo(model, 0)[0]?.content).toContain("Your goal: Know {tea}");
    expect(toldTo(model, 0)[1]?.content).toBe('On {tea}: {"a": 1} {unknown} {tea}');
  });

  it("needs the inputs of its texts as soon as there are any", async () => {
    const { agent } = scriptedAgent(["x", "x"], { goal: "Know {topic}" });
    expect(agent.placeholders).toEqual(["topic"]);
    await expect(agent.kickoff("hi", { inputs: { other: 1 } })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining('the goal of agent "Researcher" needs the input "topic"'),
    });
    await expect(agent.kickoff("hi")).resolves.toMatchObject({ raw: "x" });
  });

  it("returns an object of the requested schema, as the schema's own parser returns it", async () => {
    const { agent, model } = scriptedAgent(['{"at": "2026-01-02"}']);
    const shape = z.object({ at: z.string().transform((text) => new Date(text)) });
    const { object } = await agent.kickoff("When?", { responseFormat: shape });
    expect(object?.at.getUTCDate()).toBe(2);
    expect(toldTo(model, 0)[1]?.content).toContain('"at"');
    expect(model.calls[0]?.request.responseSchema).toBeDefined();
    const repaired = scriptedAgent(["tomorrow", '{"n": 4}']);
    const output = await repaired.agent.kickoff("How many?", {
      responseFormat: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    });
    expect(output.object).toEqual({ n: 4 });
  });

  it("reports its plan and its steps", async () => {
    const { agent } = scriptedAgent(
      [
        calling("create_reasoning_plan", {
          plan: "p",
          ready: true,
          steps: [{ step_number: 1, description: "a", tool_to_use: "look", depends_on: [] }],
        }),
        calling("look"),
        "did a",
        "the answer",
      ],
      { tools: [look], planning: true },
    );
    expect(await agent.kickoff("go")).toMatchObject({
      raw: "the answer",
      plan: "p\n1. a",
      todos: [
        {
          stepNumber: 1,
          description: "a",
          toolUsed: "look",
          status: "completed",
          result: "did a",
          dependsOn: [],
        },
      ],
      replanCount: 0,
    });
  });

  it("emits events when it starts, completes and fails", async () => {
    const { agent } = scriptedAgent(["x"], { tools: [look] });
    const events: RunEvent[] = [];
    for await (const event of agent.start("hi", { id: "run-1" }).events())
      if ("seq" in event) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "run_started",
      "lite_agent_execution_started",
      "agent_execution_started",
      "llm_call_started",
      "llm_call_completed",
      "agent_execution_completed",
      "lite_agent_execution_completed",
      "run_completed",
    ]);
    expect(events[0]).toMatchObject({
      kind: "agent",
      name: "Researcher",
      inputs: { messages: "hi" },
    });
    expect(events[1]).toMatchObject({
      agentInfo: { role: "Researcher", goal: "Find facts", backstory: "You read a lot." },
      tools: ["look"],
      messages: [{ role: "user", content: "hi" }],
    });
    expect(events[2]).toMatchObject({ parentId: "lite_agent_execution_started" });
    expect(events[6]).toMatchObject({ output: "x", startedId: "lite_agent_execution_started" });
    const broken = scriptedAgent([{ error: new EngineError("model_rejected", "no") }]);
    const handle = broken.agent.start("hi");
    await expect(handle.output()).rejects.toMatchObject({ code: "model_rejected" });
    const failed: string[] = [];
    for await (const event of handle.events()) failed.push(event.type);
    expect(failed.slice(-2)).toEqual(["lite_agent_execution_error", "run_failed"]);
  });

  it("start() returns a handle, with a clock, models and an answer to a wait", async () => {
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: (_, { wait }) => wait("person", { kind: "human", prompt: "Well?" }),
    });
    const { model } = scriptedAgent([calling("ask"), "thanks"]);
    const agent = new Agent({
      role: "R",
      goal: "g",
      backstory: "b",
      llm: "mine",
      tools: [ask],
      maxRpm: 1,
    });
    const clock = new SimulatedClock();
    const handle = agent.start("hi", {
      id: "a1",
      clock,
      models: modelCatalog({ variables: {}, models: { mine: model } }),
    });
    await clock.settle();
    expect(await handle.status()).toMatchObject({ id: "a1", kind: "agent", status: "waiting" });
    await handle.resume({ feedback: "yes" });
    await clock.settle();
    expect((await handle.status()).waits).toMatchObject([{ kind: "timer" }]);
    await clock.advance(60_000);
    expect(await handle.output()).toMatchObject({ raw: "thanks" });
    await expect(
      scriptedAgent([calling("ask")], { tools: [ask] }).agent.kickoff("hi"),
    ).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("AW7: its time is limited", async () => {
    const { agent } = scriptedAgent([{ text: "late", delayMs: 60_000 }], { maxExecutionTime: 1 });
    const clock = new SimulatedClock();
    const output = agent.start("hi", { clock }).output();
    output.catch(() => undefined);
    await clock.settle();
    await clock.advance(1000);
    await expect(output).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("did not finish its work within maxExecutionTime (1 s)"),
    });
  });

  it("message() is the answer alone", async () => {
    expect(await scriptedAgent(["four"]).agent.message("2 + 2?")).toBe("four");
  });

  it("in a tool it joins the current run: one journal, one tree, done once", async () => {
    const inner = scriptedAgent(["one", "two"], { role: "Helper one" });
    const help = tool({
      name: "help",
      description: "Helps.",
      input: z.object({}),
      run: async (_, { wait }) => {
        const answers = [await inner.agent.kickoff("a"), await inner.agent.kickoff("b")];
        await wait("person", { kind: "human" });
        return answers.map(({ raw }) => raw).join();
      },
    });
    const outer = scriptedAgent([calling("help"), "done"], { tools: [help] });
    const run = startCrew(soloCrew(outer.agent));
    await run.settle();
    await run.handle.resume({ feedback: "x" });
    await run.output();
    const place = "task:work/turn:1/tool:help#0/agent:Helper-one";
    expect(keysOf(inner.model)).toEqual([`${place}/turn:1/llm`, `${place}~2/turn:1/llm`]);
    expect(toldTo(outer.model, 1).at(-1)?.content).toBe("one,two");
    expect(run.kept("lite_agent_execution_completed")).toHaveLength(2);
    expect((await run.handle.status()).usage.requests).toBe(4);
  });

  it("comes to the same end wherever its process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const note = tool({
        name: "note",
        description: "Notes.",
        input: z.object({ n: z.number() }),
        run: ({ n }, { idempotencyKey }) => (calls.push(idempotencyKey), `noted ${n}`),
      });
      const { agent, model } = scriptedAgent(
        ({ messages }) =>
          messages.length < 6 ? calling("note", { n: messages.length }) : "the end",
        { tools: [note], injectDate: true },
      );
      return {
        inputs: {
          messages: [{ role: "user", content: "go on {topic}" }],
          inputs: { topic: "tea" },
        },
        program: agent.program(),
        get calls() {
          return [...calls, ...model.calls.map((call) => call.idempotencyKey ?? "")];
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run } = whole;
    expect(run.output).toMatchObject({ raw: "the end", usage: { requests: 3 } });
  });

  it.each([
    ["  ", "messages must be a text that is not empty"],
    [[], "messages must be a text, or a list of at least one message, got []"],
    [7, "messages must be a text, or a list of at least one message, got 7"],
    [["hi"], 'messages.0 must be an object with role and content, got "hi"'],
    [
      [{ role: "tool", content: "x" }],
      'messages.0.role must be "system", "user" or "assistant", got "tool"',
    ],
    [
      [{ role: "user" }],
      "messages.0.content must be a text, or a list of at least one part, got undefined",
    ],
    [
      [{ role: "assistant", content: "x" }],
      'messages.0.role must be "user", because the last message is the task',
    ],
  ])("refuses %j", async (messages, message) => {
    await expect(scriptedAgent([]).agent.kickoff(messages as AgentMessages)).rejects.toThrowError(
      message,
    );
  });

  it("refuses inputs without a JSON form", async () => {
    const inputs = { at: new Date(0) } as unknown as JsonObject;
    await expect(scriptedAgent([]).agent.kickoff("hi", { inputs })).rejects.toThrowError(
      "inputs.at must be",
    );
  });

  it("leaves crews as they are: an agent serves both at once", async () => {
    const { agent } = scriptedAgent(() => "same");
    const [alone, crew] = await Promise.all([agent.kickoff("x"), runCrewToEnd(soloCrew(agent))]);
    expect([alone.raw, crew.result.raw]).toEqual(["same", "same"]);
  });
});
