// What holds for any model or tool call holds within plans: hooks, failure policies, attachments, what was consumed.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { AgentOptions } from "../../../../src/agent/description/agent.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { on } from "../../../../src/hooks/hook.ts";
import type {
  ScriptedReply,
  ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { toolFailure } from "../../../../src/tools/tool-failure.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  calling,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
  toldTo,
} from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

const broken = tool({
  name: "broken",
  description: "Breaks.",
  input: z.object({}),
  run: () => toolFailure({ message: "no power", code: "E1" }),
});

/** Plans one step, calls the tool in it, and judges it a success. */
function answer({ messages, tools }: ScriptedRequest): ScriptedReply {
  const system = messages[0]?.content ?? "";
  if (tools?.[0]?.name === "create_reasoning_plan") {
    const step: JsonObject = { step_number: 1, description: "a", tool_to_use: "broken" };
    return calling("create_reasoning_plan", { plan: "p", ready: true, steps: [step] });
  }
  if (system.startsWith("You watch over"))
    return JSON.stringify({ step_completed_successfully: true });
  if (messages.at(-1)?.content.includes("What the steps brought")) return "the answer";
  return messages.some(({ role }) => role === "tool") ? "did it" : calling("broken");
}

const planned = (options: Partial<AgentOptions> = {}) =>
  scriptedAgent(answer, {
    tools: [broken],
    planningConfig: { reasoningEffort: "medium" },
    ...options,
  });

describe("a plan", () => {
  it("has its drafts, steps, judgements and answer pass the hooks of model calls", async () => {
    const seen: string[] = [];
    const hooks = [
      on("pre_model_call", ({ path, agentRole, taskName, messages }) => {
        seen.push(path.replace("task:work/", ""));
        messages[0] = { role: "system", content: `${agentRole} at ${taskName}` };
      }),
    ];
    // Every call is told apart by its system text, which the hook has replaced: a script in order.
    const script = [
      calling("create_reasoning_plan", {
        plan: "p",
        ready: true,
        steps: [{ step_number: 1, description: "a", tool_to_use: "broken" }],
      }),
      calling("broken"),
      "did it",
      JSON.stringify({ step_completed_successfully: true }),
      "the answer",
    ];
    const { agent, model } = scriptedAgent(script, {
      tools: [broken],
      planningConfig: { reasoningEffort: "medium" },
      hooks,
    });
    const run = await runCrewToEnd(soloCrew(agent));
    expect(run.result.raw).toBe("the answer");
    expect(seen).toEqual([
      "plan/attempt:1",
      "plan/step:1/turn:1",
      "plan/step:1/turn:2",
      "plan/step:1/observation",
      "plan/synthesis",
    ]);
    for (let call = 0; call < 5; call++)
      expect(toldTo(model, call)[0]?.content).toBe("Researcher at work");
  });

  it("is ended by a hook on a call of a step, and does not start again", async () => {
    const hooks = [on("pre_model_call", ({ path }) => !path.includes("step:1"))];
    const { agent, model } = planned({ hooks });
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "hook_aborted" });
    expect(model.calls).toHaveLength(1);
    expect(kept("agent_execution_error")).toHaveLength(1);
  });

  it("has the tool calls of its steps pass the hooks", async () => {
    const hooks = [on("post_tool_call", ({ outcome }) => `it was a ${outcome}`)];
    const { agent, model } = planned({ hooks });
    await runCrewToEnd(soloCrew(agent));
    expect(toldTo(model, 2).at(-1)).toMatchObject({ role: "tool", content: "it was a failure" });
  });

  it("records the tool failures of a step; `raise` ends the task", async () => {
    const { result } = await runCrewToEnd(soloCrew(planned().agent));
    expect(result).toMatchObject({
      raw: "the answer",
      toolFailures: [{ toolName: "broken", failure: { message: "no power", code: "E1" } }],
    });
    const { agent, model } = planned({ toolFailurePolicy: "raise" });
    const { error, kept } = await runCrewToFailure(soloCrew(agent));
    expect(error).toMatchObject({ code: "tool_failure_raised" });
    expect(model.calls).toHaveLength(2);
    expect(kept("plan_step_completed", "agent_execution_error")).toHaveLength(1);
    await expect(planned({ toolFailurePolicy: "raise" }).agent.kickoff("go")).rejects.toMatchObject(
      { code: "tool_failure_raised" },
    );
  });

  it("shows images to the planner, the steps and the answer", async () => {
    const { agent, model } = planned();
    const image = { type: "image", url: "https://example.com/a.png" } as const;
    const content = [{ type: "text", text: "What is it?" } as const, image];
    expect((await agent.kickoff([{ role: "user", content }])).raw).toBe("the answer");
    const withImage = model.calls.map(({ messages }) =>
      messages.some(
        (message) =>
          typeof message.content !== "string" &&
          message.content.some(({ type }) => type === "image"),
      ),
    );
    expect(withImage).toEqual([true, true, true, false, true]);
  });

  it("counts usage and failures once, over any number of replays", async () => {
    for (const alone of [true, false]) {
      const { whole, cut } = await cutAfterEveryResult(() => {
        const calls: string[] = [];
        const hooks = [on("post_model_call", ({ path }) => void calls.push(path))];
        const { agent, model } = planned({ hooks });
        return {
          ...(alone ? { inputs: { messages: "go" } } : undefined),
          program: alone ? agent.program() : soloCrew(agent).program(),
          get calls() {
            return [...calls, ...model.calls.map((call) => call.idempotencyKey ?? "")];
          },
        };
      });
      for (const each of cut) expect(each.course).toEqual(whole.course);
      const { run } = whole;
      expect(run.output).toMatchObject({
        raw: "the answer",
        usage: { requests: 5 },
        toolFailures: [{ toolName: "broken" }],
      });
      expect(run.usage.requests).toBe(5);
    }
  });
});
