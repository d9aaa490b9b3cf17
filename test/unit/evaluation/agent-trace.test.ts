import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Crew } from "../../../src/crew/crew.ts";
import { agentTraces } from "../../../src/evaluation/agent-trace.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { runWhole } from "../../support/cut-off.ts";

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.string() }),
  run: ({ at }) => {
    if (at === "sun") throw new Error("too bright");
    return `saw ${at}`;
  },
});

async function traced(crew: Crew, answer?: () => { feedback: string }) {
  const program = crew.program();
  const { events } = await runWhole({
    program,
    ...(answer === undefined ? undefined : { answer }),
  });
  return agentTraces(events);
}

describe("agentTraces", () => {
  it("has an agent's prompt, calls and answer, with their usage", async () => {
    const { agent } = scriptedAgent(
      [calling("look", { at: "moon" }), calling("look", { at: "sun" }), "the moon"],
      { tools: [look] },
    );
    const [trace, ...others] = await traced(new Crew({ tasks: [taskFor(agent, { name: "sky" })] }));
    expect(others).toEqual([]);
    expect(trace).toMatchObject({
      agentRole: "Researcher",
      taskName: "sky",
      taskId: expect.stringContaining("task:sky"),
      iteration: 1,
      prompt: expect.stringContaining("Do the work"),
      tools: ["look"],
      toolCalls: [
        { name: "look", arguments: { at: "moon" }, output: "saw moon" },
        { name: "look", arguments: { at: "sun" }, error: expect.stringContaining("too bright") },
      ],
      modelCalls: [
        { text: "", tools: ["look"] },
        { text: "", tools: ["look"] },
        { text: "the moon", tools: [] },
      ],
      output: "the moon",
    });
    expect(trace?.totalTokens).toBeGreaterThan(0);
  });

  it("EVT1: holds the retries of a guardrail in one trace, with the last answer", async () => {
    const { agent } = scriptedAgent(["draft", "final"]);
    const guardrail = ({ raw }: { readonly raw: string }) =>
      raw === "final" ? { ok: true as const } : { ok: false as const, error: "not final" };
    const traces = await traced(new Crew({ tasks: [taskFor(agent, { guardrail })] }));
    expect(traces).toMatchObject([{ output: "final", modelCalls: [{ text: "draft" }, {}] }]);
  });

  it("EVT2: assigns the work of a coworker to the coworker", async () => {
    const chief = scriptedAgent(
      [
        calling("delegate_work_to_coworker", { task: "dig", context: "", coworker: "Digger" }),
        "dug",
      ],
      { role: "Chief", allowDelegation: true },
    );
    const digger = scriptedAgent([calling("look", { at: "hole" }), "a hole"], {
      role: "Digger",
      tools: [look],
    });
    const traces = await traced(
      new Crew({ agents: [chief.agent, digger.agent], tasks: [taskFor(chief.agent)] }),
    );
    expect(
      traces.map(({ agentRole, modelCalls, toolCalls }) => [
        agentRole,
        modelCalls.length,
        toolCalls.map(({ name }) => name),
      ]),
    ).toEqual([
      ["Chief", 2, ["delegate_work_to_coworker"]],
      ["Digger", 2, ["look"]],
    ]);
  });
});
