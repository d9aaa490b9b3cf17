import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../src/base/json.ts";
import type {
  ScriptedReply,
  ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../support/cut-off.ts";

const steps = (...all: JsonObject[]): ScriptedReply =>
  calling("create_reasoning_plan", {
    plan: "p",
    ready: true,
    steps: all.map((step) => ({ tool_to_use: null, depends_on: [], ...step })),
  });

/** Chooses by what it is asked alone, as a process that has just begun knows nothing else. */
function answer({ messages, tools }: ScriptedRequest): ScriptedReply {
  const last = messages.at(-1)?.content ?? "";
  if (tools?.[0]?.name === "create_reasoning_plan") {
    if (!last.includes("begun already"))
      return steps(
        { step_number: 1, description: "left" },
        { step_number: 2, description: "right", tool_to_use: "look" },
        { step_number: 3, description: "both", depends_on: [1, 2] },
        { step_number: 4, description: "never", depends_on: [3] },
      );
    return steps({ step_number: 4, description: "instead", depends_on: [3] });
  }
  if (messages[0]?.content.startsWith("You watch over")) {
    const failed = last.includes("3. both\n\nIts result");
    return JSON.stringify({ step_completed_successfully: !failed, needs_full_replan: failed });
  }
  if (last.includes("What the steps brought")) return "the answer";
  const isTold = messages.some(({ role }) => role === "tool");
  return last.includes("Step 2: right") && !isTold ? calling("look") : `did ${messages.length}`;
}

describe("a plan cut off midway", () => {
  it("PE5: comes to the same end, with the same events, wherever its process dies", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const calls: string[] = [];
      const look = tool({
        name: "look",
        description: "Looks.",
        input: z.object({}),
        run: (_, { idempotencyKey }) => (calls.push(idempotencyKey), "seen"),
      });
      const { agent, model } = scriptedAgent(answer, {
        tools: [look],
        planningConfig: { reasoningEffort: "medium" },
      });
      return {
        program: soloCrew(agent).program(),
        get calls() {
          return [...calls, ...model.calls.map((call) => call.idempotencyKey ?? "")];
        },
      };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
    const { events } = whole;
    expect(events.filter(({ type }) => type === "plan_replan_triggered")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "plan_step_completed")).toHaveLength(4);
  });
});
