// What a crew knows, forgotten: its memory, its knowledge, that of its agents.
import { knowledgeKitOf, memoryKitOf } from "../agent/agent-sources.ts";
import type { KnowledgeOwner } from "../agent/knowledge-kit.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { agentKnowledge, agentsOf, crewKnowledge, crewMemory } from "./crew-sources.ts";
import type { RunnableCrew } from "./prepare-crew.ts";

/** Other names of `memory`, from when there were several kinds. */
const ALIASES = ["long", "short", "entity", "external"] as const;
const TYPES = ["memory", "knowledge", "agent_knowledge", "kickoff_outputs", "all"] as const;

export type ResetType = (typeof TYPES)[number] | (typeof ALIASES)[number];

/** Throws `invalid_input` for an unknown type, `conflict` for what the crew does not have. */
export async function resetMemories(
  scope: RunScope,
  crew: RunnableCrew,
  type: ResetType,
): Promise<void> {
  if (![...TYPES, ...ALIASES].includes(type))
    throw new EngineError(
      "invalid_input",
      `type must be one of ${[...TYPES, ...ALIASES].join(", ")}, got ${preview(type)}`,
    );
  const isAll = type === "all";
  const wantsMemory = isAll || type === "memory" || ALIASES.some((alias) => alias === type);
  if (wantsMemory) missing(await resetMemory(scope, crew), { crew, type, isAll });
  const ofAgents = agentsOf(crew).map((agent) => agentKnowledge(crew, agent));
  const owners =
    isAll || type === "knowledge"
      ? [crewKnowledge(crew), ...ofAgents]
      : type === "agent_knowledge"
        ? ofAgents
        : undefined;
  if (owners !== undefined) missing(await resetKnowledge(scope, owners), { crew, type, isAll });
}

async function resetMemory(scope: RunScope, crew: RunnableCrew): Promise<boolean> {
  const view = crewMemory(scope, crew);
  if (view === undefined) return false;
  await memoryKitOf(view).reset(view.inRun({ scope: scope.at("reset-memory") }));
  return true;
}

async function resetKnowledge(
  scope: RunScope,
  owners: readonly KnowledgeOwner[],
): Promise<boolean> {
  const shelves = owners.flatMap((owner) => knowledgeKitOf(scope, owner)?.open(scope, owner) ?? []);
  await scope.at("reset-knowledge").step<null>({
    kind: "effect",
    run: async () => {
      for (const shelf of shelves) await shelf.reset();
      return null;
    },
  });
  return shelves.length > 0;
}

function missing(
  found: boolean,
  { crew, type, isAll }: { crew: RunnableCrew; type: ResetType; isAll: boolean },
): void {
  if (found || isAll) return;
  const what = type.includes("knowledge") ? "knowledge" : "memory";
  throw new EngineError("conflict", `crew "${crew.name}" has no ${what} that could be reset`);
}
