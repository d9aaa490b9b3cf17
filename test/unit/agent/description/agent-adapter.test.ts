import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import type {
  AdapterRequest,
  AdapterTool,
  AgentAdapter,
} from "../../../../src/agent/description/agent-adapter.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { EngineError } from "../../../../src/base/error.ts";
import { on } from "../../../../src/hooks/hook.ts";
import { toolFailure } from "../../../../src/tools/tool-failure.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

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
  it("does a task with our tools, with the events of any agent", async () => {
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
    expect(run.result.raw).toBe("x-add gave 3; then Error: the argum");
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

  it("receives the schema of the answer, which is checked as in our own agents", async () => {
    const { agent } = adapted(
      foreign(
        async ({ output }) =>
          `Here: \`\`\`json\n{"n": ${Object.keys(output?.json ?? {}).length > 0 ? 3 : 0}}\n\`\`\``,
      ),
    );
    const run = await runCrewToEnd(soloCrew(agent, { output: z.object({ n: z.number() }) }));
    expect(run.result.tasks[0]).toMatchObject({ object: { n: 3 } });
  });

  it("AW6: a temporary failure restarts it", async () => {
    let executions = 0;
    const failing = foreign(async () => {
      executions++;
      throw new EngineError("agent_failed", "down");
    });
    const { error, kept } = await runCrewToFailure(soloCrew(adapted(failing).agent));
    expect(error).toMatchObject({ code: "agent_failed" });
    expect(executions).toBe(3);
    expect(kept("agent_execution_error")).toHaveLength(3);
  });

  it("AW6: a failure after a call of a tool ends the task: the call is not made again, nor in a replay", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const failing = foreign(async ({ tools }) => {
        await tools[0]?.invoke({ a: 1, b: 2 });
        throw new EngineError("agent_failed", "down");
      });
      return {
        program: soloCrew(adapted(failing, { tools: [add(calls)] }).agent).program(),
        calls,
      };
    });
    expect(whole.run).toMatchObject({ status: "failed", error: { code: "agent_failed" } });
    expect(whole.calls).toHaveLength(1);
    for (const each of cut) expect([each.course, each.calls]).toEqual([whole.course, whole.calls]);
  });

  it("AW7: its time is limited as for our own agents", async () => {
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
    const { whole, cut } = await cutAfterEveryResult(() => {
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
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run } = whole;
    expect(run.output).toMatchObject({ raw: "3 3 7" });
  });

  it("must be able to do all three things", () => {
    const adapter = { configureTools: () => 1, execute: async () => ({ text: "" }) } as never;
    expect(() => new Agent({ role: "R", goal: "g", backstory: "b", adapter })).toThrowError(
      'agent "R": adapter.configureStructuredOutput must be a function, got undefined',
    );
  });
});

describe("our tools in another framework", () => {
  const broken = tool({
    name: "broken",
    description: "Breaks.",
    input: z.object({}),
    run: () => toolFailure({ message: "no power" }),
  });
  const once = foreign(async ({ tools }) => `got ${await tools[0]?.invoke({})}`);

  it("pass their hooks, ask for approval and call the step callback", async () => {
    const steps: unknown[] = [];
    const { agent } = adapted(once, {
      tools: [broken],
      hooks: [on("post_tool_call", ({ outcome }) => `it was ${outcome}`)],
      approveTools: true,
      stepCallback: (step: unknown) => void steps.push(step),
    });
    const run = startCrew(soloCrew(agent));
    await run.settle();
    await run.handle.resume({ approve: false });
    expect(await run.output()).toMatchObject({ raw: "got it was blocked" });
    expect(steps).toMatchObject([{ kind: "tool_result", failed: true }, { kind: "finish" }]);
  });

  it("AA3: record their failures; `raise` ends the work even if the framework swallows the error", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => ({
      program: soloCrew(adapted(once, { tools: [broken] }).agent).program(),
    }));
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { run } = whole;
    expect(run.output).toMatchObject({ raw: "got no power", toolFailures: [{}] });
    const deaf = foreign(async ({ tools }) => {
      await tools[0]?.invoke({}).catch(() => undefined);
      return "all is well";
    });
    const { agent } = adapted(deaf, { tools: [broken], toolFailurePolicy: "raise" });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "tool_failure_raised" });
  });

  it("may be called up to their limits, in one execution", async () => {
    const rare = tool({
      name: "rare",
      description: "Rare.",
      input: z.object({ n: z.number() }),
      maxUsageCount: 1,
      run: ({ n }) => n,
    });
    const twice = foreign(
      async ({ tools }) =>
        `${await tools[0]?.invoke({ n: 1 })} ${await tools[0]?.invoke({ n: 2 })}`,
    );
    const { result } = await runCrewToEnd(soloCrew(adapted(twice, { tools: [rare] }).agent));
    expect(result.raw).toMatch(/^1 .*rare/);
  });

  it("gets the images and files of the user", async () => {
    const image = { type: "image", url: "https://example.com/a.png" } as const;
    const seen: unknown[] = [];
    const { agent } = adapted(
      foreign(async ({ prompt, attachments }) => {
        seen.push(prompt, attachments);
        return "seen";
      }),
    );
    await agent.kickoff([{ role: "user", content: [{ type: "text", text: "What?" }, image] }]);
    expect(seen).toEqual(["What?", [image]]);
  });
});
