import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import {
  afterLlmCall,
  afterToolCall,
  beforeLlmCall,
  beforeToolCall,
  HookAborted,
  on,
  type Hook,
} from "../../../src/hooks/hook.ts";
import { withHooks } from "../../../src/hooks/scoped-hooks.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";

describe("on()", () => {
  it("is a value: the point, the code, the filters", () => {
    const run = (): boolean => true;
    expect(on("pre_tool_call", run, { agents: ["A"], tools: ["Read file"] })).toEqual({
      point: "pre_tool_call",
      run,
      agents: ["A"],
      tools: ["Read file"],
    });
    expect(on("input", () => undefined)).not.toHaveProperty("agents");
  });

  it.each<[string, () => unknown, string]>([
    ["no such point", () => on("before" as "input", () => undefined), 'got "before"'],
    ["no function", () => on("input", 1 as never), "expected a function, got 1"],
    [
      "tools for a point without tools",
      () => on("pre_step", () => undefined, { tools: ["a"] }),
      "tools is a filter of",
    ],
    [
      "agents for a point without agents",
      () => on("output", () => undefined, { agents: ["a"] }),
      "agents is no filter of it",
    ],
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        message: expect.stringContaining(message),
      }),
    );
  });

  it("has a shorter name for each hook around models and tools", () => {
    const hooks = [
      beforeLlmCall(() => true),
      afterLlmCall(() => "x"),
      beforeToolCall(() => true),
      afterToolCall(() => "x", { tools: ["a"] }),
    ];
    expect(hooks.map(({ point }) => point)).toEqual([
      "pre_model_call",
      "post_model_call",
      "pre_tool_call",
      "post_tool_call",
    ]);
    expect(hooks[3]?.tools).toEqual(["a"]);
  });
});

describe("hooks of definitions", () => {
  const wrong = [{ point: "input" }] as unknown as readonly Hook[];

  it.each<[string, () => unknown]>([
    ["an agent", () => new Agent({ role: "R", goal: "g", backstory: "b", hooks: wrong })],
    ["a crew", () => new Crew({ hooks: wrong, tasks: [taskFor(scriptedAgent(["x"]).agent)] })],
    ["a scope", () => withHooks(wrong, () => undefined)],
  ])("of %s must be made with on()", (_, make) => {
    expect(make).toThrow(/hooks\[0\] must be made with on\(\)|withHooks: hooks\[0\]/);
  });
});

it("HookAborted names its reason and its origin", () => {
  expect(new HookAborted("too dear")).toMatchObject({ code: "hook_aborted", message: "too dear" });
  expect(new HookAborted("too dear", "budget")).toMatchObject({
    message: "budget: too dear",
    reason: "too dear",
    source: "budget",
    retryable: false,
  });
});
