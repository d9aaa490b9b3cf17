import { describe, expect, it } from "vitest";
import * as z from "zod";
import { cameFrom, endOfRun } from "../../../src/base/error-place.ts";
import { EngineError } from "../../../src/base/error.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { runCrewToFailure, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

const rejected = { error: new EngineError("model_rejected", "no such model") };

describe("EPL1: the place of an error", () => {
  it("comes before the message of a run's error, once, the outer place first", () => {
    const error = new EngineError("timeout", "late", { issues: [{ path: "/a", message: "b" }] });
    cameFrom('task "b" (agent "B")', "another run", error);
    cameFrom('task "a" (agent "A")', "run", error);
    cameFrom('task "a" (agent "A")', "run", error);
    cameFrom('method "m" of flow "f"', "run", error);
    expect(error.message).toBe("late");
    expect(endOfRun(error)).toEqual({
      code: "timeout",
      message: 'method "m" of flow "f": task "a" (agent "A"): late',
      retryable: false,
      issues: [{ path: "/a", message: "b" }],
    });
  });

  it("is left out when the message names it, and of errors about the whole run", () => {
    const named = new EngineError("user_code_failed", 'the callback of task "a" threw: no');
    expect(endOfRun(cameFrom('task "a" (agent "A")', "run", named)).message).toBe(named.message);
    const cancelled = new EngineError("run_cancelled", "cancelled");
    expect(endOfRun(cameFrom('task "a" (agent "A")', "run", cancelled)).message).toBe("cancelled");
    expect(endOfRun(cameFrom("anywhere", "run", new Error("x"))).message).toBe("x");
  });

  it("is the task and agent of a crew, the agent alone, and the method of a flow", async () => {
    const { agent } = scriptedAgent(() => rejected);
    expect((await runCrewToFailure(soloCrew(agent))).error.message).toBe(
      'task "work" (agent "Researcher"): no such model',
    );
    const alone = new Agent({
      role: "Clerk",
      goal: "g",
      backstory: "b",
      llm: scriptedModel([rejected]),
      maxRetryLimit: 0,
    });
    const started = alone.start("Hello");
    await started.output().catch(() => undefined);
    expect((await started.status()).error?.message).toBe('agent "Clerk": no such model');
    const flow = defineFlow({
      name: "orders",
      state: z.object({}),
      methods: {
        book: {
          start: true,
          run: () => {
            throw new TypeError("no stock");
          },
        },
      },
    });
    const run = flow.start();
    const thrown = await run.output().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({
      message: "no stock",
      where: 'method "book" of flow "orders"',
    });
    expect((await run.status()).error?.message).toBe('method "book" of flow "orders": no stock');
  });
});
