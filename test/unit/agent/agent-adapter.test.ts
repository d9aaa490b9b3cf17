import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent.ts";
import type {
  AdapterRequest,
  AdapterTool,
  AgentAdapter,
} from "../../../src/agent/agent-adapter.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { EngineError } from "../../../src/base/error.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../support/crew-harness.ts";
import { expectSameWhereverCutOff } from "../../support/cut-off-program.ts";

type ForeignTool = { readonly id: string; readonly invoke: AdapterTool["call"] };

/** An agent of some other framework. */
function foreign(
  work: (request: AdapterRequest<ForeignTool[], { json: JsonObject }>) => Promise<string>,
): AgentAdapter<ForeignTool[], { json: JsonObject }> {
  return {
    configureTools: (tools) => tools.map(({ name, call }) => ({ id: `x-${name}`, invoke: call })),
    configureStructuredOutput: (json) => ({ json }),
    execute: async (request) => ({
      text: await work(request),
      usage: { totalTokens: 12, requests: 2 },
    }),
  };
}

function adapted(adapter: AgentAdapter, more = {}) {
  return scriptedAgent(["never asked"], { adapter, ...more });
}

const add = (calls: string[]) =>
  tool({
    name: "add",
    description: "Adds.",
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }, { idempotencyKey }) => (calls.push(idempotencyKey), a + b),
  });

describe("an agent of another framework", () => {
  it("does a task with our tools, and the run tells of it as of any agent", async () => {
    const calls: string[] = [];
    const seen: unknown[] = [];
    const { agent, model } = adapted(
      foreign(async ({ tools, ...request }) => {
        seen.push(request);
        const sum = await tools[0]?.invoke({ a: 1, b: 2 });
        const failed = await tools[0]?.invoke({ a: "one" });
        return `${tools[0]?.id} gave ${sum}; then ${failed?.slice(0, 16)}`;
      }),
      { tools: [add(calls)], maxIter: 4 },
    );
    expect(agent.adaptedAgent).toBe(true);
    const run = await runCrewToEnd(soloCrew(agent));
    expect(run.result.raw).toBe("x-add gave 3; then Error: add faile");
    expect(model.calls).toHaveLength(0);
    expect(seen).toMatchObject([
      {
        system: expect.stringContaining("You are Researcher."),
        prompt: expect.stringContaining("Do the work"),
        output: undefined,
        maxIter: 4,
        idempotencyKey: "run-1:task:work/adapter",
      },
    ]);
    expect(
      run.kept("agent_execution_started", "tool_usage_finished", "agent_execution_completed"),
    ).toHaveLength(3);
    expect(run.result.usage).toMatchObject({ totalTokens: 12, requests: 2 });
    expect((await run.handle.status()).usage).toMatchObject({ totalTokens: 12 });
  });

  it("is told the shape of the answer, which is checked as ours is", async () => {
    const { agent } = adapted(
      foreign(
        async ({ output }) =>
          `Here: \`\`\`json\n{"n": ${Object.keys(output?.json ?? {}).length > 0 ? 3 : 0}}\n\`\`\``,
      ),
    );
    const run = await runCrewToEnd(soloCrew(agent, { output: z.object({ n: z.number() }) }));
    expect(run.result.tasks[0]).toMatchObject({ object: { n: 3 } });
  });

  it("R26: a failure that may pass begins it anew", async () => {
    let executions = 0;
    const failing = foreign(async () => {
      executions++;
      throw new EngineError("model_failed", "down");
    });
    const { error, kept } = await runCrewToFailure(soloCrew(adapted(failing).agent));
    expect(error).toMatchObject({ code: "model_failed" });
    expect(executions).toBe(3);
    expect(kept("agent_execution_error")).toHaveLength(3);
  });

  it("R27: its time is limited as ours is", async () => {
    const hanging = foreign(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
    const { error } = await runCrewToFailure(
      soloCrew(adapted(hanging, { maxExecutionTime: 5 }).agent),
    );
    expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("5 s") });
  });

  it("AA1, AA2: cut off, it works again, and calls of tools with the same arguments are not made twice", async () => {
    const { run } = await expectSameWhereverCutOff({
      make: () => {
        const calls: string[] = [];
        const { agent } = adapted(
          foreign(async ({ tools }) => {
            const first = await tools[0]?.invoke({ a: 1, b: 2 });
            const again = await tools[0]?.invoke({ a: 1, b: 2 });
            const other = await tools[0]?.invoke({ a: 3, b: 4 });
            return `${first} ${again} ${other}`;
          }),
          { tools: [add(calls)] },
        );
        return { program: soloCrew(agent).program(), calls };
      },
    });
    expect(run.output).toMatchObject({ raw: "3 3 7" });
  });

  it("must be able to do all three things", () => {
    const adapter = { configureTools: () => 1, execute: async () => ({ text: "" }) } as never;
    expect(() => new Agent({ role: "R", goal: "g", backstory: "b", adapter })).toThrowError(
      'agent "R": adapter.configureStructuredOutput must be a function, got undefined',
    );
  });
});
