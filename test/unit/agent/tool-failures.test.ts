import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import type { TaskOutput } from "../../../src/crew/tasks/task-output.ts";
import {
  isToolFailure,
  toolFailure,
  type ToolFailurePolicy,
} from "../../../src/tools/tool-failure.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { ToolOptions } from "../../../src/tools/tool-options.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  taskFor,
} from "../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../support/cut-off.ts";

type Options = Partial<ToolOptions<z.ZodObject>>;

const failing = (options: Options = {}) =>
  tool({
    name: "Pay out",
    description: "Pays.",
    input: z.object({ amount: z.number().optional() }),
    run: () =>
      toolFailure({ message: "no money", code: "E7", retryable: false, details: { left: 0 } }),
    ...options,
  });

const throwing = (options: Options = {}) =>
  failing({
    run: () => {
      throw new Error("down");
    },
    ...options,
  });

const FAILURE = {
  message: "no money",
  reason: "tool_reported",
  code: "E7",
  retryable: false,
  details: { left: 0 },
};

type Result = { readonly toolFailures?: TaskOutput["toolFailures"] };

describe("toolFailure()", () => {
  it("is a frozen value with defaults, known again without being guessed", () => {
    const failure = toolFailure({ message: "no" });
    expect(failure).toEqual({
      message: "no",
      reason: "tool_reported",
      retryable: false,
      details: {},
    });
    expect(Object.isFrozen(failure)).toBe(true);
    expect(isToolFailure(failure)).toBe(true);
    expect(isToolFailure({ ...failure })).toBe(false);
    expect(isToolFailure("Error: no")).toBe(false);
  });
});

describe("a tool with a reported failure", () => {
  it("TF2: the model receives message and code; task and crew list it; events report it", async () => {
    const { agent, model } = scriptedAgent([calling("pay_out", { amount: 1 }), "done"], {
      tools: [failing()],
    });
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(lastTold(model, 1)).toBe("no money (E7)");
    const record = {
      toolName: "pay_out",
      failure: FAILURE,
      toolArgs: { amount: 1 },
      agentRole: "Researcher",
      taskName: "work",
    };
    expect((result as Result).toolFailures).toEqual([record]);
    expect((result.tasks[0] as Result).toolFailures).toEqual([record]);
    expect(kept("tool_failure_detected")).toMatchObject([
      { ...record, policy: "warn", reason: "tool_reported", message: "no money" },
    ]);
    expect(kept("tool_usage_finished")).toMatchObject([
      { output: "no money (E7)", failure: FAILURE },
    ]);
    expect(kept("tool_usage_error")).toEqual([]);
  });

  it("kickoff() returns the failures, and no field without failures", async () => {
    const { agent } = scriptedAgent([calling("pay_out"), "done"], { tools: [failing()] });
    expect((await soloCrew(agent).kickoff()).toolFailures).toMatchObject([{ toolName: "pay_out" }]);
    const clean = await soloCrew(scriptedAgent(["done"]).agent).kickoff();
    expect(clean).not.toHaveProperty("toolFailures");
    expect(clean.tasks[0]).not.toHaveProperty("toolFailures");
  });

  it("TF1: is never the answer of the task", async () => {
    const { agent } = scriptedAgent([calling("pay_out"), "the answer"], {
      tools: [failing({ resultAsAnswer: true })],
    });
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("the answer");
  });

  it("TC4: is not stored in the cache, and neither is an empty result", async () => {
    let runs = 0;
    const results = [toolFailure({ message: "no" }), undefined, null, "yes"];
    const flaky = failing({ run: () => results[runs++] });
    const calls = Array.from({ length: 6 }, () => calling("pay_out"));
    const { agent, model } = scriptedAgent([...calls, "done"], { tools: [flaky] });
    await runCrewToEnd(soloCrew(agent, { crew: { cache: true } }));
    expect(runs).toBe(4);
    expect([1, 2, 3, 4, 5, 6].map((call) => lastTold(model, call))).toEqual([
      "no",
      "",
      "null",
      "yes",
      "yes",
      "yes",
    ]);
  });

  it("is retried before the model receives it, if it is retryable and the tool has a retry policy", async () => {
    let runs = 0;
    const retry = { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 0 };
    const run = () => (runs++, toolFailure({ message: "busy", retryable: true }));
    const { agent, model } = scriptedAgent([calling("pay_out"), "done"], {
      tools: [failing({ run, retry })],
    });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(runs).toBe(2);
    expect(lastTold(model, 1)).toBe("busy");
    expect((result as Result).toolFailures).toMatchObject([
      { failure: { reason: "tool_reported", retryable: true } },
    ]);
  });
});

describe("reasons", () => {
  it.each([
    ["exception", [throwing()], calling("pay_out")],
    [
      "mcp_error",
      [failing({ run: () => toolFailure({ message: "x", reason: "mcp_error" }) })],
      calling("pay_out"),
    ],
    ["unknown_tool", [failing()], calling("nothing")],
    ["invalid_input", [failing()], calling("pay_out", "no json")],
    ["invalid_input", [failing()], calling("pay_out", { amount: "many" })],
  ])("TA1: %s", async (reason, tools, call) => {
    const { agent } = scriptedAgent([call, "done"], { tools });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect((result as Result).toolFailures).toMatchObject([{ failure: { reason } }]);
  });

  it("AW2: usage_limit", async () => {
    const limited = failing({ run: () => "ok", maxUsageCount: 1 });
    const { agent } = scriptedAgent([calling("pay_out"), calling("pay_out"), "done"], {
      tools: [limited],
    });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect((result as Result).toolFailures).toMatchObject([{ failure: { reason: "usage_limit" } }]);
  });

  it("unknown_tool has the name as its code", async () => {
    const { agent } = scriptedAgent([calling("nothing"), "done"], { tools: [failing()] });
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect((result as Result).toolFailures).toMatchObject([
      { toolName: "nothing", failure: { code: "nothing" } },
    ]);
  });
});

describe("policies", () => {
  it("TF2: raise ends the task at once, and the agent does not start again", async () => {
    const { agent, model } = scriptedAgent([calling("pay_out"), "never"], {
      tools: [failing({ toolFailurePolicy: "raise" })],
      maxRetryLimit: 2,
    });
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "tool_failure_raised", retryable: false });
    expect(error.message).toContain("pay_out failed (tool_reported)");
    expect(model.calls).toHaveLength(1);
    expect(kept("agent_execution_error")).toHaveLength(1);
    expect(kept("tool_failure_detected")).toMatchObject([{ policy: "raise" }]);
  });

  it("TF2: raise applies to calls of unknown tools, too", async () => {
    const { agent } = scriptedAgent([calling("nothing"), "never"], {
      tools: [failing()],
      toolFailurePolicy: "raise",
    });
    expect((await runCrewToFailure(soloCrew(agent))).error.code).toBe("tool_failure_raised");
  });

  it("TF2: ignore records and flags no failure; the model still receives it", async () => {
    const { agent, model } = scriptedAgent([calling("pay_out"), "done"], {
      tools: [failing({ toolFailurePolicy: "ignore" })],
    });
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result).not.toHaveProperty("toolFailures");
    expect(kept("tool_failure_detected")).toEqual([]);
    expect(kept("tool_usage_finished")[0]).not.toHaveProperty("failure");
    expect(lastTold(model, 1)).toBe("no money (E7)");
  });

  it.each<[string, Array<ToolFailurePolicy | undefined>, ToolFailurePolicy]>([
    ["the tool's", ["ignore", "raise", "raise", "raise"], "ignore"],
    ["the task's", [undefined, "ignore", "raise", "raise"], "ignore"],
    ["the agent's", [undefined, undefined, "raise", "ignore"], "raise"],
    ["the crew's", [undefined, undefined, undefined, "raise"], "raise"],
    ["warn", [undefined, undefined, undefined, undefined], "warn"],
  ])("the nearest counts: %s", async (_, [ofTool, ofTask, ofAgent, ofCrew], expected) => {
    const withPolicy = (policy: ToolFailurePolicy | undefined) =>
      policy === undefined ? {} : { toolFailurePolicy: policy };
    const { agent } = scriptedAgent([calling("pay_out"), "done"], {
      tools: [failing(withPolicy(ofTool))],
      ...withPolicy(ofAgent),
    });
    const crew = new Crew({ ...withPolicy(ofCrew), tasks: [taskFor(agent, withPolicy(ofTask))] });
    const outcome = await crew.kickoff().then(
      (output) => (output.toolFailures === undefined ? "ignore" : "warn"),
      () => "raise",
    );
    expect(outcome).toBe(expected);
  });

  it.each<[string, (wrong: ToolFailurePolicy) => unknown]>([
    ["a tool", (toolFailurePolicy) => failing({ toolFailurePolicy })],
    [
      "an agent",
      (toolFailurePolicy) => new Agent({ role: "R", goal: "g", backstory: "b", toolFailurePolicy }),
    ],
    [
      "a task",
      (toolFailurePolicy) => new Task({ description: "d", expectedOutput: "e", toolFailurePolicy }),
    ],
    [
      "a crew",
      (toolFailurePolicy) =>
        new Crew({ toolFailurePolicy, tasks: [taskFor(scriptedAgent([]).agent)] }),
    ],
  ])("an unknown policy is refused when %s is made", (_, make) => {
    expect(() => make("explode" as ToolFailurePolicy)).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining('"ignore", "warn" or "raise", got "explode"'),
      }),
    );
  });
});

it("an agent lists the failures before and after its retry", async () => {
  const again = { error: new EngineError("agent_failed", "broken") };
  const { agent } = scriptedAgent([calling("pay_out"), again, calling("pay_out"), "done"], {
    tools: [failing()],
    maxRetryLimit: 1,
  });
  const { result } = await runCrewToEnd(soloCrew(agent));
  expect((result as Result).toolFailures).toHaveLength(2);
});

it("each failed call is listed, also an equal one", async () => {
  const { agent } = scriptedAgent([calling("pay_out"), calling("pay_out"), "done"], {
    tools: [failing()],
  });
  const { result } = await runCrewToEnd(soloCrew(agent));
  expect(result.tasks[0]).toMatchObject({ toolsErrors: 2 });
  expect((result as Result).toolFailures).toHaveLength(2);
});

it("failures before a guardrail's refusal stay on the list", async () => {
  const { agent } = scriptedAgent([calling("pay_out"), "one", calling("pay_out"), "two"], {
    tools: [failing()],
  });
  const guardrail = ({ raw }: { raw: string }) => [raw === "two", "again"] as const;
  const { result } = await runCrewToEnd(soloCrew(agent, { guardrail }));
  expect((result as Result).toolFailures).toHaveLength(2);
});

it("J2: failures come out the same after the host died at any stored step", async () => {
  const { whole, cut } = await cutAfterEveryResult(() => {
    const calls: string[] = [];
    const noted = failing({ run: () => (calls.push("paid"), toolFailure({ message: "no" })) });
    const script = [calling("pay_out"), calling("nothing"), calling("pay_out", "bad"), "done"];
    const { agent } = scriptedAgent(script, { tools: [noted] });
    return { program: soloCrew(agent).program(), calls };
  });
  expect(whole.calls).toEqual(["paid"]);
  expect((whole.run.output as unknown as Result).toolFailures).toHaveLength(3);
  for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
});
