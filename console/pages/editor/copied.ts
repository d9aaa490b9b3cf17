// Turns a crew of the code into a stored one, as far as its details allow.
import type { Json, TargetDetails } from "../../api-types.ts";
import { propertiesOf } from "../../parts/form-fields.ts";
import { plural } from "../../parts/format.ts";
import { toYaml } from "./yaml-text.ts";

type Member = NonNullable<TargetDetails["agents"]>[number] & {
  readonly memory?: boolean;
  readonly plans?: boolean;
  readonly delegates?: boolean;
};
type Work = NonNullable<TargetDetails["tasks"]>[number] & {
  readonly context?: readonly string[];
  readonly async?: boolean;
  readonly humanInput?: boolean;
  readonly guardrails?: number;
  readonly outputSchema?: Json;
};

/** Returns YAML with a comment about the missing parts. */
export function copiedCrew(target: TargetDetails): string {
  const agents = (target.agents ?? []) as readonly Member[];
  const tasks = (target.tasks ?? []) as readonly Work[];
  const keys = new Map(agents.map((agent, index) => [agent.role ?? "", keyOf(agent, index)]));
  const defaults = propertiesOf(target.inputSchema ?? {}).flatMap(([name, schema]) =>
    schema["default"] === undefined ? [] : [[name, schema["default"]] as const],
  );
  const definition = {
    ...(target.process === undefined || target.process === "sequential"
      ? undefined
      : { process: target.process }),
    ...(defaults.length === 0 ? undefined : { inputs: Object.fromEntries(defaults) }),
    agents: Object.fromEntries(agents.map((agent, index) => [keyOf(agent, index), agentOf(agent)])),
    tasks: tasks.map((task) => taskOf(task, keys.get(task.agent))),
  };
  const left = tasks.flatMap(({ name, guardrails = 0 }) =>
    guardrails === 0 ? [] : [`${plural(guardrails, "guardrail")} of ${name}`],
  );
  const notes = [
    `Copied from ${target.name} of the code.`,
    ...(left.length === 0 ? [] : [`Not copied: ${left.join(", ")}.`]),
  ];
  return notes.map((note) => `# ${note.replaceAll("\n", " ")}\n`).join("") + toYaml(definition);
}

function keyOf({ role = "" }: Member, index: number): string {
  const words = role.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.length === 0 ? `agent_${index + 1}` : words.join("_");
}

function agentOf({ role, goal, backstory, llm, tools = [], memory, plans, delegates }: Member) {
  const models = llm?.split(", ") ?? [];
  return {
    role: role ?? "",
    goal: goal ?? "",
    backstory: backstory ?? "",
    ...(models.length === 0 ? undefined : { llm: models.length === 1 ? models[0] : models }),
    ...(tools.length === 0
      ? undefined
      : { tools: tools.map((tool) => (typeof tool === "string" ? tool : tool.name)) }),
    ...(memory === true ? { memory } : undefined),
    ...(plans === true ? { planning: true } : undefined),
    ...(delegates === true ? { allowDelegation: true } : undefined),
  };
}

function taskOf(
  { name, description, expectedOutput = "", context, humanInput, outputSchema, ...task }: Work,
  agent: string | undefined,
) {
  return {
    name,
    description,
    expectedOutput,
    ...(agent === undefined ? undefined : { agent }),
    ...(context === undefined ? undefined : { context }),
    ...(task.async === true ? { asyncExecution: true } : undefined),
    ...(humanInput === true ? { humanInput } : undefined),
    ...(outputSchema === undefined ? undefined : { output: outputSchema }),
  };
}
