import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Crew } from "../../../src/crew/crew.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import type { ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import type { FlowRecord } from "../../../src/flow/run-flow.ts";
import type { LocalRun } from "../../../src/runtime/handle/local-run.ts";
import type { ExportedRun } from "../../../src/runtime/export-run.ts";
import { replayRun } from "../../../src/testing/replay-run.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, startCrew, taskFor } from "../../support/crew-harness.ts";

/** A crew of two tasks; `calls` counts what reaches the world. */
function crewOf({
  goal = "Find facts",
  second = "write",
  script = [calling("look"), "found", "written"] as readonly (string | ScriptedReply)[],
} = {}) {
  const calls: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    run: () => (calls.push("look"), "a view"),
  });
  const { agent, model } = scriptedAgent([...script], { tools: [look], goal });
  const research = taskFor(agent, { name: "research" });
  const crew = new Crew({
    name: "briefing",
    tasks: [research, taskFor(agent, { name: second, description: `Work on {topic}` })],
  });
  return { crew, calls, model };
}

async function exportOf(crew: Crew): Promise<ExportedRun> {
  const run = startCrew(crew, { topic: "tea" });
  await run.settle();
  return (run.handle as LocalRun).export();
}

/** As it comes back from a file. */
const fromFile = (exported: ExportedRun): ExportedRun =>
  JSON.parse(JSON.stringify(exported)) as ExportedRun;

describe("an exported run", () => {
  it("is one JSON document with the run, its steps and its events", async () => {
    const exported = await exportOf(crewOf().crew);
    expect(fromFile(exported)).toEqual(exported);
    expect(exported).toMatchObject({
      format: "edgecrew.run/1",
      run: { status: "completed" },
      start: { kind: "crew", name: "briefing", inputs: { topic: "tea" } },
    });
    expect(exported.steps.map(({ key, label }) => [key, label])).toEqual([
      ["task:research", "research"],
      ["task:research/turn:1/llm", expect.any(String)],
      ["task:research/turn:1/tool:look#0", "look"],
      ["task:research/turn:2/llm", expect.any(String)],
      ["task:write", "write"],
      ["task:write/turn:1/llm", expect.any(String)],
    ]);
    expect(exported.steps[1]?.request).toMatchObject({
      add: [{ role: "system" }, { role: "user" }],
    });
    expect(exported.events.at(-1)).toMatchObject({ type: "run_completed" });
  });
});

describe("the replay of an exported run", () => {
  it("RX1: fits the code that made it, without a call", async () => {
    const exported = fromFile(await exportOf(crewOf().crew));
    const { crew, calls, model } = crewOf({ script: [] });
    const result = await replayRun(exported, crew);
    expect(result).toEqual({ fits: true, output: exported.run.output });
    expect(calls).toEqual([]);
    expect(model.calls).toEqual([]);
  });

  it("RX2: names the model call with a changed prompt, inside a finished task", async () => {
    const exported = await exportOf(crewOf().crew);
    expect(await replayRun(exported, crewOf({ goal: "Find rumours" }).crew)).toEqual({
      fits: false,
      step: "task:research/turn:1/llm",
      message: expect.stringContaining("its input is another one than on record"),
    });
  });

  it("names a step missing from the code", async () => {
    const exported = await exportOf(crewOf().crew);
    const { crew } = crewOf({ second: "edit" });
    expect(await replayRun(exported, crew)).toMatchObject({
      fits: false,
      step: "task:write/turn:1/llm",
      message: expect.stringContaining("the code does not ask for it any more"),
    });
  });

  it("names a step missing from the record, and does not run it", async () => {
    const { crew } = crewOf();
    const exported = await exportOf(crew);
    const [first, ...others] = crew.tasks;
    const { agent, model } = scriptedAgent(["more"]);
    const longer = new Crew({
      name: "briefing",
      tasks: [
        ...(first === undefined ? [] : [first]),
        ...others,
        taskFor(agent, { name: "third" }),
      ],
    });
    expect(await replayRun(exported, longer)).toMatchObject({ fits: false, step: "task:third" });
    expect(model.calls).toEqual([]);
  });

  it("goes as far as an unfinished run", async () => {
    const { crew } = crewOf();
    const exported = await exportOf(crew);
    const steps = exported.steps.slice(0, 3).map((step) => {
      if (step.kind === "model") return step;
      const { value: _, ...open } = step;
      return { ...open, state: "started" as const, endedSeq: null, endedAtMs: null };
    });
    const { output: _, ...run } = exported.run;
    const cut = { ...exported, steps, run: { ...run, status: "running" as const } };
    expect(await replayRun(cut, crew)).toEqual({
      fits: true,
      until: "task:research/turn:1/tool:look#0",
    });
  });

  it("fits a flow, whose methods are rows of their own", async () => {
    const flowOf = (greeting: string) =>
      defineFlow({
        name: "greet",
        state: z.object({ name: z.string().default("Ann") }),
        methods: {
          hello: { start: true, run: ({ state }) => `${greeting} ${state.name}` },
          shout: { listen: "hello", run: ({ state }) => `${state.name}!` },
        },
      });
    const handle = flowOf("Hello").start({ inputs: {} }) as LocalRun<FlowRecord>;
    await handle.output();
    const exported = await handle.export();
    expect(await replayRun(exported, flowOf("Hello"))).toMatchObject({ fits: true });
    expect(exported.steps.map(({ key, kind }) => [key, kind])).toEqual([
      ["method:hello", "method"],
      ["method:shout", "method"],
    ]);
  });

  it("refuses other documents, and newer formats (BI16)", async () => {
    const { crew } = crewOf();
    for (const wrong of [{}, { format: "edgecrew.run/2", steps: [] }, null])
      await expect(replayRun(wrong as never, crew)).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("edgecrew.run/1"),
      });
  });
});
