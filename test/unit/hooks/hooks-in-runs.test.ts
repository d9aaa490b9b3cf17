import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Agent } from "../../../src/agent/description/agent.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { HookAborted, on, type Hook, type HookPoint } from "../../../src/hooks/hook.ts";
import { withHooks } from "../../../src/hooks/scoped-hooks.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { tool } from "../../../src/tools/tool.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
  taskFor,
  toldTo,
} from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";
import { RunWorld } from "../../support/run-world.ts";

const ALL: readonly HookPoint[] = [
  "execution_start",
  "input",
  "pre_step",
  "pre_model_call",
  "post_model_call",
  "pre_tool_call",
  "post_tool_call",
  "post_step",
  "output",
  "execution_end",
];

const echo = tool({
  name: "Echo it",
  description: "Echoes.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => `echo ${text}`,
});

/** A hook at every point that notes its call. */
function noting(calls: string[], name = ""): Hook[] {
  return ALL.map((point) => on(point, () => void calls.push(`${name}${point}`)));
}

function echoing(hooks: readonly Hook[] = []): ReturnType<typeof scriptedAgent> {
  return scriptedAgent([calling("echo_it", { text: "a" }), "done"], { tools: [echo], hooks });
}

function crewWith(agent: Agent, hooks: readonly Hook[]): Crew {
  return soloCrew(agent, { crew: { hooks } });
}

/** Where the errors of runs say that they failed. */
const PLACE = 'task "work" (agent "Researcher")';

describe("the ten points", () => {
  it("are passed in the order of the run", async () => {
    const calls: string[] = [];
    await runCrewToEnd(crewWith(echoing().agent, noting(calls)));
    expect(calls).toEqual([
      "execution_start",
      "input",
      "pre_step",
      "pre_model_call",
      "pre_tool_call",
      "post_tool_call",
      "pre_model_call",
      "post_model_call",
      "post_step",
      "output",
      "execution_end",
    ]);
  });

  it("HK3: the app's hooks come first, then the crew's, the agent's, and the scope's", async () => {
    const calls: string[] = [];
    const { agent } = scriptedAgent(["done"], {
      hooks: [on("pre_model_call", () => void calls.push("agent"))],
    });
    const crew = crewWith(agent, [on("pre_model_call", () => void calls.push("crew"))]);
    const app = [on("pre_model_call", () => void calls.push("app"))];
    const handle = withHooks([on("pre_model_call", () => void calls.push("scope"))], () =>
      crew.start({ services: { hooks: { app } } }),
    );
    await handle.output();
    expect(calls).toEqual(["app", "crew", "agent", "scope"]);
  });

  it("withHooks: applies to runs started inside, also when they continue outside, and to no others", async () => {
    const calls: string[] = [];
    const ask = tool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      run: (_, { wait }) => wait("person", { kind: "human" }),
    });
    const crew = (): Crew =>
      soloCrew(scriptedAgent([calling("ask"), "done"], { tools: [ask] }).agent);
    const clock = new SimulatedClock();
    const inside = withHooks([on("pre_model_call", () => void calls.push("in"))], () =>
      withHooks([on("pre_model_call", () => void calls.push("in both"))], () =>
        crew().start({ clock }),
      ),
    );
    await clock.settle();
    expect((await inside.status()).status).toBe("waiting");
    await inside.resume({ approve: true });
    await clock.settle();
    expect((await inside.status()).status).toBe("completed");
    expect(calls).toEqual(["in", "in both", "in", "in both"]);
    await soloCrew(scriptedAgent(["x"]).agent).kickoff();
    expect(calls).toHaveLength(4);
  });

  it("withHooks: applies once to a crew that joins the run", async () => {
    const calls: string[] = [];
    const hook = on("pre_model_call", ({ crewName }) => void calls.push(String(crewName)));
    const inner = new Crew({ name: "inner", tasks: [taskFor(scriptedAgent(["inside"]).agent)] });
    const delegate = tool({
      name: "delegate",
      description: "Delegates.",
      input: z.object({}),
      run: async () => (await withHooks([hook], () => inner.kickoff())).raw,
    });
    const { agent } = scriptedAgent([calling("delegate"), "done"], { tools: [delegate] });
    await runCrewToEnd(soloCrew(agent));
    expect(calls).toEqual(["inner"]);
    const again = scriptedAgent([calling("delegate"), "done"], { tools: [delegate] }).agent;
    await withHooks([hook], () => soloCrew(again).kickoff());
    expect(calls.slice(1)).toEqual(["solo", "inner", "solo"]);
  });

  it("withHooks: a crew that joins the run ignores a misconfigured file store it does not use", async () => {
    const { agent } = scriptedAgent(["inside"]);
    const world = new RunWorld(
      async () =>
        (await withHooks([on("output", () => null)], () => soloCrew(agent).kickoff())).raw,
      {
        models: modelCatalog({ variables: {} }),
        services: {
          get files(): never {
            throw new Error("set wrong");
          },
        },
      },
    );
    expect(await world.begin()).toMatchObject({ status: "completed", output: "inside" });
    expect(world.eventTypes()).toContain("hook_dispatched");
  });

  it("filters by the role of the agent, as written or filled in, and by the tool in any spelling", async () => {
    const calls: string[] = [];
    const note = (name: string) => (): void => void calls.push(name);
    const hooks = [
      on("pre_model_call", note("written"), { agents: ["Expert of {topic}"] }),
      on("pre_model_call", note("filled"), { agents: ["Expert of tea"] }),
      on("pre_model_call", note("other"), { agents: ["Expert of coffee"] }),
      on("pre_tool_call", note("tool"), { tools: ["EchoIt"] }),
      on("pre_tool_call", note("other tool"), { tools: ["echo"] }),
      on("pre_step", note("step"), { agents: ["nobody"] }),
    ];
    const { agent } = scriptedAgent([calling("echo_it", { text: "a" }), "done"], {
      tools: [echo],
      role: "Expert of {topic}",
      hooks,
    });
    const { kept } = await runCrewToEnd(soloCrew(agent), { topic: "tea" });
    expect(calls).toEqual(["written", "filled", "tool", "written", "filled"]);
    expect(kept("hook_dispatched")).toMatchObject([2, 1, 2].map((hookCount) => ({ hookCount })));
  });

  it("HK2: adds no step and no event without an applicable hook", async () => {
    const idle = on("pre_tool_call", () => false, { tools: ["other"] });
    const run = await runCrewToEnd(crewWith(echoing().agent, [idle]));
    expect(run.kept("hook_dispatched")).toEqual([]);
    const bare = await runCrewToEnd(soloCrew(echoing().agent));
    expect(run.kept().map(({ id }) => id)).toEqual(bare.kept().map(({ id }) => id));
  });
});

describe("payload changes", () => {
  it("inputs: in place before beforeKickoff, by a replacement after it", async () => {
    const seen: unknown[] = [];
    const { agent, model } = scriptedAgent(["done"]);
    const crew = soloCrew(agent, {
      description: "About {topic}, {more}",
      crew: {
        beforeKickoff: [(inputs) => (seen.push(inputs), { ...inputs, more: "before" })],
        hooks: [
          on("execution_start", ({ inputs, payload }) => {
            payload["topic"] = "start";
            seen.push(inputs["topic"]);
          }),
          on("input", ({ payload }) => ({
            ...payload,
            topic: `${JSON.stringify(payload["topic"])} input`,
          })),
        ],
      },
    });
    const { kept } = await runCrewToEnd(crew, { topic: "given" });
    expect(seen).toEqual(["start", { topic: "start" }]);
    expect(lastTold(model, 0)).toContain('About "start" input, before');
    expect(kept("crew_kickoff_started")[0]).toMatchObject({
      inputs: { topic: '"start" input', more: "before" },
    });
  });

  it("the context and the output of a task, the output of the crew", async () => {
    const ended: unknown[] = [];
    const { agent, model } = scriptedAgent(["done"]);
    const crew = crewWith(agent, [
      on("pre_step", ({ payload, stepName, kind }) =>
        kind === "task" ? `${payload}${kind} ${stepName}` : undefined,
      ),
      on("post_step", ({ kind, payload }) =>
        kind === "task" ? { ...payload, raw: `${payload.raw}, checked` } : undefined,
      ),
      on("output", ({ output }) => void (output.raw += ", out")),
      on("execution_end", ({ payload, status }) => {
        ended.push([payload?.raw, status]);
        return payload === null ? null : { ...payload, raw: `${payload.raw}, end` };
      }),
    ]);
    const { result } = await runCrewToEnd(crew);
    expect(lastTold(model, 0)).toContain("task work");
    expect(result.tasks[0]?.raw).toBe("done, checked");
    expect(result.raw).toBe("done, checked, out, end");
    expect(ended).toEqual([["done, checked, out", "completed"]]);
  });

  it("MH1: messages: for this call only; the conversation stays as it was", async () => {
    const { agent, model } = echoing();
    let first = true;
    const crew = crewWith(agent, [
      on("pre_model_call", ({ messages }) => {
        if (first) messages.push({ role: "user", content: "Psst" });
        first = false;
      }),
    ]);
    await runCrewToEnd(crew);
    expect(lastTold(model, 0)).toBe("Psst");
    expect(toldTo(model, 1).map(({ content }) => content)).not.toContain("Psst");
  });

  it("a model's answer, but not a list of tool calls", async () => {
    const { agent } = echoing([on("post_model_call", ({ response }) => response.toUpperCase())]);
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("DONE");
    expect(kept("hook_dispatched")).toHaveLength(1);
    expect(kept("llm_call_completed").at(-1)).toMatchObject({ response: "done" });
  });

  it("MH2: an answer in JSON only as far as it still fits its schema", async () => {
    const answers = ['{"n":2}', '{"n":"two"}'];
    for (const changed of answers) {
      const { agent } = scriptedAgent(['{"n":1}'], {
        hooks: [on("post_model_call", () => changed)],
      });
      const { result, kept } = await runCrewToEnd(
        soloCrew(agent, { output: z.object({ n: z.number() }) }),
      );
      expect(result.object).toEqual({ n: changed === answers[0] ? 2 : 1 });
      expect(kept("hook_dispatched")[0]).toMatchObject({
        outcome: changed === answers[0] ? "modified" : "proceeded",
      });
    }
  });

  it("a tool's arguments and its result", async () => {
    const { agent, model } = echoing([
      on("pre_tool_call", ({ toolInput }) => void (toolInput["text"] = "b")),
      on("post_tool_call", ({ toolResult, toolInput, toolName, outcome, rawToolResult }) =>
        [
          toolName,
          JSON.stringify(toolInput),
          outcome,
          toolResult,
          JSON.stringify(rawToolResult),
        ].join(" | "),
      ),
    ]);
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe('echo_it | {"text":"b"} | result | echo b | "echo b"');
    expect(kept("tool_usage_finished")[0]).toMatchObject({ toolArgs: { text: "b" } });
  });

  it("HK4, HK5: an invalid change is undone, and so is a failing hook's; the other hooks continue", async () => {
    const { agent, model } = scriptedAgent(["done"]);
    const crew = crewWith(agent, [
      on(
        "pre_model_call",
        (context) => void ((context as { messages: unknown }).messages = "none"),
      ),
      on("pre_model_call", ({ messages }) => {
        messages.length = 0;
        throw new Error("broken hook");
      }),
      on("pre_model_call", ({ messages }) => void messages.push({ role: "user", content: "last" })),
    ]);
    const { kept } = await runCrewToEnd(crew);
    expect(toldTo(model, 0)).toHaveLength(3);
    expect(lastTold(model, 0)).toBe("last");
    expect(kept("hook_dispatched")[0]).toMatchObject({
      point: "pre_model_call",
      outcome: "modified",
      hookCount: 3,
      errors: ["a hook's change of messages is invalid and was undone", "broken hook"],
    });
  });
});

describe("aborts", () => {
  it("a model call: it fails, no model is called, and the agent does not start again", async () => {
    const { agent, model } = scriptedAgent(["done"], {
      hooks: [on("pre_model_call", () => false)],
    });
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "hook_aborted", message: `${PLACE}: a hook refused` });
    expect(model.calls).toHaveLength(0);
    expect(kept("agent_execution_error")).toHaveLength(1);
    expect(kept("hook_dispatched")[0]).toMatchObject({
      outcome: "aborted",
      abortReason: "a hook refused",
    });
  });

  it("a tool: it is not run, the model receives the reason, and the hooks after it still run", async () => {
    const outcomes: string[] = [];
    const { agent, model } = echoing([
      on("pre_tool_call", () => false),
      on(
        "post_tool_call",
        ({ outcome, toolResult }) => void outcomes.push(`${outcome}: ${toolResult}`),
      ),
    ]);
    const { kept, result } = await runCrewToEnd(soloCrew(agent));
    expect(kept("tool_usage_started")).toEqual([]);
    expect(outcomes).toEqual(["blocked: echo_it was not run: it was blocked. a hook refused"]);
    expect(lastTold(model, 1)).toContain("echo_it was not run");
    expect(result.raw).toBe("done");
  });

  it("PR1: reports a blocked tool in the crew's words", async () => {
    const { agent, model } = echoing([on("pre_tool_call", () => false)]);
    const prompts = { errors: { toolBlocked: "<<{tool}: {reason}>>" } };
    await runCrewToEnd(soloCrew(agent, { crew: { prompts } }));
    expect(lastTold(model, 1)).toBe("<<echo_it: a hook refused>>");
  });

  it("a tool by HookAborted, with its reason; the hooks behind it are not asked", async () => {
    let asked = 0;
    const { agent, model } = echoing([
      on("pre_tool_call", () => {
        throw new HookAborted("not on Fridays", "calendar");
      }),
      on("pre_tool_call", () => void asked++),
    ]);
    const { kept } = await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toContain("not on Fridays");
    expect(asked).toBe(0);
    expect(kept("hook_dispatched")[0]).toMatchObject({
      abortReason: "not on Fridays",
      abortSource: "calendar",
    });
  });

  it.each<HookPoint>([
    "execution_start",
    "input",
    "output",
    "execution_end",
    "pre_step",
    "post_step",
  ])("EH1: the run at %s, which has one end all the same", async (point) => {
    const ends: string[] = [];
    const { agent } = scriptedAgent(["done"]);
    const stop = (): never => {
      throw new HookAborted("stop here");
    };
    const { error } = await runCrewToFailure(
      crewWith(agent, [
        on("execution_end", ({ status, error: why }) => void ends.push(`${status} ${why?.code}`)),
        on(point, stop),
      ]),
    );
    expect(error).toMatchObject({
      code: "hook_aborted",
      message: expect.stringMatching(/^(?:task "work" \(agent "Researcher"\): )?stop here$/),
    });
    expect(ends).toEqual([
      point === "execution_end" ? "completed undefined" : "failed hook_aborted",
    ]);
  });

  it("EH1: a failed execution has an end with the error; an abort there has no effect", async () => {
    const ends: unknown[] = [];
    const { agent } = scriptedAgent([{ error: new EngineError("model_rejected", "no") }]);
    const { error } = await runCrewToFailure(
      crewWith(agent, [
        on("execution_end", ({ status, payload, error: why }) => {
          ends.push([status, payload, why?.code]);
          throw new HookAborted("late");
        }),
      ]),
    );
    expect(ends).toEqual([["failed", null, error.code]]);
    expect(error.code).toBe("model_rejected");
  });
});

describe("durability", () => {
  it("HK1: a host that dies after any stored step changes no result and calls no hook again", async () => {
    const make = () => {
      const calls: string[] = [];
      const counted = tool({
        name: "echo_it",
        description: "Echoes.",
        input: z.object({ text: z.string() }),
        run: ({ text }) => (calls.push(`tool ${text}`), text),
      });
      const hooks = [
        ...noting(calls),
        on("pre_model_call", ({ messages }) => void messages.push({ role: "user", content: "x" })),
        on("pre_tool_call", ({ toolInput }) => void (toolInput["text"] = "changed")),
        on("post_step", ({ kind, payload }) =>
          kind === "task" ? { ...payload, raw: `${payload.raw}!` } : undefined,
        ),
      ];
      const script = [calling("echo_it", { text: "a" }), "done"];
      const { agent } = scriptedAgent(script, { tools: [counted] });
      return { program: crewWith(agent, hooks).program(), calls };
    };
    const { whole, cut } = await cutAfterEveryResult(make);
    expect(whole.run).toMatchObject({ status: "completed", output: { raw: "done!" } });
    expect(whole.calls).toContain("tool changed");
    expect(cut.length).toBeGreaterThan(12);
    for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
  });

  it("HK1: aborts are on record as well", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const hooks = [
        ...noting(calls),
        on("post_step", () => {
          throw new HookAborted("no", "judge");
        }),
      ];
      return { program: crewWith(scriptedAgent(["done"]).agent, hooks).program(), calls };
    });
    expect(whole.run).toMatchObject({
      status: "failed",
      error: { message: `${PLACE}: judge: no` },
    });
    expect(whole.calls.at(-1)).toBe("execution_end");
    for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
  });

  it("a hook may ask a person; it waits like any other, and its steps are done once", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const hooks = [
        on("pre_tool_call", async ({ toolName, requestHumanInput, step }) => {
          await step("look", async () => calls.push("looked"));
          const { approve } = await requestHumanInput(`May ${toolName} run?`);
          return approve === true;
        }),
      ];
      const { agent } = echoing(hooks);
      return { program: soloCrew(agent).program(), calls, answer: () => ({ approve: true }) };
    });
    expect(whole.run.status).toBe("completed");
    expect(whole.calls).toEqual(["looked"]);
    expect(whole.events.map(({ id }) => id)).toContain(
      "task:work/turn:1/hook:pre_tool_call:echo_it#0/human-input:wait_opened",
    );
    for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
  });

  it("reports each dispatch under the step's own path", async () => {
    const run = startCrew(crewWith(echoing().agent, noting([])));
    await run.output();
    expect(run.kept("hook_dispatched").slice(2, 5)).toMatchObject([
      { path: "task:work/hook:pre_step", point: "pre_step" },
      { path: "task:work/turn:1/hook:pre_model_call", point: "pre_model_call" },
      { path: "task:work/turn:1/hook:pre_tool_call:echo_it#0", outcome: "proceeded" },
    ]);
    expect(run.kept("hook_dispatched")[0]).toMatchObject({ durationMs: 0, hookCount: 1 });
  });
});
