// The memory and the knowledge of one owner: a crew, or an agent.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { KnowledgeService } from "../../knowledge/knowledge-service.ts";
import type {
  KnowledgeCollection,
  KnowledgeConfig,
  KnowledgeFields,
  KnowledgeGroup,
  KnowledgeSession,
} from "../../knowledge/knowledge-view.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { MemoryOption, MemoryOwnerKind } from "../../memory/memory-service.ts";
import type { MemoryView } from "../../memory/memory-view.ts";
import type { AgentDescription } from "./agent-description.ts";

/** Fields of definitions for memory and knowledge. */
export type SourceFields = KnowledgeFields & { readonly memory?: MemoryOption | undefined };

/** Owner of memory and knowledge. */
export type SourcesOwner = SourceFields & {
  /** Its name in error messages. */
  readonly label: string;
  /** Root of a memory made for the owner, and name of its collection: `["crew", "briefing"]`. */
  readonly path: readonly string[];
  /** Model of a memory made for the owner. */
  readonly llm?: ModelSpec | undefined;
};

/** Default numbers of passages in the prompt. */
export const AGENT_KNOWLEDGE = { limit: 5, usualThreshold: 0.6 };
export const CREW_KNOWLEDGE = { limit: 3, usualThreshold: 0.35 };

/** The knowledge of one crew or agent. */
export type OpenedKnowledge = {
  readonly session: KnowledgeSession;
  readonly collections: readonly KnowledgeCollection[];
};

/**
 * Returns the memory of a definition; undefined if it has none. Throws `invalid_definition` if the memory is not
 * available.
 */
export function memoryOf(
  { services }: Pick<RunScope, "services">,
  {
    label,
    path,
    memory,
    llm,
    embedder,
  }: Omit<SourcesOwner, keyof KnowledgeFields> & Pick<SourcesOwner, "embedder">,
): MemoryView | undefined {
  if (memory === undefined || memory === false) return undefined;
  if (memory !== true && "inRun" in memory) return memory;
  const create = services.memory?.create;
  if (create === undefined) throw storeMissing(label, "memory");
  const config = memory === true ? {} : memory;
  const person =
    config.scope === undefined ? undefined : memoryPerson(services, config.scope, label);
  return create({ path, llm, embedder, config, person });
}

/** Returns the id of the memory's owner. Throws `invalid_definition` for an unknown kind, and `invalid_input` without an owner. */
function memoryPerson(
  { person }: RunScope["services"],
  scope: MemoryOwnerKind,
  label: string,
): string {
  if (scope !== "person")
    throw new EngineError(
      "invalid_definition",
      `${label}: memory.scope must be "person", got ${preview(scope)}`,
    );
  if (person !== undefined) return person;
  throw new EngineError(
    "invalid_input",
    `${label} has the memory of a person, and this run has none: pass person with its start, or person in the services of a run in this process`,
  );
}

/**
 * Returns the knowledge of a definition; undefined if it has none. Throws `invalid_definition` if the knowledge is not
 * available.
 */
export function knowledgeOf(scope: RunScope, owner: SourcesOwner): OpenedKnowledge | undefined {
  const { label, path, knowledge, knowledgeSources } = owner;
  if (knowledge === undefined && knowledgeSources === undefined) return undefined;
  const service: KnowledgeService | undefined = scope.services.knowledge;
  const session =
    typeof knowledge === "object" && "openSession" in knowledge
      ? knowledge.openSession(scope)
      : service?.openSession?.(scope);
  if (session === undefined)
    throw storeMissing(label, knowledgeSources ? "knowledgeSources" : "knowledge by name");
  return { session, collections: session.open({ ...owner, collection: path.join("/") }) };
}

function storeMissing(label: string, what: string): EngineError {
  const [name, own] =
    what === "memory" ? ["memory", "Memory()"] : ["knowledge", "Knowledge({ sources })"];
  return new EngineError(
    "invalid_definition",
    `${label} has ${what}, but this run has no store for it: set ${name} to new ${own}, or pass ${name}Service() as services.${name} of the run, both of edgecrew/${name}`,
  );
}

/** Returns an agent as the owner of its sources. */
export function ownerOf(agent: AgentDescription, crew: SourcesOwner | undefined): SourcesOwner {
  const { role, llm, memory, knowledge, knowledgeSources, embedder = crew?.embedder } = agent;
  return {
    label: `agent "${role}"`,
    path: [...(crew?.path ?? []), "agent", role],
    llm,
    memory,
    knowledge,
    knowledgeSources,
    embedder,
  };
}

/** Returns the knowledge of an owner as a group of collections with its limits. */
export function groupOf(
  own: OpenedKnowledge | undefined,
  config: KnowledgeConfig | undefined,
  otherwise: Omit<KnowledgeGroup, "collections">,
): readonly KnowledgeGroup[] {
  if (own === undefined) return [];
  const { limit, usualThreshold } = config === undefined ? otherwise : AGENT_KNOWLEDGE;
  return [
    {
      collections: own.collections,
      limit: config?.resultsLimit ?? limit,
      scoreThreshold: config?.scoreThreshold,
      usualThreshold,
    },
  ];
}
