// The plan for the tasks of a crew with `planning`.
import { Agent } from "../agent/description/agent.ts";
import { workerModel } from "../agent/worker-model.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { RunScope } from "../events/run-scope.ts";
import { judges } from "../model-calls/judgement.ts";
import type { CrewWork } from "./crew-work.ts";
import { PLAN_SHAPE, planCrew, planRequest, type CrewPlan, type PlannedTask } from "./plan-crew.ts";
import type { CrewPreparation } from "./prepare-crew.ts";
import type { RunnableCrew } from "./runnable-crew.ts";
import type { PreparedTask } from "./tasks/prepared-task.ts";
import { taskPrompt } from "./tasks/task-prompt.ts";
import { WorkBudget } from "./work-budget.ts";

const NO_PLAN: CrewPlan = { plans: {}, usage: NO_USAGE };

/** Plans the tasks of a crew with `planning`; the plan of any other crew is empty. */
export function planTasks(
  scope: RunScope,
  tasks: readonly PreparedTask[],
  {
    crew,
    prepare,
    work,
  }: {
    readonly crew: RunnableCrew;
    readonly prepare: CrewPreparation;
    readonly work: CrewWork;
  },
): Promise<CrewPlan> {
  const { options, prompts, name } = crew;
  if (options.planning !== true) return Promise.resolve(NO_PLAN);
  const { role, goal, backstory, expectedOutput } = prompts.crewPlanner;
  const planner = {
    agent: new Agent({ role, goal, backstory }),
    identity: { role, goal, backstory },
    model: workerModel(scope, options.planningLlm),
  };
  if (!judges(planner.model)) {
    const message = `the tasks of crew "${name}" are done without a plan: ${planner.model.id} cannot plan, name a real model as planningLlm`;
    scope.emit("agent_warning", { agentRole: role, message });
    return Promise.resolve(NO_PLAN);
  }
  const planned = tasks.map((prepared): PlannedTask => {
    const { task, description, expectedOutput: expected } = prepared;
    const { identity } = task.agent === undefined ? prepared : prepare.agent(task.agent);
    return {
      description,
      expectedOutput: expected,
      agentRole: identity.role,
      agentGoal: identity.goal,
      tools: task.effectiveTools,
    };
  });
  const { schema } = PLAN_SHAPE;
  const asked = {
    description: planRequest(prompts, planned),
    expectedOutput,
    context: "",
    markdown: false,
    schema,
  };
  const planning = work.of(scope, {
    worker: planner,
    prompts,
    prompt: taskPrompt(prompts, asked),
    tools: [],
    answerSchema: schema,
    workBudget: new WorkBudget(scope, planner.agent),
    isPlanner: true,
  });
  return planCrew(scope, name, planning);
}

/** Returns the task with its plan in the prompt. */
export function withPlan(task: PreparedTask, plan: string | undefined): PreparedTask {
  return plan === undefined ? task : { ...task, extras: { ...task.extras, plan } };
}
