// Sources of a crew's agents: their own memory and knowledge, and those of the crew.
//
//   CM1. Memories of a task are saved below the crew's step, not the task's: a finished task replays as one row, while
//        the saving of its memories may still be pending. The crew ends after all saves.
//   CM2. In training and tests a crew reads memories but saves none.
import {
  openSources,
  resetSources,
  type AgentSources,
  type SourcesRequest,
} from "../agent/description/agent-sources.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunnableCrew } from "./runnable-crew.ts";

/** Undefined if neither the crew nor any of its agents has memory or knowledge. Throws `invalid_definition` if the run cannot provide it. */
export function crewSources(scope: RunScope, crew: RunnableCrew): AgentSources | undefined {
  return openSources(scope, requestOf(crew));
}

function requestOf({
  options,
  foundAs,
  name,
  agents,
  manager,
  tasks,
}: RunnableCrew): SourcesRequest {
  const { memory, knowledge, knowledgeSources, knowledgeConfig, embedder, mcps = [] } = options;
  return {
    crew: {
      label: `crew "${name}"`,
      path: ["crew", options.name ?? foundAs ?? name],
      memory,
      knowledge,
      knowledgeSources,
      knowledgeConfig,
      embedder,
      llm: options.chatLlm ?? agents[0]?.llm,
      mcps,
      manager,
    },
    agents: manager === undefined ? agents : [...agents, manager],
    tasks: tasks.flatMap((task) => {
      const agent = manager ?? task.agent;
      return agent === undefined || task.mcps.length === 0
        ? []
        : [{ task, agent, mcps: task.mcps }];
    }),
    limit: 5,
  };
}

/** Sources deleted by each type. The first four are CrewAI's names for `memory`. */
const RESETS = {
  long: ["memory"],
  short: ["memory"],
  entity: ["memory"],
  external: ["memory"],
  memory: ["memory"],
  knowledge: ["knowledge"],
  agent_knowledge: ["agent_knowledge"],
  kickoff_outputs: [],
  all: ["memory", "knowledge"],
} as const;

export type ResetType = keyof typeof RESETS;

/** Throws `invalid_input` for an unknown type, `conflict` for a source the crew does not have. */
export async function resetMemories(
  scope: RunScope,
  crew: RunnableCrew,
  type: ResetType,
): Promise<null> {
  if (!Object.hasOwn(RESETS, type))
    throw new EngineError(
      "invalid_input",
      `type must be one of ${Object.keys(RESETS).join(", ")}, got ${preview(type)}`,
    );
  const request = requestOf(crew);
  for (const what of RESETS[type]) {
    const found = await resetSources(scope, request, what);
    if (!found && type !== "all")
      throw new EngineError("conflict", `crew "${crew.name}" has no ${what} that could be reset`);
  }
  return null;
}
