// What agents know beside their task: memory and knowledge. Both come along with the values that a definition holds, or with the
// deployment's services; whoever uses neither carries nothing of them.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { MemoryService } from "../memory/memory-service.ts";
import type { MemoryView } from "../memory/memory-view.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentWork } from "./agent-work.ts";
import type {
  KnowledgeConfig,
  KnowledgeGiven,
  KnowledgeKit,
  KnowledgeOwner,
  KnowledgeShelves,
} from "./knowledge-kit.ts";
import type { AgentMemory, MemoryGiven, MemoryKit } from "./memory-kit.ts";

/** What definitions say of memory and knowledge. */
export type SourcesGiven = KnowledgeGiven & { readonly memory?: MemoryGiven | undefined };

/** What one agent knows in one piece of work. */
export type AgentSources = {
  readonly memory?: AgentMemory | undefined;
  /** The agent's own, then those of its crew. */
  readonly knowledge: readonly KnowledgeShelves[];
  readonly kit?: KnowledgeKit | undefined;
  readonly rewrite: boolean;
};

/** Of pieces of knowledge, where nobody says. */
export const AGENT_KNOWLEDGE = { limit: 5, scoreThreshold: 0.6 };

/** Whether it says anything of memory or knowledge. */
export function hasSources({ memory, knowledge, knowledgeSources }: SourcesGiven): boolean {
  return (memory ?? false) !== false || knowledge !== undefined || knowledgeSources !== undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Refuses what can be neither memory nor knowledge. Throws `invalid_definition`. */
export function checkSources(given: SourcesGiven, owner: string): SourcesGiven {
  const { memory, knowledge, knowledgeSources, knowledgeConfig = {}, embedder } = given;
  const wrong = (field: string, expected: string, value: unknown): EngineError =>
    new EngineError(
      "invalid_definition",
      `${owner}: ${field} must be ${expected}, got ${preview(value)}`,
    );
  if (memory !== undefined && typeof memory !== "boolean" && !isObject(memory))
    throw wrong("memory", "a boolean, a Memory, a part of one, or settings", memory);
  const names: unknown[] = [knowledge].flat();
  if (
    knowledge !== undefined &&
    !(isObject(knowledge) && "shelf" in knowledge) &&
    !(names.length > 0 && names.every((name) => typeof name === "string" && name.trim() !== ""))
  )
    throw wrong("knowledge", "a Knowledge, or names of collections", knowledge);
  if (
    knowledgeSources !== undefined &&
    !(Array.isArray(knowledgeSources) && knowledgeSources.every(isObject))
  )
    throw wrong("knowledgeSources", "a list of sources", knowledgeSources);
  const { resultsLimit = 5, scoreThreshold = 0.6 } = knowledgeConfig;
  if (!Number.isInteger(resultsLimit) || resultsLimit < 1 || resultsLimit > 50)
    throw wrong("knowledgeConfig.resultsLimit", "an integer from 1 to 50", resultsLimit);
  if (!(scoreThreshold >= 0 && scoreThreshold <= 1))
    throw wrong("knowledgeConfig.scoreThreshold", "a number from 0 to 1", scoreThreshold);
  const isSpec =
    typeof embedder === "string" || typeof embedder === "function" || isObject(embedder);
  if (embedder !== undefined && !isSpec)
    throw wrong("embedder", "a name, an Embedder or settings", embedder);
  return given;
}

export type MemoryOwner = {
  readonly label: string;
  /** The root of a memory that is made for it. */
  readonly path: readonly string[];
  readonly llm?: ModelSpec | undefined;
  readonly embedder?: EmbedderSpec | undefined;
};

/** The memory that a definition names; undefined for none. Throws `invalid_definition` where it cannot be had. */
export function memoryGiven(
  { services }: Pick<RunScope, "services">,
  given: MemoryGiven | undefined,
  owner: MemoryOwner,
): MemoryView | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && "inRun" in given) return given;
  const { create } = (services.memory ?? {}) as Partial<MemoryService>;
  if (create === undefined)
    throw new EngineError(
      "invalid_definition",
      `${owner.label} has memory, and none is kept where it runs: give it one of its own (memory: new Memory(), of edgecrew/memory), or the run memoryService() of edgecrew/memory as services.memory`,
    );
  const { path, llm, embedder } = owner;
  return create({ path, llm, embedder, settings: given === true ? {} : given });
}

/** What comes along with a memory. Throws `invalid_definition` for one that nothing comes with. */
export function memoryKitOf({ kit }: MemoryView): MemoryKit {
  if (kit !== undefined) return kit as MemoryKit;
  throw new EngineError(
    "invalid_definition",
    "memory must be a Memory of edgecrew/memory, or a part of one",
  );
}

/** What comes along with knowledge; undefined for an owner that has none. Throws `invalid_definition` where it cannot be had. */
export function knowledgeKitOf(
  { services }: Pick<RunScope, "services">,
  { given, label }: KnowledgeOwner,
): KnowledgeKit | undefined {
  const { knowledge, knowledgeSources } = given;
  if (knowledge === undefined && knowledgeSources === undefined) return undefined;
  if (typeof knowledge === "object" && "kit" in knowledge) return knowledge.kit;
  const kit = services.knowledge?.kit;
  if (kit !== undefined) return kit as KnowledgeKit;
  throw new EngineError(
    "invalid_definition",
    `${label} has ${knowledge === undefined ? "knowledgeSources" : "knowledge by name"}, and no knowledge is kept where it runs: give it a Knowledge of its own (of edgecrew/knowledge), or the run knowledgeService() of edgecrew/knowledge as services.knowledge`,
  );
}

/** How much is told of knowledge: as `config` says, or else by default. */
export function shelvesWith(
  shelves: KnowledgeShelves["shelves"],
  config: KnowledgeConfig | undefined,
  otherwise = AGENT_KNOWLEDGE,
): KnowledgeShelves {
  const { limit, scoreThreshold } = config === undefined ? otherwise : AGENT_KNOWLEDGE;
  return {
    shelves,
    limit: config?.resultsLimit ?? limit,
    scoreThreshold: config?.scoreThreshold ?? scoreThreshold,
  };
}

/** The tools, and those of the memory that no tool of the agent's own is named like. */
export function withMemoryTools(
  tools: readonly Tool[],
  { memory }: AgentSources,
  work: Pick<AgentWork, "identity"> & Parameters<AgentMemory["tools"]>[0],
): readonly Tool[] {
  if (memory === undefined) return tools;
  const names = new Set(tools.map(({ safeName }) => safeName));
  const added = memory.tools(work, work.identity.role);
  return [...tools, ...added.filter(({ safeName }) => !names.has(safeName))];
}

/** The prompt with what memory and knowledge say on it. */
export async function informedPrompt(
  place: RunScope,
  work: AgentWork,
  about: { readonly sources: AgentSources; readonly query: string; readonly limit: number },
): Promise<string> {
  const { memory, knowledge, kit, rewrite } = about.sources;
  const { prompts, taskName } = work;
  let { prompt } = work;
  if (memory !== undefined) {
    const { query, limit } = about;
    const question = { query, limit, caller: work, prompts, taskName };
    const block = await memory.recall(place.at("memory"), question);
    if (block !== "") prompt += `\n\n${block}`;
  }
  if (kit === undefined) return prompt;
  const question = { caller: work, prompts, prompt, rewrite };
  const blocks = await kit.search(place.at("knowledge"), question, knowledge);
  return [prompt, ...blocks].join("\n\n");
}
