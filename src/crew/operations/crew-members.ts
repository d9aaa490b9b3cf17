// Agents and tasks of a crew as its details show them.
import type { Agent } from "../../agent/description/agent.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { Crew } from "../crew.ts";
import type { Task } from "../tasks/task.ts";
import type { CrewAgentDetails, CrewTaskDetails } from "./shapes.ts";

export function agentDetails(agent: Agent, { options }: Crew): CrewAgentDetails {
  const { role, goal, backstory, tools, llm, memory, knowledge, knowledgeSources } = agent;
  const model = modelNames(llm);
  return {
    role,
    goal,
    backstory,
    tools: tools.map(({ safeName, description }) => ({ name: safeName, description })),
    ...(model === undefined ? undefined : { llm: model }),
    memory: isOn(memory ?? options.memory),
    knowledge:
      isOn(knowledge ?? options.knowledge) || isOn(knowledgeSources ?? options.knowledgeSources),
    plans: agent.planningConfig !== undefined,
    delegates: agent.allowDelegation,
  };
}

export function taskDetails(
  { name, description, agent }: Pick<CrewTaskDetails, "name" | "description" | "agent">,
  { expectedOutput, context, asyncExecution, humanInput, guardrails, output }: Task,
): CrewTaskDetails {
  return {
    name,
    description,
    agent,
    expectedOutput,
    ...(context === undefined ? undefined : { context: context.map(({ label }) => label) }),
    async: asyncExecution,
    humanInput: humanInput !== undefined,
    guardrails: guardrails.length,
    ...(output === undefined ? undefined : { outputSchema: outputShape(output).schema }),
  };
}

function isOn(option: unknown): boolean {
  return Array.isArray(option) ? option.length > 0 : option !== undefined && option !== false;
}

/** Returns only names, because settings may contain secrets. */
function modelNames(spec: ModelSpec | undefined): string | undefined {
  if (spec === undefined || typeof spec === "string") return spec;
  if (Array.isArray(spec)) {
    const names = (spec as readonly ModelSpec[]).flatMap((each) => modelNames(each) ?? []);
    return names.length === 0 ? undefined : names.join(", ");
  }
  if ("spec" in spec) return modelNames(spec.spec);
  if ("id" in spec && typeof spec.id === "string") return spec.id;
  if ("model" in spec && typeof spec.model === "string") return spec.model;
  const { configList } = spec as { readonly configList?: readonly ModelSpec[] };
  return modelNames(configList);
}
