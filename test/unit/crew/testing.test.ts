import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Crew } from "../../../src/crew/crew.ts";
import { actionProgram } from "../../../src/crew/actions/crew-action.ts";
import { InMemoryEvaluationStore } from "../../../src/crew/actions/evaluation-store.ts";
import {
  formatTestReport,
  testReport,
  type TaskScore,
} from "../../../src/crew/actions/test-report.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { scriptedModel, type ScriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import type { RunProgram } from "../../../src/runtime/run-program.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  keysOf,
  lastTold,
  scriptedAgent,
  soloCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, runWhole } from "../../support/cut-off.ts";
import { RunWorld } from "../../support/run-world.ts";

const judge = (...scores: number[]) =>
  scriptedModel(
    scores.map((quality) => JSON.stringify({ quality })),
    { id: "judge" },
  );

/** A tool that takes as long as it is told to. */
const slow = tool({
  name: "slow",
  description: "Takes its time.",
  input: z.object({ seconds: z.number() }),
  run: ({ seconds }, { sleep }) => sleep("a while", seconds * 1000),
});

/** Two tasks, of which the second takes some time: 4 seconds the first time, 8 the second. */
function timed() {
  let seconds = 0;
  const quick = scriptedAgent(() => "quick", { role: "Quick" });
  const slowly = scriptedAgent(
    ({ messages }) =>
      messages.at(-1)?.role === "tool" ? "slow" : calling("slow", { seconds: (seconds += 4) }),
    { role: "Slow", tools: [slow] },
  );
  const called: string[] = [];
  const callback = ({ name }: { readonly name: string }) => called.push(name);
  const crew = new Crew({
    name: "timed",
    tasks: [
      taskFor(quick.agent, { name: "first", description: "Do {what}" }),
      taskFor(slowly.agent, { name: "second", callback }),
    ],
    taskCallback: callback,
  });
  return { crew, called };
}

/** Lets the clock go on until a promise is settled. */
async function inTime<T>(clock: SimulatedClock, work: Promise<T>): Promise<T> {
  const state = { over: false };
  void work.catch(() => undefined).finally(() => (state.over = true));
  for (let turn = 0; turn < 1000 && !state.over; turn++) {
    await clock.settle();
    if (clock.nextDueMs !== undefined) await clock.advance(clock.nextDueMs - clock.now());
  }
  return work;
}

describe("a test", () => {
  it("scores each task's output in each run, and times it", async () => {
    const clock = new SimulatedClock();
    const evalModel = judge(8, 5, 9.5, 6);
    const { crew, called } = timed();
    const report = await inTime(
      clock,
      crew.test({ iterations: 2, evalModel, inputs: { what: "this" }, clock }),
    );
    expect(report).toEqual({
      evalModel: "judge",
      tasks: [
        { name: "first", agents: ["Quick"], scores: [8, 9.5], average: 8.75 },
        { name: "second", agents: ["Slow"], scores: [5, 6], average: 5.5 },
      ],
      crew: { scores: [6.5, 7.75], average: 7.125 },
      seconds: { runs: [4, 8], average: 6 },
    });
    expect(called).toEqual([]);
    expect(lastTold(evalModel, 0)).toBe(
      "The task:\n<task>\nDo this\n</task>\n\nExpected:\n<expected>\nA result\n</expected>\n\nThe result:\n<result>\nquick\n</result>\n\nScore it.",
    );
  });

  it("has events for its start, each result and its end", async () => {
    const { crew } = timed();
    const entry = { action: "test", iterations: 1, evalModel: judge(8, 5) } as const;
    const { events, run } = await runWhole({ program: actionProgram(crew, entry) });
    const result = { type: "crew_test_result", crewName: "timed", iteration: 1, model: "judge" };
    expect(events.filter(({ type }) => type.startsWith("crew_test"))).toMatchObject([
      { type: "crew_test_started", crewName: "timed", nIterations: 1, evalLlm: "judge" },
      { ...result, taskName: "first", quality: 8, executionDuration: 0 },
      { ...result, taskName: "second", quality: 5, executionDuration: 4 },
      { type: "crew_test_completed", startedId: expect.anything() },
    ]);
    expect(run.tasks?.map(({ name, status }) => [name, status])).toEqual([
      ["first (1)", "completed"],
      ["second (1)", "completed"],
    ]);
  });

  it("has an event when it fails, and stores no report", async () => {
    const evaluations = new InMemoryEvaluationStore();
    const crew = soloCrew(scriptedAgent(() => "x").agent);
    const evalModel = scriptedModel(() => '{"quality":11}', { id: "judge" });
    const entry = { action: "test", iterations: 1, evalModel } as const;
    const { events, run } = await runWhole({
      program: actionProgram(crew, entry),
      services: { evaluations },
    });
    expect(run.error).toMatchObject({ code: "output_invalid" });
    expect(events.filter(({ type }) => type === "crew_test_failed")).toMatchObject([
      { crewName: "solo", error: expect.stringContaining("quality") },
    ]);
    expect(await evaluations.list("solo", { limit: 1 })).toEqual([]);
  });

  it("is stored, once for each run, newest first", async () => {
    const evaluations = new InMemoryEvaluationStore();
    const clock = new SimulatedClock();
    const crew = soloCrew(scriptedAgent(() => "x").agent);
    for (const [id, quality] of [
      ["a", 3],
      ["b", 4],
    ] as const) {
      const options = { id, clock, services: { evaluations } };
      await inTime(clock, crew.test({ iterations: 1, evalModel: judge(quality), ...options }));
      await clock.advance(1000);
    }
    const list = await evaluations.list("solo", { limit: 5 });
    expect(list).toMatchObject([
      { runId: "b", crew: "solo", evalModel: "judge", report: { crew: { average: 4 } } },
      { runId: "a", report: { crew: { average: 3 } } },
    ]);
    expect(await evaluations.list("solo", { after: list[0], limit: 5 })).toEqual(list.slice(1));
    expect(await evaluations.list("other", { limit: 5 })).toEqual([]);
  });

  it("EV2: reads the clock; a kickoff of the same crew does not", async () => {
    const keys = async (program: RunProgram): Promise<readonly string[]> => {
      const world = new RunWorld((scope, inputs) => program.run(scope, inputs), {
        models: modelCatalog({ variables: {} }),
      });
      await world.begin();
      return world.host.reader.steps({ limit: 100, values: false }).items.map(({ key }) => key);
    };
    const crew = soloCrew(scriptedAgent(() => "x").agent);
    const entry = { action: "test", iterations: 1, evalModel: judge(5) } as const;
    expect((await keys(actionProgram(crew, entry))).filter((key) => key.includes("now"))).toEqual([
      "iteration:1/task:work/started/now",
      "iteration:1/task:work/ended/now",
    ]);
    expect((await keys(crew.program())).filter((key) => key.includes("now"))).toEqual([]);
  });

  it("inside a run is a part of that", async () => {
    const inner = soloCrew(scriptedAgent(() => "x").agent);
    const evalModel = judge(5);
    const check = tool({
      name: "check",
      description: "Tests the other crew.",
      input: z.object({}),
      run: async () => (await inner.test({ iterations: 1, evalModel })).crew.average,
    });
    const outer = scriptedAgent([calling("check"), "done"], { tools: [check] });
    await soloCrew(outer.agent, { name: "outer" }).kickoff();
    expect(lastTold(outer.model, 1)).toBe("5");
    expect(keysOf(evalModel)).toEqual([
      "task:outer/turn:1/tool:check#0/test:solo/iteration:1/evaluate/task:work/output:1/llm",
    ]);
  });

  it("DC1, EV1: cut off after any write comes out the same", async () => {
    const models: ScriptedModel[] = [];
    const stores: InMemoryEvaluationStore[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent, model } = scriptedAgent(() => "x");
      const evalModel = scriptedModel(() => '{"quality":7}', { id: "judge" });
      models.push(evalModel, model);
      const evaluations = new InMemoryEvaluationStore();
      stores.push(evaluations);
      const tasks = [taskFor(agent, { name: "a" }), taskFor(agent, { name: "b" })];
      const crew = new Crew({ name: "exam", tasks });
      const entry = { action: "test", iterations: 2, evalModel } as const;
      return { program: actionProgram(crew, entry), services: { evaluations } };
    });
    expect(whole.run.output).toMatchObject({ crew: { scores: [7, 7], average: 7 } });
    expect(cut.length).toBeGreaterThan(25);
    const called = (run: number) => models.slice(2 * run, 2 * run + 2).flatMap(keysOf);
    for (const [index, each] of cut.entries()) {
      expect(each.run.status).toBe("completed");
      expect(each.run.output).toMatchObject({ crew: { scores: [7, 7], average: 7 } });
      expect(each.run.usage).toEqual(whole.run.usage);
      expect([...new Set(called(index + 1))].toSorted()).toEqual(called(0).toSorted());
      expect(called(index + 1).length - called(0).length).toBeLessThanOrEqual(1);
      expect(ids(each.events)).toEqual(ids(whole.events));
      expect(await stores[index + 1]?.list("exam", { limit: 5 })).toMatchObject([
        { runId: "run-1", report: each.run.output },
      ]);
    }
  });
});

function ids(events: readonly RunEvent[]): string[] {
  return events
    .filter(({ type }) => !["step_restarted", "run_waiting", "run_resumed"].includes(type))
    .map(({ id }) => id);
}

describe("the table", () => {
  const score = (name: string, value: number | null, seconds: number): TaskScore => ({
    name,
    agents: value === null ? [] : ["Writer"],
    score: value,
    seconds,
  });

  it("has a row for each task, one for the crew, and one for the seconds", () => {
    const report = testReport("judge", [
      [score("research", 8, 1.2), score("a long name", 9.55, 2.4)],
      [score("research", 7.25, 10.4), score("a long name", null, 0)],
    ]);
    expect(formatTestReport(report)).toBe(
      [
        "            | Run 1 | Run 2 | Average | Agents",
        "research    |   8.0 |   7.3 |     7.6 | Writer",
        "a long name |   9.6 |     - |     9.6 | Writer",
        "Crew        |  8.78 |  7.25 |     8.0 |",
        "Seconds     |     4 |    10 |       7 |",
      ].join("\n"),
    );
  });
});
