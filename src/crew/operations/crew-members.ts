// Agents and tasks of a crew as its details show them.
import type { Agent } from "../../agent/description/agent.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { Crew } from "../crew.ts";
import type { Task } from "../tasks/task.ts";

/** An agent of a crew, in full. */
export type CrewAgentDetails = {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  /** Name of the model, or several with ", " between; absent for the Worker's default. */
  readonly llm?: string;
  readonly memory: boolean;
  readonly knowledge: boolean;
  /** True if the agent plans before it works. */
  readonly plans: boolean;
  readonly delegates: boolean;
};

/** A task of a crew, in full. */
export type CrewTaskDetails = {
  readonly name: string;
  readonly description: string;
  readonly agent: string;
  readonly expectedOutput: string;
  /** Names of the tasks whose outputs the task sees; absent for all earlier tasks. */
  readonly context?: readonly string[];
  readonly async: boolean;
  readonly humanInput: boolean;
  /** Number of guardrails. */
  readonly guardrails: number;
  /** JSON Schema of its output, if it has one. */
  readonly outputSchema?: JsonObject;
};

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
