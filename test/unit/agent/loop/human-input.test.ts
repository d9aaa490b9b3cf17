import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { TrainedAnswer } from "../../../../src/agent/loop/human-input.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { CrewIteration } from "../../../../src/crew/actions/crew-iteration.ts";
import { runCrew } from "../../../../src/crew/run-crew.ts";
import type { RunnableCrew } from "../../../../src/crew/runnable-crew.ts";
import { LocalRun } from "../../../../src/runtime/handle/local-run.ts";
import type { ResumeRequest } from "../../../../src/runtime/handle/run-handle.ts";
import { tool } from "../../../../src/tools/tool.ts";
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
} from "../../../support/crew-harness.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  maxUsageCount: 1,
  run: () => "seen",
});

describe("a task with humanInput", () => {
  it("HI2, HI3: runs again for feedback, in the same conversation, and ends with a blank one", async () => {
    const { agent, model } = scriptedAgent(["a long answer", "short"]);
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    expect(await run.settle()).toMatchObject({
      status: "waiting",
      waits: [
        {
          key: "task:work/human:1",
          kind: "human",
          prompt: expect.stringMatching(/^a long answer\n[^]*waits for you/),
        },
      ],
    });
    await run.handle.resume({ feedback: "shorter" });
    expect((await run.settle()).waits).toMatchObject([
      { key: "task:work/human:2", prompt: expect.stringMatching(/^short\n/) },
    ]);
    await run.handle.resume({ feedback: "  " });
    expect((await run.output()).raw).toBe("short");
    expect(keysOf(model)).toEqual(["task:work/turn:1/llm", "task:work/revision:1/turn:1/llm"]);
    expect(toldTo(model, 1)).toEqual([
      ...toldTo(model, 0),
      { role: "assistant", content: "a long answer" },
      { role: "user", content: expect.stringContaining("<feedback>\nshorter\n</feedback>") },
    ]);
  });

  it("continues for as many rounds as the person asks for", async () => {
    const { agent, model } = scriptedAgent(({ messages }) => `version ${messages.length / 2}`);
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    for (let round = 1; round <= 12; round++) {
      expect((await run.settle()).waits[0]?.key).toBe(`task:work/human:${round}`);
      await run.handle.resume(round === 12 ? { approve: true } : { feedback: "again" });
    }
    expect((await run.output()).raw).toBe("version 12");
    expect(model.calls).toHaveLength(12);
  });

  it.each<[string, ResumeRequest, string]>([
    ["feedback", { feedback: "shorter" }, "shorter"],
    ["a value in its place", { value: "shorter" }, "shorter"],
    ["a value other than text", { value: { words: 10 } }, '{"words":10}'],
    ["feedback with a refusal", { feedback: "shorter", approve: false }, "shorter"],
    ["a refusal alone", { approve: false }, "does not accept it"],
    ["a value of false", { value: false }, "does not accept it"],
  ])("HI2: has another round for %s", async (_, answer, told) => {
    const { agent, model } = scriptedAgent(["one", "two"]);
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume(answer);
    await run.settle();
    await run.handle.resume({ approve: true });
    expect((await run.output()).raw).toBe("two");
    expect(lastTold(model, 1)).toContain(told);
  });

  it.each<ResumeRequest>([{ approve: true }, { feedback: "" }, { value: true }, { value: "" }])(
    "keeps the answer for %j",
    async (answer) => {
      const { agent, model } = scriptedAgent(["one"]);
      const run = startCrew(soloCrew(agent, { humanInput: true }));
      await run.settle();
      await run.handle.resume(answer);
      const { tasks } = await run.output();
      expect(tasks[0]).not.toHaveProperty("humanFeedback");
      expect(model.calls).toHaveLength(1);
    },
  );

  it("HI3: approval with feedback keeps the answer, and later tasks receive the feedback", async () => {
    const { agent, model } = scriptedAgent(["draft", "page"]);
    const crew = new Crew({
      prompts: { slices: { approvedWithFeedback: "{output} // {human_feedback}" } },
      tasks: [
        taskFor(agent, { name: "draft", humanInput: true }),
        taskFor(agent, { name: "page" }),
      ],
    });
    const run = startCrew(crew);
    await run.settle();
    await run.handle.resume({ approve: true, feedback: "fine, but mind the title" });
    const { tasks } = await run.output();
    expect(tasks[0]).toMatchObject({ raw: "draft", humanFeedback: "fine, but mind the title" });
    expect(lastTold(model, 1)).toContain(
      "<context>\ndraft // fine, but mind the title\n</context>",
    );
  });

  it("each round has the full number of turns, and tools keep their limits and results", async () => {
    const { agent, model } = scriptedAgent(
      [calling("look"), "one", calling("look"), calling("look"), "two"],
      { tools: [look], maxIter: 2 },
    );
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "look again" });
    await run.settle();
    await run.handle.resume({ approve: true });
    expect((await run.output()).raw).toBe("two");
    expect(keysOf(model).slice(2)).toEqual([
      "task:work/revision:1/turn:1/llm",
      "task:work/revision:1/turn:2/llm",
      "task:work/revision:1/final-answer/llm",
    ]);
    expect(toldTo(model, 2).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(lastTold(model, 3)).toContain("look was not run");
  });

  it("continues in the text form, and after an answer from a tool", async () => {
    const { agent, model } = scriptedAgent(
      [acting("look"), "Final Answer: one", "Final Answer: two"],
      { tools: [look], modelOptions: TEXT_ONLY },
    );
    const answering = { ...look, resultAsAnswer: true };
    const other = scriptedAgent([calling("look"), "words"], { tools: [answering] });
    for (const each of [agent, other.agent]) {
      const run = startCrew(soloCrew(each, { humanInput: true }));
      await run.settle();
      await run.handle.resume({ feedback: "more" });
      await run.settle();
      await run.handle.resume({ approve: true });
      expect((await run.output()).raw).toBe(each === agent ? "two" : "words");
    }
    expect(toldTo(model, 2).at(-2)).toEqual({ role: "assistant", content: "Final Answer: one" });
    expect(toldTo(other.model, 1).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  it("AL5, AL8: a failed execution after feedback continues from the feedback, without another question", async () => {
    const down = { error: new EngineError("agent_failed", "down") };
    const { agent, model } = scriptedAgent(["one", down, "two"]);
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "shorter" });
    expect((await run.settle()).waits).toMatchObject([{ key: "task:work/retry:1/human:2" }]);
    await run.handle.resume({ approve: true });
    expect((await run.output()).raw).toBe("two");
    expect(toldTo(model, 2).slice(0, -1)).toEqual(toldTo(model, 1));
    expect(toldTo(model, 2).at(-1)?.content).toContain("down");
  });

  it("guardrails see the approved answer, and the person reviews the work again after a refusal", async () => {
    const seen: string[] = [];
    const { agent } = scriptedAgent(["one", "two", "three"]);
    const run = startCrew(
      soloCrew(agent, {
        humanInput: true,
        guardrail: ({ raw }) => (seen.push(raw), [raw === "three", raw]),
      }),
    );
    const answers: ResumeRequest[] = [
      { feedback: "again" },
      { approve: true, feedback: "for the first" },
      { approve: true },
    ];
    const asked: string[] = [];
    for (const answer of answers) {
      asked.push((await run.settle()).waits[0]?.key ?? "");
      await run.handle.resume(answer);
    }
    expect((await run.output()).tasks[0]).not.toHaveProperty("humanFeedback");
    expect(asked).toEqual([
      "task:work/human:1",
      "task:work/human:2",
      "task:work/guardrail-retry:1/human:1",
    ]);
    expect(seen).toEqual(["two", "three"]);
  });

  it("HI1: a person's time does not count for maxExecutionTime; the agent's does", async () => {
    const { agent } = scriptedAgent(["one", "two"], { maxExecutionTime: 60 });
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    for (const answer of [{ feedback: "again" }, { approve: true }]) {
      await run.settle();
      await run.clock.advance(3_600_000);
      await run.handle.resume(answer);
    }
    expect((await run.output()).raw).toBe("two");
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: (_, { wait }) => wait("person", { kind: "human" }),
    });
    const other = scriptedAgent(["one", calling("ask"), "never"], {
      maxExecutionTime: 60,
      tools: [ask],
    });
    const late = startCrew(soloCrew(other.agent, { humanInput: true }));
    for (const seconds of [3600, 61]) {
      await late.settle();
      await late.clock.advance(seconds * 1000);
      await late.handle.resume({ feedback: "again" });
    }
    expect((await late.settle()).error?.code).toBe("timeout");
  });

  it("HI1: a person's time does not count for an agent with skills either", async () => {
    const skills = ["---\nname: tea\ndescription: Brews tea.\n---\nWarm the pot first."];
    const { agent } = scriptedAgent(["one", "two"], { maxExecutionTime: 60, skills });
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    for (const answer of [{ feedback: "again" }, { approve: true }]) {
      await run.settle();
      await run.clock.advance(3_600_000);
      await run.handle.resume(answer);
    }
    expect((await run.output()).raw).toBe("two");
  });

  it("expires at its configured time: the task fails, or the answer is approved", async () => {
    const failing = startCrew(
      soloCrew(scriptedAgent(["one"]).agent, { humanInput: { expiresInSeconds: 60 } }),
    );
    expect((await failing.settle()).waits).toMatchObject([
      { expiresAt: "2026-01-01T00:01:00.000Z" },
    ]);
    await failing.clock.advance(60_000);
    expect((await failing.settle()).error?.code).toBe("wait_expired");
    const approving = startCrew(
      soloCrew(scriptedAgent(["one"]).agent, {
        humanInput: { expiresInSeconds: 60, whenExpired: "approve" },
      }),
    );
    await approving.settle();
    await approving.clock.advance(60_000);
    expect((await approving.output()).raw).toBe("one");
    expect(approving.kept("human_feedback_received")).toMatchObject([{ outcome: "approved" }]);
  });

  it.each([
    [{ expiresInSeconds: 0 }, "humanInput.expiresInSeconds must be an integer >= 1, got 0"],
    [{ whenExpired: "maybe" as never }, 'humanInput.whenExpired must be "approve" or "fail"'],
  ])("refuses %j", (humanInput, message) => {
    expect(() => taskFor(undefined, { humanInput })).toThrow(message);
  });

  it("reports itself in events, and the finish once", async () => {
    const finished: string[] = [];
    const { agent } = scriptedAgent(["one", "two"], {
      stepCallback: (step) => step.kind === "finish" && finished.push(step.output),
    });
    const run = startCrew(soloCrew(agent, { humanInput: true }));
    await run.settle();
    await run.handle.resume({ feedback: "shorter" });
    await run.settle();
    await run.handle.resume({ approve: true, feedback: "thanks" });
    await run.output();
    const requested = run.kept("human_feedback_requested");
    expect(requested).toMatchObject([
      {
        agentRole: "Researcher",
        taskName: "work",
        output: "one",
        requestId: "task:work/human:1",
        message: expect.stringContaining("approve: true"),
      },
      { output: "two", requestId: "task:work/human:2" },
    ]);
    expect(run.kept("human_feedback_received")).toMatchObject([
      { feedback: "shorter", outcome: "changes_requested", startedId: requested[0]?.id },
      { feedback: "thanks", outcome: "approved", startedId: requested[1]?.id },
    ]);
    expect(run.kept("agent_execution_completed")).toMatchObject([{ output: "two" }]);
    expect(finished).toEqual(["two"]);
  });

  it("is refused by kickoff, which cannot wait for a person", async () => {
    const crew = soloCrew(scriptedAgent(["one"]).agent, { humanInput: true });
    await expect(crew.kickoff()).rejects.toThrow(
      "waits for an answer to task:work/human:1, which kickoff() cannot answer: use start()",
    );
  });

  it("a long answer is shortened for the person, and whole in the output", async () => {
    const answer = "x".repeat(100_000);
    const run = startCrew(soloCrew(scriptedAgent([answer]).agent, { humanInput: true }));
    expect((await run.settle()).waits[0]?.prompt?.length).toBeLessThan(20_000);
    await run.handle.resume({ approve: true });
    expect((await run.output()).raw).toBe(answer);
  });
});

describe("training", () => {
  /** Runs a crew as `train()` does: each answer is read once, whatever its task says. */
  const trained = async (script: readonly string[], feedback: string) => {
    const { agent } = scriptedAgent(script);
    const crew: RunnableCrew = soloCrew(agent);
    const kept: TrainedAnswer[] = [];
    const iteration: CrewIteration = {
      kind: "training",
      taskCompleted: ({ output }) => output.trained !== undefined && kept.push(output.trained),
    };
    const run = new LocalRun(
      { kind: "crew", name: "solo", inputs: {} },
      { tasks: [], run: (scope, inputs) => runCrew(scope, { ...crew, iteration }, inputs) },
    );
    for await (const event of run.events())
      if (event.type === "run_waiting") await run.resume({ feedback });
    return { kept, output: await run.output() };
  };

  it("asks once, repeats the answer once, and reports the three texts", async () => {
    const { kept, output } = await trained(["one", "two"], "shorter");
    expect(output).toMatchObject({ raw: "two" });
    expect(kept).toEqual([
      { initialOutput: "one", humanFeedback: "shorter", improvedOutput: "two" },
    ]);
  });

  it("refuses an answer without feedback", async () => {
    await expect(trained(["one"], "")).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/feedback" }],
    });
  });
});
