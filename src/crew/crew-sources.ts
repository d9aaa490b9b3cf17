// What the agents of a crew know: their own memory and knowledge, and those of the crew.
//
//   CM1. What a task taught is saved at the crew's place, not the task's: a finished task replays as one row, and what is still being
//        saved goes on. The crew ends when all is saved.
//   CM2. Crews that are trained or tested remember, and learn nothing.
import {
  openSources,
  resetSources,
  type AgentSources,
  type SourcesRequest,
} from "../agent/description/agent-sources.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { RunnableCrew } from "./prepare-crew.ts";

/** Undefined where neither the crew nor any of its agents has memory or knowledge. Throws `invalid_definition` for what cannot be had. */
export function crewSources(scope: RunScope, crew: RunnableCrew): AgentSources | undefined {
  return openSources(scope, requestOf(crew));
}

function requestOf({ options, foundAs, name, agents, manager }: RunnableCrew): SourcesRequest {
  const { memory, knowledge, knowledgeSources, knowledgeConfig, embedder } = options;
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
    },
    agents: manager === undefined ? agents : [...agents, manager],
    limit: 5,
  };
}

/** What each type empties. The first four are other names of `memory`, from when there were several kinds. */
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

/** Throws `invalid_input` for an unknown type, `conflict` for what the crew does not have. */
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
