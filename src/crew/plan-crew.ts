import * as z from "zod";
import type { AgentWork } from "../agent/agent-work.ts";
import { executeAgent } from "../agent/loop/execute-agent.ts";
import { fill, type Prompts } from "../agent/prompts/prompts.ts";
import { outputShape, toStructured } from "../agent/loop/structured-output.ts";
import { snakeKeys } from "../base/camel-case.ts";
import { EngineError } from "../base/error.ts";
import type { Usage } from "../base/usage.ts";
import type { Tool } from "../tools/tool.ts";
import type { RunScope } from "../events/run-scope.ts";

/** Reads CrewAI's names, and those in camelCase as well. */
const plansSchema = z.preprocess(
  snakeKeys,
  z.object({
    list_of_plans_per_task: z.array(
      z.object({ task_number: z.int().min(1), task: z.string(), plan: z.string() }),
    ),
  }),
);

export const PLAN_SHAPE = outputShape(plansSchema);

export type PlannedTask = {
  readonly description: string;
  readonly expectedOutput: string;
  readonly agentRole: string;
  readonly agentGoal: string;
  readonly tools: readonly Pick<Tool, "safeName" | "description">[];
};

/** The plans by task number, from 1, and the planner's usage. A task may be without a plan. */
export type CrewPlan = { readonly plans: Readonly<Record<string, string>>; readonly usage: Usage };

/** The request to the planner. */
export function planRequest({ crewPlanner }: Prompts, tasks: readonly PlannedTask[]): string {
  const summaries = tasks.map((task, index) =>
    fill(crewPlanner.task, {
      number: String(index + 1),
      description: task.description,
      expected_output: task.expectedOutput,
      agent: task.agentRole,
      agent_goal: task.agentGoal,
      tools: toolLines(task.tools) || "none",
    }),
  );
  return fill(crewPlanner.request, { tasks: summaries.join("\n\n") });
}

/** Describes each tool in one line: a planner cannot judge a tool by its name alone. */
function toolLines(tools: PlannedTask["tools"]): string {
  return tools
    .map(({ safeName, description }) => `\n- ${safeName}: ${description.replaceAll(/\s+/g, " ")}`)
    .join("");
}

/**
 * Asks the planner for a plan of each task, as one step with its model calls below. The first plan for a task counts.
 * Some or all tasks may have no plan: an empty list is a valid answer. Throws `output_invalid` for an answer other than
 * a list of plans.
 */
export function planCrew(scope: RunScope, crewName: string, work: AgentWork): Promise<CrewPlan> {
  return scope.at("planning").group("agent", async (place) => {
    const answer = await executeAgent(place, work);
    const { list_of_plans_per_task: found } = await toStructured(place, answer, {
      shape: PLAN_SHAPE,
      work,
    })
      .then((json) => plansSchema.parse(json))
      .catch((error: unknown) => {
        if (!EngineError.is(error) || error.code !== "output_invalid") throw error;
        const message = `crew "${crewName}" could not be planned: ${error.message}`;
        throw new EngineError("output_invalid", message, { issues: error.issues, cause: error });
      });
    const plans: Record<string, string> = {};
    for (const { task_number: number, plan } of found) plans[number] ??= plan;
    return { plans, usage: work.meter.total };
  });
}
