import { describe, expect, it } from "vitest";
import * as z from "zod";
import { hallucinationGuardrail } from "../../../src/agent/description/guardrail.ts";
import type { PromptOverrides } from "../../../src/agent/prompts/prompts.ts";
import { EngineError } from "../../../src/base/error.ts";
import type {
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
} from "../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  acting,
  calling,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  TEXT_ONLY,
} from "../../support/crew-harness.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { TaskOptions } from "../../../src/crew/tasks/task.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  maxUsageCount: 1,
  run: () => "seen",
});
const failing = tool({
  name: "fail",
  description: "Fails.",
  input: z.object({}),
  run: () => {
    throw new Error("down");
  },
});
const lost = tool({
  name: "lost",
  description: "Is cut off.",
  input: z.object({}),
  run: () => {
    throw new EngineError("outcome_unknown", "cut off");
  },
});
const full = { error: new EngineError("context_window_exceeded", "too long") };

type Case = {
  readonly key: string;
  readonly section?: "slices" | "errors" | "guardrails";
  readonly script: readonly ScriptedReply[];
  readonly model?: ScriptedModelOptions;
  readonly task?: Partial<TaskOptions>;
  readonly maxIter?: number;
  readonly tools?: readonly (typeof look)[];
  readonly strict?: boolean;
};

const cases: readonly Case[] = [
  { key: "rolePlaying", script: ["x"] },
  { key: "tools", script: ["Final Answer: x"], model: TEXT_ONLY, tools: [look] },
  { key: "noTools", script: ["x"] },
  { key: "nativeTools", script: ["x"], tools: [look] },
  { key: "task", script: ["Final Answer: x"], model: TEXT_ONLY, tools: [look] },
  { key: "nativeTask", script: ["x"], tools: [look] },
  { key: "taskNoTools", script: ["x"] },
  {
    key: "observation",
    script: [acting("look"), "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
  },
  {
    key: "postToolReasoning",
    script: [acting("look"), "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
  },
  {
    key: "format",
    script: ["prose", "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
    strict: true,
  },
  { key: "taskWithContext", script: ["x"] },
  { key: "expectedOutput", script: ["x"] },
  {
    key: "formattedTaskInstructions",
    script: ['{"a":1}'],
    task: { output: z.object({ a: z.number() }) },
  },
  { key: "markdown", script: ["x"], task: { markdown: true } },
  { key: "summarizerSystemMessage", script: [full, "<summary>s</summary>", "x"] },
  { key: "summarizeInstruction", script: [full, "<summary>s</summary>", "x"] },
  { key: "summary", script: [full, "<summary>s</summary>", "x"] },
  {
    key: "conversionInstructions",
    script: ["prose", '{"a":1}'],
    task: { output: z.object({ a: z.number() }) },
  },
  {
    key: "outputRepair",
    script: ["prose", '{"a":"no"}', '{"a":1}'],
    task: { output: z.object({ a: z.number() }) },
  },
  {
    key: "validationError",
    section: "errors",
    script: ["x", "y"],
    task: { guardrail: ({ raw }) => [raw === "y", raw] },
  },
  {
    key: "goOnAfterFailure",
    section: "errors",
    script: [{ error: new EngineError("agent_failed", "no") }, "x"],
  },
  ...(["ruleJudge", "ruleQuestion"] as const).map((key) => ({
    key,
    section: "guardrails" as const,
    script: ["x", '{"valid":true,"feedback":null}'],
    task: { guardrail: "be kind" },
  })),
  ...(["faithfulnessJudge", "faithfulnessQuestion"] as const).map((key) => ({
    key,
    section: "guardrails" as const,
    script: ["x", '{"score":9,"feedback":""}'],
    task: { guardrail: hallucinationGuardrail() },
  })),
  {
    key: "forceFinalAnswer",
    section: "errors",
    script: [calling("look"), "x"],
    tools: [look],
    maxIter: 1,
  },
  {
    key: "taskRepeatedUsage",
    section: "errors",
    script: [acting("look"), acting("look"), "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
  },
  {
    key: "toolArgumentsError",
    section: "errors",
    script: [calling("look", "[1]"), "x"],
    tools: [look],
  },
  {
    key: "wrongToolName",
    section: "errors",
    script: [acting("nobody"), "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
  },
  { key: "missingToolName", section: "errors", script: [calling(""), "x"], tools: [look] },
  { key: "unknownTool", section: "errors", script: [calling("nobody"), "x"], tools: [look] },
  {
    key: "toolUsageLimit",
    section: "errors",
    script: [calling("look"), calling("look"), "x"],
    tools: [look],
  },
  {
    key: "toolUsageException",
    section: "errors",
    script: [calling("fail"), "x"],
    tools: [failing],
  },
  {
    key: "toolOutcomeUnknown",
    section: "errors",
    script: [calling("lost"), "x"],
    tools: [lost],
  },
  {
    key: "formatError",
    section: "errors",
    script: ["prose", "Final Answer: x"],
    model: TEXT_ONLY,
    tools: [look],
    strict: true,
  },
];

/** The default's placeholders do not matter here: the text must be seen as it is. */
const MARK = "<<mark {input} {task}>>";

describe("replaced prompts", () => {
  it.each(
    cases.flatMap((each) => (["crew", "agent"] as const).map((level) => ({ level, ...each }))),
  )("PR1: $key of the $level reaches the model", async (each) => {
    const prompts = { [each.section ?? "slices"]: { [each.key]: MARK } } as PromptOverrides;
    const { agent, model } = scriptedAgent(each.script, {
      ...(each.model === undefined ? {} : { modelOptions: each.model }),
      tools: each.tools ?? [],
      maxIter: each.maxIter ?? 25,
      strictReact: each.strict ?? false,
      ...(each.level === "agent" ? { prompts } : {}),
    });
    const first = scriptedAgent(["before"]).agent;
    const crew = new Crew({
      tasks: [taskFor(first, { name: "first" }), taskFor(agent, { name: "work", ...each.task })],
      ...(each.level === "crew" ? { prompts } : {}),
    });
    await runCrewToEnd(crew);
    expect(allTold(model)).toContain("<<mark ");
  });

  it.each(["humanFeedback", "humanRejection"] as const)(
    "PR1: %s reaches the model, gettingInput and feedbackInstructions the person",
    async (key) => {
      const { agent, model } = scriptedAgent(["x", "y"], {
        prompts: {
          slices: { [key]: MARK, gettingInput: "Read: {answer}", feedbackInstructions: "Say." },
        },
      });
      const run = startCrew(soloCrew(agent, { humanInput: true }));
      expect((await run.settle()).waits[0]?.prompt).toBe("Read: x");
      expect(run.kept("human_feedback_requested")[0]).toMatchObject({ message: "Say." });
      await run.handle.resume(key === "humanFeedback" ? { feedback: "more" } : { approve: false });
      await run.settle();
      expect(allTold(model)).toContain("<<mark ");
    },
  );

  it("PR1: an agent's text takes precedence over its crew's", async () => {
    const { agent, model } = scriptedAgent(["x"], {
      prompts: { slices: { taskNoTools: "agent's {input}" } },
    });
    await runCrewToEnd(
      soloCrew(agent, {
        crew: { prompts: { slices: { taskNoTools: "crew's {input}", noTools: "crew's own" } } },
      }),
    );
    expect(allTold(model)).toContain("agent's Do the work");
    expect(allTold(model)).toContain("crew's own");
    expect(allTold(model)).not.toContain("crew's Do");
  });

  it("PR1: a replaced marker becomes the stop word, and the model's text is cut at it", async () => {
    const script = [`${acting("look")}\nRESULT: invented`, "Final Answer: x"];
    const { agent, model } = scriptedAgent(script, {
      modelOptions: TEXT_ONLY,
      tools: [look],
      prompts: { slices: { observation: "\nRESULT:" } },
    });
    await runCrewToEnd(soloCrew(agent));
    expect(model.calls[0]?.request.stop).toEqual(["\nRESULT:"]);
    expect(allTold(model)).toContain("\nRESULT: seen");
    expect(allTold(model)).not.toContain("invented");
  });

  it("PR2: placeholders in texts of people and tools are not filled", async () => {
    const echo = tool({
      name: "echo",
      description: "Echoes.",
      input: z.object({}),
      run: () => "{tools} {role}",
    });
    const { agent, model } = scriptedAgent([calling("echo"), "x"], {
      tools: [echo],
      backstory: "I like {goal} and {tool_names}",
    });
    await runCrewToEnd(soloCrew(agent, { description: "Say {role} and {input}" }));
    expect(allTold(model)).toContain("I like {goal} and {tool_names}");
    expect(allTold(model)).toContain("Say {role} and {input}");
    expect(allTold(model)).toContain("{tools} {role}");
  });
});

function allTold(model: ScriptedModel): string {
  return model.calls
    .flatMap((call) => call.request.messages.map(({ content }) => content))
    .join("\n");
}
