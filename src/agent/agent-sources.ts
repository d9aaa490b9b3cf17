// What agents know beside their task: memory and knowledge. The code for both comes along with the values that a definition holds, or
// with the deployment's services (`kit`); whoever uses neither carries nothing of it.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { AgentWork } from "./agent-work.ts";
import type { Agent } from "./agent.ts";
import type { KnowledgeGiven } from "./knowledge-kit.ts";
import type { AnswerReport, MemoryGiven } from "./memory-kit.ts";
import type { ModelCaller } from "../model-calls/model-call.ts";

/** What definitions say of memory and knowledge. */
export type SourcesGiven = KnowledgeGiven & { readonly memory?: MemoryGiven | undefined };

/** Whose memory and knowledge it is. */
export type SourcesOwner = {
  /** What messages call it. */
  readonly label: string;
  /** Root of a memory that is made for it, and name of its collection: `["crew", "briefing"]`. */
  readonly place: readonly string[];
  readonly given: SourcesGiven;
  /** Of a memory that is made for it. */
  readonly llm?: ModelSpec | undefined;
};

export type SourcesRequest = {
  /** The crew; absent for agents that work alone. */
  readonly crew?: SourcesOwner;
  readonly agents: readonly Agent[];
  /** Matches that are told before a piece of work. */
  readonly limit: number;
};

/** What some agents know in one drive of a run. */
export interface AgentSources {
  /** Makes all documents findable. */
  index(): Promise<void>;
  /** A piece of work with what its agent knows on it: in its prompt, and by tools. */
  informed(place: RunScope, work: AgentWork, query: string): Promise<AgentWork>;
  /** Saves what an answer taught, beside the run: `place` lies where replay passes again until `drain`. */
  save(
    place: RunScope,
    caller: ModelCaller & { readonly agent: Agent },
    report: AnswerReport,
  ): void;
  /** Waits for what is being saved. */
  drain(): Promise<void>;
}

/** The part of a kit that memory and knowledge have in common. */
export type SourcesKit = {
  /** Throws `invalid_definition` for what cannot be had. */
  open(scope: RunScope, request: SourcesRequest): AgentSources;
  /** Forgets; false when there is nothing of that. */
  reset(
    scope: RunScope,
    request: SourcesRequest,
    what: "memory" | "knowledge" | "agent_knowledge",
  ): Promise<boolean>;
};

/** Whether it says anything of memory or knowledge. */
export function hasSources({ memory, knowledge, knowledgeSources }: SourcesGiven): boolean {
  return (memory ?? false) !== false || knowledge !== undefined || knowledgeSources !== undefined;
}

/** What comes along with memory or knowledge; undefined where nobody has any. Throws `invalid_definition` where it cannot be had. */
export function sourcesKit(
  { services }: Pick<RunScope, "services">,
  { crew, agents }: Pick<SourcesRequest, "crew" | "agents">,
): SourcesKit | undefined {
  for (const given of [crew?.given ?? {}, ...agents].filter(hasSources)) {
    const { memory, knowledge, knowledgeSources } = given;
    const isMemory = (memory ?? false) !== false;
    const installed = isMemory ? services.memory : services.knowledge;
    const kit = kitIn(isMemory ? memory : knowledge) ?? installed?.kit;
    if (kit !== undefined) return (kit as { readonly sources: SourcesKit }).sources;
    const label = "role" in given ? `agent "${String(given.role)}"` : (crew?.label ?? "");
    throw notKept(
      label,
      isMemory ? "memory" : knowledgeSources ? "knowledgeSources" : "knowledge by name",
    );
  }
  return undefined;
}

/** What a value brings along. */
export function kitIn(given: unknown): object | undefined {
  return isObject(given) && "kit" in given && isObject(given.kit) ? given.kit : undefined;
}

export function notKept(label: string, what: string): EngineError {
  const [name, own] =
    what === "memory" ? ["memory", "Memory()"] : ["knowledge", "Knowledge({ sources })"];
  return new EngineError(
    "invalid_definition",
    `${label} has ${what}, and none is kept where it runs: give it ${name}: new ${own}, or the run ${name}Service() as services.${name}, both of edgecrew/${name}`,
  );
}

/** Refuses what can be neither memory nor knowledge. Throws `invalid_definition`. */
export function checkSources(given: SourcesGiven, owner: string): SourcesGiven {
  const { memory, knowledge, knowledgeSources, knowledgeConfig = {}, embedder } = given;
  const { resultsLimit = 5, scoreThreshold = 0.6 } = knowledgeConfig;
  const names: unknown[] = [knowledge].flat();
  const faults: ReadonlyArray<readonly [string, unknown, boolean, string]> = [
    [
      "memory",
      memory,
      typeof memory === "boolean" || isObject(memory),
      "a boolean, a Memory, a part of one, or settings",
    ],
    [
      "knowledge",
      knowledge,
      kitIn(knowledge) !== undefined ||
        (names.length > 0 && names.every((name) => typeof name === "string" && name !== "")),
      "a Knowledge, or names of collections",
    ],
    [
      "knowledgeSources",
      knowledgeSources,
      Array.isArray(knowledgeSources) && knowledgeSources.every(isObject),
      "a list of sources",
    ],
    [
      "knowledgeConfig.resultsLimit",
      resultsLimit,
      Number.isInteger(resultsLimit) && resultsLimit >= 1 && resultsLimit <= 50,
      "an integer from 1 to 50",
    ],
    [
      "knowledgeConfig.scoreThreshold",
      scoreThreshold,
      scoreThreshold >= 0 && scoreThreshold <= 1,
      "a number from 0 to 1",
    ],
    [
      "embedder",
      embedder,
      ["string", "function"].includes(typeof embedder) || isObject(embedder),
      "a name, an Embedder or settings",
    ],
  ];
  for (const [field, value, fits, expected] of faults)
    if (value !== undefined && !fits)
      throw new EngineError(
        "invalid_definition",
        `${owner}: ${field} must be ${expected}, got ${preview(value)}`,
      );
  return given;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
