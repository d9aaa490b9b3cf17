// Models of a definition whose calls would fail in its deployment.
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import type { AgentDefinition, CrewDefinition } from "./definition-schema.ts";

/** A model of a definition, with its path. */
export type NamedModel = readonly [path: string, spec: unknown];

export function modelsOf(definition: CrewDefinition): NamedModel[] {
  const { managerLlm, planningLlm, chatLlm, functionCallingLlm, agents } = definition;
  return [
    ["/managerLlm", managerLlm],
    ["/planningLlm", planningLlm],
    ["/chatLlm", chatLlm],
    ["/functionCallingLlm", functionCallingLlm],
    ["/memory/llm", memoryModel(definition)],
    ...byPath(agents).flatMap(([path, agent]): NamedModel[] => [
      [`${path}/llm`, agent.llm],
      [`${path}/functionCallingLlm`, agent.functionCallingLlm],
      [`${path}/planningConfig/llm`, agent.planningConfig?.llm ?? undefined],
      [`${path}/memory/llm`, memoryModel(agent)],
    ]),
  ];
}

function memoryModel({ memory }: Pick<AgentDefinition, "memory">): unknown {
  return typeof memory === "object" ? memory.llm : undefined;
}

/** Checks the deployment's default model, if an agent names no model. */
export function unusableDefault(
  { agents }: CrewDefinition,
  models: ModelCatalog,
): readonly Issue[] {
  const [user] = byPath(agents).filter(([, { llm }]) => llm === undefined);
  const missing = user && whyUnusable(() => models(undefined).missingKey);
  if (missing === undefined) return [];
  const message = `calls of the deployment's own model will fail: ${missing}`;
  return [{ path: `${user?.[0]}/llm`, message }];
}

/** Returns the models whose calls would fail in this deployment. Undefined and false entries are skipped. */
export function unusableModels(
  named: readonly NamedModel[],
  models: ModelCatalog,
): readonly Issue[] {
  return named.flatMap(([path, spec]) => {
    if (spec === undefined || spec === false) return [];
    const missing = whyUnusable(() => models(spec as Parameters<ModelCatalog>[0]).missingKey);
    return missing === undefined ? [] : [{ path, message: `calls will fail: ${missing}` }];
  });
}

/** Returns the reason from a check, returned or thrown. */
export function whyUnusable(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return errorMessage(error);
  }
}

/** Agents, each with its pointer. */
export function byPath<Uses>(
  agents: Readonly<Record<string, Uses>>,
): ReadonlyArray<readonly [path: string, owner: Uses]> {
  return Object.entries(agents).map(([key, agent]) => [`/agents/${pointerPart(key)}`, agent]);
}
