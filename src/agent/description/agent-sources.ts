// Memory and knowledge of agents. The code for both comes with the values in definitions or with the deployment's
// services. This file imports only their types, so a Worker without memory and knowledge carries no code for them.
//
//   AS1. An agent's own memory replaces the crew's. Knowledge adds up: the agent's, then the crew's.
//   AS2. All sources are opened before the first piece of work. If one is not available, the run fails.
//   AS3. Roots and collections contain the crew's name, and roles as written, so agents share no data by accident.
import { EngineError } from "../../base/error.ts";
import type { CodeService } from "../../code/code-service.ts";
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
import { preview } from "../../base/json.ts";
import type { MemoryOption, MemoryOwnerKind } from "../../memory/memory-service.ts";
import type { AnswerReport, MemorySession, MemoryView } from "../../memory/memory-view.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ModelCaller } from "../../model-calls/model-caller.ts";
import { addImageTool } from "../../tools/builtin/add-image.ts";
import { callerTools } from "../../tools/caller-tools.ts";
import type { ToolSource } from "../../tools/tool-source.ts";
import type { Tool } from "../../tools/tool.ts";
import {
  askedAgents,
  isRemoteAgentValue,
  type AgentOffer,
  type AgentSource,
  type RemoteAgentEntry,
} from "./agent-offer.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import type { AgentDescription } from "./agent-description.ts";
import {
  ServerTools,
  usesServers,
  withServerTools,
  type ServersRequest,
  type TaskServers,
} from "./server-tools.ts";
import type { McpEntry } from "./mcp-entry.ts";
import { fill } from "../prompts/prompts.ts";

/** Fields of definitions for memory and knowledge. */
export type SourceFields = KnowledgeFields & { readonly memory?: MemoryOption | undefined };

/** Agent with the agents elsewhere that it asks. */
export type SourcedAgent = AgentDescription & {
  /** Agents elsewhere, and how this agent is offered to others. */
  readonly a2a: readonly RemoteAgentEntry[];
};

/** Owner of memory and knowledge. */
export type SourcesOwner = SourceFields & {
  /** Its name in error messages. */
  readonly label: string;
  /** Root of a memory made for the owner, and name of its collection: `["crew", "briefing"]`. */
  readonly path: readonly string[];
  /** Model of a memory made for the owner. */
  readonly llm?: ModelSpec | undefined;
};

export type SourcesRequest = {
  /** The crew; absent for agents outside crews. */
  readonly crew?: SourcesOwner & Pick<ServersRequest, "mcps" | "manager">;
  readonly agents: readonly SourcedAgent[];
  /** Tasks with their own servers. @default [] */
  readonly tasks?: readonly TaskServers[];
  /** Maximum number of memories in a prompt. */
  readonly limit: number;
};

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Runs code written by models. If absent, such code cannot run. */
    readonly code?: CodeService;
    /** Connects agents to the MCP servers in their `mcps`. */
    readonly mcp?: {
      readonly source: (server: Exclude<McpEntry, ToolSource>) => ToolSource;
      /** Throws `invalid_definition` for a server this deployment cannot connect agents to. */
      readonly check?: (server: Exclude<McpEntry, ToolSource>) => void;
    };
  }
}

const NO_A2A =
  "its a2a is not connected: add a2aClient() of edgecrew/a2a to the app's parts, or give it values of remoteAgent()";
const NO_CODE =
  "its allowCodeExecution has no effect: pass codeRunners() of edgecrew/code to defineApp({ code }), or codeService() as services.code of the run";
/** Tool for agents with vision. Created on first use, because its schema takes a part of a Worker's start. */
let imageTool: Tool | undefined;

/** Default numbers of passages in the prompt. */
const AGENT_KNOWLEDGE = { limit: 5, usualThreshold: 0.6 };
const CREW_KNOWLEDGE = { limit: 3, usualThreshold: 0.35 };

/** The knowledge of one crew or agent. */
type OpenedKnowledge = {
  readonly session: KnowledgeSession;
  readonly collections: readonly KnowledgeCollection[];
};

/** Opened sources of one agent. */
type OpenedSources = {
  readonly memory: MemorySession | undefined;
  readonly knowledge: KnowledgeSession | undefined;
  /** The agent's own, then its crew's. */
  readonly groups: readonly KnowledgeGroup[];
  readonly rewrite: boolean;
  /** Agents elsewhere. */
  remote: AgentOffer | undefined;
  /** Tools to run code. */
  code: readonly Tool[];
};

/** Undefined if neither the crew nor an agent has memory or knowledge. Throws `invalid_definition` if one is not available. */
export function openSources(scope: RunScope, request: SourcesRequest): AgentSources | undefined {
  return isUsed(request) || usesOthersTools(scope, request)
    ? new AgentSources(scope, request)
    : undefined;
}

/**
 * Deletes the crew's memory, all knowledge, or only the agents' knowledge. Returns false if the request has no such
 * source.
 */
export async function resetSources(
  scope: RunScope,
  request: SourcesRequest,
  what: "memory" | "knowledge" | "agent_knowledge",
): Promise<boolean> {
  if (!isUsed(request)) return false;
  const { crew, agents } = request;
  if (what === "memory") {
    const memory = crew && memoryOf(scope, crew);
    await memory?.inRun({ scope: scope.at("reset-memory") }).clear();
    return memory !== undefined;
  }
  const ofAgents = agents.map((agent) => ownerOf(agent, crew));
  const owners = what === "knowledge" && crew ? [crew, ...ofAgents] : ofAgents;
  const collections = owners.flatMap((owner) => knowledgeOf(scope, owner)?.collections ?? []);
  await scope.at("reset-knowledge").step<null>({
    kind: "effect",
    run: async () => {
      for (const collection of collections) await collection.reset();
      return null;
    },
  });
  return collections.length > 0;
}

/** Memory, knowledge and remote tools of some agents in one drive of a run. */
export class AgentSources {
  readonly #scope: RunScope;
  readonly #request: SourcesRequest;
  readonly #servers: ServerTools;
  readonly #memories = new Map<MemoryView, MemorySession>();
  readonly #known = new Map<AgentDescription, OpenedSources>();
  /** Each once. */
  readonly #collections = new Map<unknown, KnowledgeCollection>();

  constructor(scope: RunScope, request: SourcesRequest) {
    const { crew, agents } = request;
    this.#scope = scope;
    this.#request = request;
    this.#servers = new ServerTools(scope);
    const crewMemory = this.#memory(crew);
    const crewKnowledge = crew && this.#knowledge(crew);
    for (const agent of agents) {
      const owner = ownerOf(agent, crew);
      const own = this.#knowledge(owner);
      const { knowledgeConfig: config } = agent;
      const shared = config ?? crew?.knowledgeConfig;
      this.#known.set(agent, {
        memory: this.#memory(owner) ?? crewMemory,
        knowledge: (own ?? crewKnowledge)?.session,
        rewrite: shared?.rewrite ?? true,
        remote: undefined,
        code: [],
        groups: [
          ...groupOf(own, config, AGENT_KNOWLEDGE),
          ...groupOf(crewKnowledge, shared, CREW_KNOWLEDGE),
        ],
      });
    }
  }

  /** Indexes all changed documents and requests the remote tools. */
  async open(): Promise<void> {
    await Promise.all([this.openOffers(), this.#index()]);
  }

  /** Requests the remote tools. */
  async openOffers(): Promise<void> {
    const remote = Array.from(new Set(this.#request.agents), async (agent) => {
      const known = this.#known.get(agent);
      if (known === undefined) return;
      known.code = this.#codeTools(agent);
      const source = this.#remoteAgents(agent);
      if (source === undefined) return;
      const place = this.#scope.atNext(`a2a:${keySegment(agent.role)}`);
      known.remote = await source.open(place, { agentRole: agent.role });
    });
    await Promise.all([this.#servers.open(serversOf(this.#request)), ...remote]);
  }

  #codeTools({ role, allowCodeExecution }: AgentDescription): readonly Tool[] {
    if (!allowCodeExecution) return [];
    const tool = this.#scope.services.code?.tool();
    if (tool !== undefined) return [tool];
    this.#scope
      .atNext(`code:${keySegment(role)}`)
      .emit("agent_warning", { agentRole: role, message: NO_CODE });
    return [];
  }

  #remoteAgents({ role, a2a }: SourcedAgent): AgentSource | undefined {
    const asked = askedAgents(a2a);
    if (asked.length === 0) return undefined;
    const service = this.#scope.services.a2a;
    if (service !== undefined) return service.source(asked);
    const value = asked.find(isRemoteAgentValue);
    if (value !== undefined) return value.connect(asked);
    this.#scope
      .atNext(`a2a:${keySegment(role)}`)
      .emit("agent_warning", { agentRole: role, message: NO_A2A });
    return undefined;
  }

  async #index(): Promise<void> {
    if (this.#collections.size === 0) return;
    await this.#scope.at("knowledge-index").group("group", async (inside) => {
      for (const collection of this.#collections.values()) await collection.index(inside);
      return null;
    });
  }

  /** Adds memory and knowledge to the prompt and tools of a piece of work. `task` is the task of the work. */
  async informed(
    place: RunScope,
    work: AgentWork,
    { query, task }: { readonly query: string; readonly task?: object | undefined },
  ): Promise<AgentWork> {
    const known = this.#known.get(work.agent);
    if (known === undefined) return work;
    const { memory, knowledge, groups, rewrite } = known;
    const remote = known.remote?.forWork(work);
    const { taskName, identity } = work;
    const { slices } = work.prompts;
    const blocks = [work.prompt];
    let tools = withServerTools(work.tools, this.#servers.of(work.agent, task));
    const images = work.agent.multimodal ? [(imageTool ??= addImageTool())] : [];
    for (const others of [
      known.code,
      images,
      callerTools(this.#scope.services),
      remote?.tools ?? [],
    ])
      tools = withOthers(tools, others);
    let own: Pick<AgentWork, "toolMemory"> = {};
    if (memory !== undefined) {
      tools = withOthers(tools, memory.tools(work, identity.role));
      own = { toolMemory: memory.toolMemory(work, identity.role) };
      const question = { query, limit: this.#request.limit, caller: work, taskName };
      const found = await memory.recall(place.at("memory"), question);
      if (found !== "") blocks.push(fill(slices.memory, { memory: found }));
    }
    if (knowledge !== undefined) {
      const { knowledgeSearchQuerySystemPrompt: system, knowledgeSearchQuery: user } = slices;
      const question = {
        caller: work,
        prompt: blocks.join("\n\n"),
        rewrite: rewrite ? { system, user } : undefined,
      };
      for (const found of await knowledge.search(place.at("knowledge"), question, groups))
        blocks.push(fill(slices.knowledge, { knowledge: found }));
    }
    if (remote?.notice !== undefined) blocks.push(remote.notice);
    const around = remote?.around === undefined ? undefined : { around: remote.around };
    return changedWork(work, { prompt: blocks.join("\n\n"), tools, ...own, ...around });
  }

  /** Saves memories of an answer beside the run. `place` lies where replay passes again until `drain`. */
  save(
    place: RunScope,
    caller: ModelCaller & { readonly agent: AgentDescription },
    report: AnswerReport,
  ): void {
    this.#known.get(caller.agent)?.memory?.save(place, caller, report);
  }

  /** Waits for pending saves. */
  async drain(): Promise<void> {
    for (const memory of this.#memories.values()) await memory.drain();
  }

  /** Returns one session for all agents with the same memory. */
  #memory(owner: SourcesOwner | undefined): MemorySession | undefined {
    const view = owner && memoryOf(this.#scope, owner);
    if (view === undefined) return undefined;
    let session = this.#memories.get(view);
    if (session === undefined) this.#memories.set(view, (session = view.openSession()));
    return session;
  }

  #knowledge(owner: SourcesOwner): OpenedKnowledge | undefined {
    const own = knowledgeOf(this.#scope, owner);
    for (const collection of own?.collections ?? [])
      if (!this.#collections.has(collection.key)) this.#collections.set(collection.key, collection);
    return own;
  }
}

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

function ownerOf(agent: AgentDescription, crew: SourcesOwner | undefined): SourcesOwner {
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

/** Adds the other tools whose names are still free. */
function withOthers(tools: readonly Tool[], others: readonly Tool[]): readonly Tool[] {
  if (others.length === 0) return tools;
  const names = new Set(tools.map(({ safeName }) => safeName));
  return [...tools, ...others.filter(({ safeName }) => !names.has(safeName))];
}

function groupOf(
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

function usesOthersTools({ services }: RunScope, request: SourcesRequest): boolean {
  return (
    callerTools(services).length > 0 ||
    usesServers(serversOf(request)) ||
    request.agents.some(
      ({ a2a, allowCodeExecution, multimodal }) =>
        allowCodeExecution || multimodal || askedAgents(a2a).length > 0,
    )
  );
}

function serversOf({ crew, agents, tasks = [] }: SourcesRequest): ServersRequest {
  return { agents, mcps: crew?.mcps ?? [], manager: crew?.manager, tasks };
}

function isUsed({ crew, agents }: SourcesRequest): boolean {
  return [...(crew === undefined ? [] : [crew]), ...agents].some(
    ({ memory, knowledge, knowledgeSources }) =>
      (memory ?? false) !== false || knowledge !== undefined || knowledgeSources !== undefined,
  );
}
