import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  acting,
  calling,
  keysOf,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
} from "../../support/crew-harness.ts";

const LOOK = { name: "look", description: "Looks.", input: z.object({}), run: () => "seen" };
const look = tool(LOOK);
const passing = (message: string) => new EngineError("agent_failed", message);

describe("maxIter", () => {
  it("AL1: three turns, then one forced answer without tools, asked for by the user", async () => {
    const { agent, model } = scriptedAgent(
      [calling("look"), calling("look"), calling("look"), "my best"],
      { tools: [look], maxIter: 3 },
    );
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("my best");
    expect(keysOf(model)).toEqual([
      "task:work/turn:1/llm",
      "task:work/turn:2/llm",
      "task:work/turn:3/llm",
      "task:work/final-answer/llm",
    ]);
    expect(model.calls.map((call) => call.request.toolChoice)).toEqual([
      undefined,
      undefined,
      undefined,
      "none",
    ]);
    expect(toldTo(model, 3).at(-1)).toEqual({
      role: "user",
      content: expect.stringContaining("You have used up your steps"),
    });
  });

  it("AL1: a forced answer in the text form is read as one, and an action in it is only text", async () => {
    for (const [reply, raw] of [
      ["Thought: x\nFinal Answer: 7", "7"],
      [acting("look"), acting("look")],
    ] as const) {
      const { agent } = scriptedAgent([acting("look"), reply], {
        tools: [look],
        maxIter: 1,
        modelOptions: TEXT_ONLY,
      });
      expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(raw);
    }
  });

  it("AL1: a model without a forced answer fails the task, after retries", async () => {
    const { agent, model } = scriptedAgent(() => calling("look"), {
      tools: [look],
      maxIter: 1,
      maxRetryLimit: 1,
    });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("gave no final answer"),
    });
    expect(model.calls).toHaveLength(4);
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused as %s", (maxIter) => {
    expect(() => scriptedAgent([], { maxIter })).toThrow(
      /agent "Researcher": maxIter must be an integer >= 1, got/,
    );
  });
});

describe("an agent's options", () => {
  it.each([
    [{ maxExecutionTime: 0 }, "maxExecutionTime must be an integer >= 1, got 0"],
    [{ maxRpm: 0.5 }, "maxRpm must be an integer >= 1, got 0.5"],
    [{ maxRetryLimit: -1 }, "maxRetryLimit must be an integer >= 0, got -1"],
    [{ role: " " }, "agent.role must not be empty"],
    [{ goal: undefined as never }, "agent.goal must be a string, got undefined"],
    [{ tools: [{} as never] }, 'agent "Researcher": tools[0] must be made with tool(), got {}'],
    [{ prompts: { slices: { nope: "x" } } as never }, 'prompts have no key "nope"'],
  ])("VD21: refuses %j when it is made", (options, message) => {
    const make = (): Agent =>
      new Agent({ role: "Researcher", goal: "g", backstory: "b", ...options });
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_definition" }));
  });
});

describe("maxRetryLimit", () => {
  it("AW6: a failing execution is retried at most twice, each with its event and its own keys", async () => {
    const { agent, model } = scriptedAgent(() => ({ error: passing("broken") }));
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({
      code: "agent_failed",
      message: 'task "work" (agent "Researcher"): broken',
    });
    expect(keysOf(model)).toEqual([
      "task:work/turn:1/llm",
      "task:work/retry:1/turn:1/llm",
      "task:work/retry:2/turn:1/llm",
    ]);
    expect(kept("agent_execution_error")).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
      { attempt: 3 },
    ]);
  });

  it("AL8: the next execution continues the conversation, with the failure in it", async () => {
    let looks = 0;
    const { agent, model } = scriptedAgent(
      [calling("look"), { error: passing("broken") }, "fine"],
      { tools: [tool({ ...LOOK, run: () => `seen ${++looks}` })] },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("fine");
    expect(toldTo(model, 2).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    expect(toldTo(model, 2).at(-2)?.content).toBe("seen 1");
    expect(toldTo(model, 2).at(-1)?.content).toBe(
      "The work was interrupted: broken\nGo on from where you are. What is done stays done: do not repeat it.",
    );
  });

  it("AL8: keeps all results of a message when a callback throws between its calls", async () => {
    const ran: string[] = [];
    const noting = (name: string) =>
      tool({ ...LOOK, name, run: () => (ran.push(name), `seen by ${name}`) });
    let throws = true;
    const { agent, model } = scriptedAgent(
      [{ toolCalls: ["a", "b"].map((name) => ({ id: name, name, arguments: "{}" })) }, "fine"],
      {
        tools: [noting("a"), noting("b")],
        stepCallback: (step) => {
          if (step.kind !== "tool_result" || step.toolName !== "a" || !throws) return;
          throws = false;
          throw new Error("no disk");
        },
      },
    );
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("fine");
    expect(ran).toEqual(["a", "b"]);
    const told = toldTo(model, 1);
    expect(told.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      "seen by a",
      "seen by b",
    ]);
    expect(told.at(-1)?.content).toContain("no disk");
  });

  it("AW6: a model in permanent failure ends the task after the retries of its call", async () => {
    const down = new EngineError("model_failed", "broken", { retryable: true });
    const { agent, model } = scriptedAgent(() => ({ error: down }));
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({
      code: "model_failed",
      message: 'task "work" (agent "Researcher"): broken',
    });
    expect(model.calls).toHaveLength(3);
    expect(kept("agent_execution_error")).toHaveLength(1);
  });

  it("AW6: each task has all its retries", async () => {
    const failing = { error: passing("broken") };
    const { agent } = scriptedAgent([failing, failing, "one", failing, failing, "two"]);
    const { result } = await runCrewToEnd(
      new Crew({ tasks: [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })] }),
    );
    expect(result.tasks.map(({ raw }) => raw)).toEqual(["one", "two"]);
  });

  it.each(["model_unauthorized", "model_rejected", "budget_exceeded"] as const)(
    "AW6: %s is not retried",
    async (code) => {
      const { agent, model } = scriptedAgent(() => ({ error: new EngineError(code, "no") }));
      expect((await runCrewToFailure(soloCrew(agent))).error.code).toBe(code);
      expect(model.calls).toHaveLength(1);
    },
  );

  it("AW6: 0 means once", async () => {
    const { agent, model } = scriptedAgent(() => ({ error: passing("broken") }), {
      maxRetryLimit: 0,
    });
    await runCrewToFailure(soloCrew(agent));
    expect(model.calls).toHaveLength(1);
  });

  it("EA2: asks twice in all after empty answers, with a note on the first", async () => {
    const { agent, model } = scriptedAgent(() => "");
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({
      code: "answer_empty",
      message:
        'task "work" (agent "Researcher"): scripted/model gave an empty answer twice (finish reason: stop)',
    });
    expect(model.calls).toHaveLength(2);
    expect(toldTo(model, 1).at(-1)).toEqual({
      role: "user",
      content: "Your last answer was empty. Please give your answer now.",
    });
    expect(kept("agent_execution_error")).toHaveLength(1);
  });

  it("AW6: a retryable error is first retried within its step", async () => {
    const { agent, model } = scriptedAgent([
      { error: new EngineError("model_failed", "503", { retryable: true }) },
      "fine",
    ]);
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("fine");
    expect(new Set(keysOf(model))).toEqual(new Set(["task:work/turn:1/llm"]));
    expect(kept("agent_execution_error")).toEqual([]);
  });

  it.each(["", " \n"])(
    "EA1: an empty answer (%j) is not accepted: the model is asked once more",
    async (text) => {
      const { agent, model } = scriptedAgent([{ text }, "fine"]);
      expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("fine");
      expect(model.calls).toHaveLength(2);
    },
  );
});

describe("maxExecutionTime", () => {
  it("AW7: fails the task once with timeout, naming it and the limit, and aborts the call", async () => {
    let aborted = false;
    const model = {
      ...scriptedModel([]),
      generate: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(signal.reason as Error);
          });
        }),
    };
    const agent = new Agent({
      role: "Slow",
      goal: "g",
      backstory: "b",
      llm: model,
      maxExecutionTime: 10,
    });
    const { error, clock, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({
      code: "timeout",
      message: 'agent "Slow" did not finish task "work" within maxExecutionTime (10 s)',
    });
    expect(aborted).toBe(true);
    expect(clock.now() - Date.UTC(2026, 0, 1)).toBe(10_000);
    expect(kept("agent_execution_error")).toHaveLength(1);
  });

  it("AW7: counts over all turns and retries; a call after the limit is not made", async () => {
    const { agent, model } = scriptedAgent([calling("rest"), "never asked for"], {
      maxExecutionTime: 10,
      tools: [
        tool({
          name: "rest",
          description: "Rests.",
          input: z.object({}),
          run: async (_, { sleep }) => sleep("nap", 11_000),
        }),
      ],
    });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.code).toBe("timeout");
    expect(model.calls).toHaveLength(1);
  });

  it("AW7: a call beyond its own limit, with time left for the task, is retried", async () => {
    let calls = 0;
    const model = {
      ...scriptedModel([]),
      generate: async () => {
        if (++calls <= 2)
          throw new EngineError("timeout", "the provider did not answer", { retryable: true });
        return scriptedModel(["late but fine"]).generate(
          { messages: [] },
          { signal: new AbortController().signal },
        );
      },
    };
    const agent = new Agent({
      role: "Slow",
      goal: "g",
      backstory: "b",
      llm: model,
      maxExecutionTime: 3600,
      maxRetryLimit: 3,
    });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("late but fine");
  });
});

describe("maxRpm", () => {
  it("AW8: the third call within a minute waits on a durable timer for the next window", async () => {
    const { agent, model } = scriptedAgent([calling("look"), calling("look"), "done"], {
      tools: [look],
      maxRpm: 2,
    });
    const run = startCrew(soloCrew(agent));
    await run.clock.settle();
    expect(model.calls).toHaveLength(2);
    expect(await run.handle.status()).toMatchObject({
      status: "waiting",
      waits: [{ kind: "timer", expiresAt: "2026-01-01T00:01:00.000Z" }],
    });
    await run.clock.advance(59_000);
    expect(model.calls).toHaveLength(2);
    await run.clock.advance(1000);
    expect((await run.output()).raw).toBe("done");
    expect(model.calls).toHaveLength(3);
  });

  it("AW8: a crew's limit counts the calls of all its tasks, also those not replayed by a resumed run", async () => {
    const { agent, model } = scriptedAgent(() => "done");
    const times: number[] = [];
    const tasks = ["a", "b", "c", "d", "e"].map((name) => taskFor(agent, { name, context: [] }));
    const run = startCrew(
      new Crew({
        tasks,
        maxRpm: 2,
        taskCallback: () => times.push((run.clock.now() - Date.UTC(2026, 0, 1)) / 1000),
      }),
    );
    await run.output();
    expect(times).toEqual([0, 0, 60, 60, 120]);
    expect(model.calls).toHaveLength(5);
  });

  it("AW8: the window slides, also over tasks finished before the wait", async () => {
    const times: number[] = [];
    const pause = tool({
      name: "pause",
      description: "Pauses.",
      input: z.object({}),
      run: (_, { sleep }) => sleep("nap", 30_000),
    });
    const model = scriptedModel((request) =>
      request.messages.at(-1)?.role === "user" ? calling("pause") : "done",
    );
    const agent = new Agent({ role: "R", goal: "g", backstory: "b", llm: model, tools: [pause] });
    const run = startCrew(
      new Crew({
        tasks: ["a", "b", "c"].map((name) => taskFor(agent, { name, context: [] })),
        maxRpm: 2,
        stepCallback: (step) => {
          if (step.kind === "finish") times.push((run.clock.now() - Date.UTC(2026, 0, 1)) / 1000);
        },
      }),
    );
    await run.output();
    // Calls at 0, 30 | 60, 90 | 120, 150: each window of a minute has two.
    expect(times).toEqual([30, 90, 150]);
  });

  it("AW8: an agent's own limit takes precedence over the crew's", async () => {
    const { agent } = scriptedAgent([calling("look"), calling("look"), "done"], {
      tools: [look],
      maxRpm: 100,
    });
    const { clock } = await runCrewToEnd(soloCrew(agent, { crew: { maxRpm: 1 } }));
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  });
});

describe("budgets", () => {
  it("stops before the next call once maxTokens are used", async () => {
    const { agent, model } = scriptedAgent(
      [{ toolCalls: [{ name: "look", arguments: {} }], usage: { totalTokens: 600 } }, "never"],
      { tools: [look] },
    );
    const { error, kept, handle } = await runCrewToFailure(
      soloCrew(agent, { crew: { maxTokens: 500 } }),
    );
    expect(error).toMatchObject({
      code: "budget_exceeded",
      message:
        'task "work" (agent "Researcher"): the run has used 600 of at most 500 tokens; no further model call is made',
    });
    expect(model.calls).toHaveLength(1);
    expect((await handle.status()).usage.totalTokens).toBe(600);
    const failed = kept("llm_call_failed")[0];
    expect(kept("llm_call_started").map(({ id }) => id)).toContain(failed?.startedId);
  });

  it("stops before the next call once maxCostUsd is spent, also in a later task", async () => {
    const { agent, model } = scriptedAgent([
      { text: "a", usage: { costUsd: 0.5 } },
      { text: "b", usage: { costUsd: 0.5 } },
      "never",
    ]);
    const tasks = ["a", "b", "c"].map((name) => taskFor(agent, { name }));
    const { error } = await runCrewToFailure(new Crew({ tasks, maxCostUsd: 1 }));
    expect(error).toMatchObject({
      code: "budget_exceeded",
      message: expect.stringContaining("1 of at most 1 US dollars"),
    });
    expect(model.calls).toHaveLength(2);
  });

  it("does not stop below the limit", async () => {
    const { agent } = scriptedAgent(
      [{ toolCalls: [{ name: "look", arguments: {} }], usage: { totalTokens: 499 } }, "fine"],
      { tools: [look] },
    );
    expect((await runCrewToEnd(soloCrew(agent, { crew: { maxTokens: 500 } }))).result.raw).toBe(
      "fine",
    );
  });
});

describe("a full context window", () => {
  const full = { error: new EngineError("context_window_exceeded", "too long") };

  it("AL4: keeps the system message, puts the rest into one user message as a summary, and continues", async () => {
    const { agent, model } = scriptedAgent(
      [calling("look"), full, "thinking\n<summary> the gist </summary>", "done"],
      { tools: [look] },
    );
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("done");
    expect(lastTold(model, 2)).toMatch(
      /\[USER\]: Do the work[^]*\[ASSISTANT\]: \[Called tools: look\][^]*\[TOOL_RESULT \(look\)\]: seen/,
    );
    const after = toldTo(model, 3);
    expect(after.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(after[0]).toEqual(toldTo(model, 0)[0]);
    expect(after[1]?.content).toContain("<summary>\nthe gist\n</summary>");
    expect(keysOf(model)).toEqual([
      "task:work/turn:1/llm",
      "task:work/turn:2/llm",
      "task:work/turn:2/summary/chunk:1/llm",
      "task:work/turn:3/llm",
    ]);
  });

  it("AL4: summarises a long conversation in parallel chunks within the model's context window", async () => {
    let open = 0;
    let most = 0;
    const wordy = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => "word ".repeat(800),
    });
    const script = async ({ messages }: { messages: readonly { content: string }[] }) => {
      if (!messages[0]?.content.startsWith("You shorten"))
        return messages.length === 2
          ? messages[1]?.content.includes("<summary>")
            ? "done"
            : calling("look")
          : full;
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return `<summary>part of ${messages[1]?.content.length}</summary>`;
    };
    const { agent, model } = scriptedAgent(script, {
      tools: [wordy],
      modelOptions: { contextWindow: 400 },
    });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("done");
    const chunks = keysOf(model).filter((key) => key.includes("/summary/chunk:"));
    expect(chunks.length).toBeGreaterThan(2);
    expect(most).toBeGreaterThan(1);
    expect(lastTold(model, model.calls.length - 1).match(/part of/g)).toHaveLength(chunks.length);
    const sizes = keysOf(model).flatMap((key, index) =>
      chunks.includes(key) ? [lastTold(model, index).length] : [],
    );
    expect(Math.max(...sizes)).toBeLessThan(400 * 4 + 700);
  });

  it("AL4: fails when even the summary is too long, instead of summarising it again and again", async () => {
    const { agent, model } = scriptedAgent([full, "<summary>short</summary>", full]);
    expect((await runCrewToFailure(soloCrew(agent))).error.code).toBe("context_window_exceeded");
    expect(model.calls).toHaveLength(3);
  });

  it("AL4: fails the task when respectContextWindow is false", async () => {
    const { agent, model } = scriptedAgent([full, "never"], { respectContextWindow: false });
    expect((await runCrewToFailure(soloCrew(agent))).error).toMatchObject({
      code: "context_window_exceeded",
      message: 'task "work" (agent "Researcher"): too long',
    });
    expect(model.calls).toHaveLength(1);
  });
});
