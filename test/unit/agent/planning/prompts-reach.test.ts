// Every text of the planner is said to a model, a user's own in its place.
import { expect, it } from "vitest";
import * as z from "zod";
import { DEFAULT_PROMPTS, type PromptOverrides } from "../../../../src/agent/prompts/prompts.ts";
import { EngineError } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import type {
  ScriptedReply,
  ScriptedRequest,
} from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { calling, runCrewToEnd, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });
const down = { error: new EngineError("model_failed", "down") };

/** The default text with a mark before it, so that it still does its work. */
function marked(section: "reasoning" | "planning"): Record<string, string> {
  return Object.fromEntries(
    Object.entries(DEFAULT_PROMPTS[section]).map(([key, text]) => [
      key,
      `<${section}.${key}>${text}`,
    ]),
  );
}

const steps = (ready: boolean, ...all: JsonObject[]): ScriptedReply =>
  calling("create_reasoning_plan", {
    plan: "p",
    ready,
    steps: all.map((step) => ({ tool_to_use: null, depends_on: [], ...step })),
  });

/** What a model is told and where it is heard of: messages, tools, answers of the run. */
async function told(script: (request: ScriptedRequest, index: number) => ScriptedReply, more = {}) {
  const prompts = {
    reasoning: marked("reasoning"),
    planning: marked("planning"),
  } as PromptOverrides;
  const { agent, model } = scriptedAgent(script, { planningConfig: {}, prompts, ...more });
  const run = await runCrewToEnd(soloCrew(agent));
  const requests = model.calls.map(({ request }) => request);
  return JSON.stringify([requests, run.result, run.kept()]);
}

it("PR1: all of them", async () => {
  let plans = 0;
  const whole = await told(
    ({ messages, tools }) => {
      const last = messages.at(-1)?.content ?? "";
      if (tools?.[0]?.name === "create_reasoning_plan") {
        plans++;
        if (plans === 1) return steps(false, { step_number: 1, description: "draft" });
        if (plans === 2)
          return steps(
            true,
            { step_number: 1, description: "a", tool_to_use: "look" },
            { step_number: 2, description: "b", depends_on: [1] },
          );
        if (plans === 3)
          return steps(
            true,
            { step_number: 3, description: "c" },
            { step_number: 4, description: "d" },
          );
        return steps(
          true,
          { step_number: 5, description: "e", depends_on: [6] },
          { step_number: 6, description: "f", depends_on: [5] },
        );
      }
      if (messages[0]?.content.includes("You watch over")) {
        const failed = /just ended:\n(?!1\.)/.test(last);
        return JSON.stringify({ step_completed_successfully: !failed, needs_full_replan: failed });
      }
      if (last.includes("What the steps brought")) return "the answer";
      if (last.includes("Step 4: d")) return down;
      return "did it";
    },
    { tools: [look] },
  );
  const words = await told(
    (_, index) => ["In words. <reasoning.readySentence>The plan is ready.", "x"][index] ?? "",
  );
  const failing = await told((_, index) => (index < 2 ? down : "x"));
  const nothing = await told(
    () =>
      steps(
        true,
        { step_number: 1, description: "a", depends_on: [2] },
        { step_number: 2, description: "b", depends_on: [1] },
      ),
    { planningConfig: { maxReplans: 0 } },
  );
  const alone = scriptedAgent([steps(true), "x"], {
    planningConfig: { planPrompt: "{expected_output}" },
    prompts: { reasoning: marked("reasoning") },
  });
  await alone.agent.kickoff("hi");
  const own = JSON.stringify(alone.model.calls);
  const all = [whole, words, failing, nothing, own].join();
  const missing = (["reasoning", "planning"] as const).flatMap((section) =>
    Object.keys(DEFAULT_PROMPTS[section])
      .map((key) => `${section}.${key}`)
      .filter((key) => !all.includes(`<${key}>`)),
  );
  expect(missing).toEqual([]);
});
