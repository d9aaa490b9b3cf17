import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import type { CrewOutput } from "../../../src/crew/tasks/task-output.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";

const plain = (name: string, run: (context: ToolContext) => unknown) =>
  tool({
    name,
    description: `Does ${name}.`,
    input: z.object({}),
    run: (_, context) => run(context),
  });

const ask = plain("ask", async ({ wait }) =>
  JSON.stringify(await wait("person", { kind: "human", prompt: "Well?" })),
);

/** Echoes the first line of what it is asked. */
const echo = () =>
  scriptedAgent(({ messages }) => `heard ${messages.at(-1)?.content.split("\n")[0]}`);

describe("inputs", () => {
  it("each run uses its own; the crew is as it was", async () => {
    const crew = soloCrew(echo().agent, { description: "Study {topic}" });
    expect((await crew.kickoff({ inputs: { topic: "A" } })).raw).toBe("heard Study A");
    expect((await crew.kickoff({ inputs: { topic: "B" } })).raw).toBe("heard Study B");
    expect(crew.tasks[0]?.description).toBe("Study {topic}");
  });

  it("a run without inputs leaves texts as they are", async () => {
    expect((await soloCrew(echo().agent, { description: "Study {topic}" }).kickoff()).raw).toBe(
      "heard Study {topic}",
    );
  });

  it("fill the agent's texts too", async () => {
    const { agent, model } = scriptedAgent(["x"], {
      role: "{who}",
      goal: "know {topic}",
      backstory: "born in {year}",
    });
    await runCrewToEnd(soloCrew(agent), { who: "Ada", topic: "bees", year: 1815 });
    expect(model.calls[0]?.request.messages[0]?.content).toMatch(
      /You are Ada\.\nborn in 1815\n\nYour goal: know bees/,
    );
  });

  it("have defaults, replaced by a run's own", async () => {
    const crew = soloCrew(echo().agent, {
      description: "{a} {b}",
      crew: { inputs: { a: 1, b: 2 } },
    });
    expect((await crew.kickoff({ inputs: { b: 3 } })).raw).toBe("heard 1 3");
    expect((await crew.kickoff()).raw).toBe("heard 1 2");
  });

  it("are required when a placeholder has no default, unless a callback may set them", () => {
    const options = { description: '{a} {b} {"json": 1}', expectedOutput: "{c}" };
    expect(
      soloCrew(scriptedAgent([], { role: "{d}" }).agent, { ...options, crew: { inputs: { b: 2 } } })
        .requiredInputs,
    ).toEqual(["a", "c", "d"]);
    expect(
      soloCrew(echo().agent, { ...options, crew: { beforeKickoff: [(inputs) => inputs] } })
        .requiredInputs,
    ).toEqual([]);
  });

  it("CR4: a missing one is found before any task has started, and named with its place", async () => {
    const { agent, model } = scriptedAgent(() => "x");
    const crew = new Crew({
      tasks: [
        taskFor(agent, { name: "first" }),
        taskFor(agent, { name: "second", description: "Study {topic}" }),
      ],
    });
    const { error, kept } = await runCrewToFailure(crew, { other: 1 });
    expect(error).toMatchObject({
      code: "invalid_input",
      message: 'the description of task "second" needs the input "topic"; given: "other"',
    });
    expect(model.calls).toEqual([]);
    expect(kept("crew_kickoff_failed")).toHaveLength(1);
  });

  it("CR4: an unknown model is found before any task has started", async () => {
    const { agent, model } = scriptedAgent(() => "x");
    const unknown = scriptedAgent([], { llm: "no-such-provider/model" }).agent;
    const { error } = await runCrewToFailure(
      new Crew({ tasks: [taskFor(agent), taskFor(unknown)] }),
    );
    expect(error.code).toBe("invalid_definition");
    expect(model.calls).toEqual([]);
  });

  it.each([
    { inputs: { when: new Date(0) } },
    { inputs: { f: () => 1 } },
    { inputs: [1] },
    { inputs: "x" },
  ])("values outside JSON are refused at the call: %o", async (options) => {
    const crew = soloCrew(echo().agent);
    await expect(crew.kickoff(options as never)).rejects.toMatchObject({ code: "invalid_input" });
    expect(() => crew.start(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });
});

describe("callbacks around a run", () => {
  it("change inputs and output, in their order", async () => {
    const crew = soloCrew(echo().agent, {
      description: "{n}",
      crew: {
        beforeKickoff: [
          ({ n }) => ({ n: Number(n) + 1 }),
          async ({ n }) => ({ n: Number(n) * 10 }),
        ],
        afterKickoff: [
          (output) => ({ ...output, raw: `${output.raw}, changed` }),
          async (output) => ({ ...output, raw: `${output.raw} twice` }),
        ],
      },
    });
    expect((await crew.kickoff({ inputs: { n: 1 } })).raw).toBe("heard 20, changed twice");
  });

  it("may replace the object, which is then read by the schema if it fits", async () => {
    const { agent } = scriptedAgent(() => '{"n":"1"}');
    const task = taskFor(agent, { output: z.object({ n: z.coerce.number() }) });
    const withObject = (object: JsonObject) =>
      new Crew({ tasks: [task], afterKickoff: [(output) => ({ ...output, object })] }).kickoff();
    expect((await withObject({ n: "7" })).object).toEqual({ n: 7 });
    expect((await withObject({ other: true })).object).toEqual({ other: true });
  });

  it("J2: pass on the recorded values, in the first run as in a replay", async () => {
    const seen: unknown[] = [];
    const later = (output: CrewOutput): CrewOutput => (seen.push(output.object), output);
    await soloCrew(echo().agent, {
      crew: { afterKickoff: [(output) => ({ ...output, object: new Date(0) }), later] },
    }).kickoff();
    expect(seen).toEqual(["1970-01-01T00:00:00.000Z"]);
  });

  it.each<[string, Partial<CrewOptions>, string]>([
    [
      "inputs outside JSON",
      { beforeKickoff: [() => ({ when: new Date(0) }) as never] },
      "inputs.when must be a text, number",
    ],
    [
      "no inputs",
      { beforeKickoff: [() => undefined as never] },
      "inputs must be an object of names and values, got undefined",
    ],
    [
      "no output",
      { afterKickoff: [() => undefined as never] },
      "an afterKickoff callback must return the crew's output",
    ],
  ])("fail the run with the reason when they return %s", async (_, crew, message) => {
    const { error } = await runCrewToFailure(soloCrew(echo().agent, { crew }), { a: 1 });
    expect(error.message).toContain(message);
  });
});

describe("an output with a zod schema", () => {
  const day = new Task({
    name: "day",
    description: "When?",
    expectedOutput: "A day",
    agent: scriptedAgent(() => '{"day":"2026-03-01"}').agent,
    output: z.object({ day: z.iso.date().transform((text) => new Date(text)) }),
  });

  it("has the value of the schema's own parser", async () => {
    const seen: unknown[] = [];
    const { object, tasks } = await new Crew({
      tasks: [day],
      taskCallback: (output) => seen.push(output.object),
    }).kickoff();
    expect(object?.day.getUTCFullYear()).toBe(2026);
    expect(tasks[0]?.object).toEqual({ day: new Date("2026-03-01") });
    expect(seen).toEqual([{ day: new Date("2026-03-01") }]);
  });

  it("has it also in a crew inside a run, and in a replay", async () => {
    const seen: unknown[] = [];
    const inner = new Crew({ name: "inner", tasks: [day] });
    const both = plain("both", async ({ wait }) => {
      seen.push((await inner.kickoff()).object?.day);
      await wait("person", { kind: "human" });
      return "ok";
    });
    const run = startCrew(
      soloCrew(scriptedAgent([calling("both"), "done"], { tools: [both] }).agent),
    );
    await run.settle();
    await run.handle.resume({ feedback: "x" });
    await run.output();
    expect(seen).toEqual([new Date("2026-03-01"), new Date("2026-03-01")]);
  });
});

describe("kickoff", () => {
  it("of a crew with a waiting tool rejects, and names start() and resume()", async () => {
    const { agent } = scriptedAgent([calling("ask"), "never"], { tools: [ask] });
    await expect(soloCrew(agent).kickoff()).rejects.toMatchObject({
      code: "conflict",
      message:
        "the run waits for an answer to task:work/turn:1/tool:ask#0/person, which kickoff() cannot answer: use start() and resume() of its handle",
    });
  });

  it("rejects with the run's error", async () => {
    const { agent } = scriptedAgent([]);
    await expect(soloCrew(agent).kickoff()).rejects.toMatchObject({ code: "model_rejected" });
  });

  it("of one crew twice at once: the runs share no state", async () => {
    const limited = tool({
      name: "once",
      description: "Once.",
      input: z.object({}),
      maxUsageCount: 1,
      run: () => "ran",
    });
    const { agent } = scriptedAgent(
      ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? `${messages[1]?.content.split("\n")[0]} ${messages.at(-1)?.content}`
          : calling("once"),
      { tools: [limited] },
    );
    const crew = soloCrew(agent, { description: "{n}", crew: { maxRpm: 2, cache: true } });
    const outputs = await Promise.all([1, 2, 3].map((n) => crew.kickoff({ inputs: { n } })));
    expect(outputs.map(({ raw }) => raw)).toEqual(["1 ran", "2 ran", "3 ran"]);
    expect(outputs.map(({ usage }) => usage.requests)).toEqual([2, 2, 2]);
  });
});

/** A crew whose one tool is `run`; its agent calls it and then ends. */
const outer = (run: (context: ToolContext) => unknown) => {
  const { agent, model } = scriptedAgent([calling("work"), "done"], {
    role: "Boss",
    tools: [plain("work", run)],
  });
  return { crew: soloCrew(agent, { crew: { name: "outer" } }), model };
};

describe("kickoff inside a run", () => {
  it("DC10: joins it: one journal under crew:<name>, one tree of events", async () => {
    const inner = scriptedAgent(["inner result"]);
    const crew = soloCrew(inner.agent, { crew: { name: "helpers" } });
    const { crew: boss, model } = outer(async () => (await crew.kickoff()).raw);
    const { kept, handle } = await runCrewToEnd(boss);
    expect(lastTold(model, 1)).toBe("inner result");
    expect(inner.model.calls[0]?.idempotencyKey).toBe(
      "run-1:task:work/turn:1/tool:work#0/crew:helpers/task:work/turn:1/llm",
    );
    const [, started] = kept("crew_kickoff_started");
    expect(started).toMatchObject({
      crewName: "helpers",
      path: "task:work/turn:1/tool:work#0/crew:helpers",
      parentId: kept("tool_usage_started")[0]?.id,
    });
    expect(kept("run_started")).toHaveLength(1);
    expect((await handle.status()).usage.requests).toBe(3);
  });

  it("DC10: numbers repeated kickoffs, the same in every replay", async () => {
    const inner = echo();
    const crew = soloCrew(inner.agent, { description: "{n}", crew: { name: "helpers" } });
    const { crew: boss, model } = outer(async ({ wait }) => {
      const one = await crew.kickoff({ inputs: { n: 1 } });
      await wait("person", { kind: "human" });
      const two = await crew.kickoff({ inputs: { n: 2 } });
      return `${one.raw}, ${two.raw}`;
    });
    const run = startCrew(boss);
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(lastTold(model, 1)).toBe("heard 1, heard 2");
    expect(run.kept("crew_kickoff_started").map(({ path }) => path.split("/").at(-1))).toEqual([
      "",
      "crew:helpers",
      "crew:helpers~2",
    ]);
    expect(inner.model.calls).toHaveLength(2);
  });

  it("waits with it: a person answers the inner crew's tool through the outer run", async () => {
    const inner = scriptedAgent([calling("ask"), "asked"], { tools: [ask] });
    const crew = soloCrew(inner.agent, { crew: { name: "helpers" } });
    const { crew: boss, model } = outer(async () => (await crew.kickoff()).raw);
    const run = startCrew(boss);
    expect((await run.settle()).waits).toMatchObject([
      { key: "task:work/turn:1/tool:work#0/crew:helpers/task:work/turn:1/tool:ask#0/person" },
    ]);
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(lastTold(model, 1)).toBe("asked");
    expect(inner.model.calls).toHaveLength(2);
  });

  it("fails the tool, not the run, when the inner crew fails", async () => {
    const inner = scriptedAgent([]);
    const { crew: boss, model } = outer(async () => (await soloCrew(inner.agent).kickoff()).raw);
    const { result } = await runCrewToEnd(boss);
    expect(result.raw).toBe("done");
    expect(lastTold(model, 1)).toContain("work failed: the script has 0 replies");
  });

  it("several at once have keys of their own", async () => {
    const inner = echo();
    const crews = ["a", "b"].map((name) =>
      soloCrew(inner.agent, { description: name, crew: { name } }),
    );
    const { crew: boss, model } = outer(async () =>
      (await Promise.all(crews.map((crew) => crew.kickoff()))).map(({ raw }) => raw).join(),
    );
    await runCrewToEnd(boss);
    expect(lastTold(model, 1)).toBe("heard a,heard b");
  });

  it("a crew in a crew in a crew is one run", async () => {
    const inner = soloCrew(scriptedAgent([calling("ask"), "asked"], { tools: [ask] }).agent, {
      crew: { name: "inner" },
    });
    const kick = plain("kick", async () => (await inner.kickoff()).raw);
    const middle = soloCrew(scriptedAgent([calling("kick"), "kicked"], { tools: [kick] }).agent, {
      crew: { name: "middle" },
    });
    const { crew: boss } = outer(async () => (await middle.kickoff()).raw);
    const run = startCrew(boss);
    expect((await run.settle()).waits[0]?.key).toContain(
      "crew:middle/task:work/turn:1/tool:kick#0/crew:inner/",
    );
    await run.handle.resume({ feedback: "go" });
    expect((await run.output()).raw).toBe("done");
    expect(run.kept("crew_kickoff_completed")).toHaveLength(3);
  });

  it.each(["beforeKickoff", "afterKickoff", "taskCallback", "stepCallback"] as const)(
    "in %s belongs to that callback's step, and is not repeated",
    async (place) => {
      const inner = echo();
      const crew = soloCrew(inner.agent, { description: "inner", crew: { name: "helpers" } });
      let kickoffs = 0;
      const kick = async <T>(value: T): Promise<T> => (kickoffs++, await crew.kickoff(), value);
      const callback: Partial<CrewOptions> =
        place === "beforeKickoff"
          ? { beforeKickoff: [kick<JsonObject>] }
          : place === "afterKickoff"
            ? { afterKickoff: [kick<CrewOutput>] }
            : { [place]: kick };
      const first = taskFor(echo().agent, { name: "first" });
      const second = taskFor(scriptedAgent([calling("ask"), "done"], { tools: [ask] }).agent, {
        name: "second",
      });
      const run = startCrew(new Crew({ tasks: [first, second], ...callback }));
      await run.settle();
      await run.handle.resume({ feedback: "go" });
      expect((await run.output()).raw).toBe("done");
      expect(inner.model.calls).toHaveLength(kickoffs);
      expect(kickoffs).toBe(
        { beforeKickoff: 1, afterKickoff: 1, taskCallback: 2, stepCallback: 3 }[place],
      );
    },
  );

  it("by a retried tool finds the result of the first attempt", async () => {
    const inner = echo();
    const crew = soloCrew(inner.agent, { description: "inner", crew: { name: "helpers" } });
    const flaky = tool({
      name: "work",
      description: "Works at the second attempt.",
      input: z.object({}),
      retry: { maxAttempts: 2, initialDelayMs: 1000, maxDelayMs: 1000, maxRetryAfterMs: 0 },
      run: async (_, { attempt }) => {
        const { raw } = await crew.kickoff();
        if (attempt === 1) throw new EngineError("tool_failed", "busy", { retryable: true });
        return raw;
      },
    });
    const { agent, model } = scriptedAgent([calling("work"), "done"], { tools: [flaky] });
    await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe("heard inner");
    expect(inner.model.calls).toHaveLength(1);
  });

  it("by a model belongs to that model's call", async () => {
    const inner = echo();
    const crew = soloCrew(inner.agent, { description: "inner", crew: { name: "helpers" } });
    const { agent, model } = scriptedAgent(
      async ({ messages }) =>
        messages.length > 2 ? "done" : (await crew.kickoff(), calling("ask")),
      { tools: [ask] },
    );
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect([model.calls.length, inner.model.calls.length]).toEqual([2, 1]);
    expect(inner.model.calls[0]?.idempotencyKey).toBe(
      "run-1:task:work/turn:1/llm/crew:helpers/task:work/turn:1/llm",
    );
  });

  it("in a tool's own step belongs to that step", async () => {
    const inner = echo();
    const crew = soloCrew(inner.agent, { description: "inner", crew: { name: "helpers" } });
    const { crew: boss, model } = outer(async ({ step, wait }) => {
      const raw = await step("helped", async () => (await crew.kickoff()).raw);
      await wait("person", { kind: "human" });
      return raw;
    });
    const run = startCrew(boss);
    await run.settle();
    await run.handle.resume({ feedback: "go" });
    await run.output();
    expect(lastTold(model, 1)).toBe("heard inner");
    expect(inner.model.calls[0]?.idempotencyKey).toContain("tool:work#0/helped/crew:helpers/");
  });
});

describe("the tasks of a run", () => {
  it("are shown with their current status, also when the run was cancelled in their midst", async () => {
    const asker = scriptedAgent([calling("ask"), "Done."], { tools: [ask] }).agent;
    const tasks = ["first", "second", "third"].map((name) =>
      taskFor(name === "second" ? asker : echo().agent, { name }),
    );
    const { handle, settle } = startCrew(new Crew({ tasks }));
    const states = async () => (await handle.status()).tasks?.map(({ status }) => status);
    await settle();
    expect(await states()).toEqual(["completed", "running", "pending"]);
    await handle.cancel();
    expect(await states()).toEqual(["completed", "cancelled", "pending"]);
  });
});
