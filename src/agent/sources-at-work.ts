// Memory and knowledge together, in the work of agents. Nobody imports this but what memory and knowledge bring along.
//
//   AS1. A memory of the agent's own takes the place of the crew's. Knowledge adds up: the agent's, then the crew's.
//   AS2. All of it is found before the first piece of work: what cannot be had fails the run.
//   AS3. Roots and collections have the crew's name in them, and roles as they are written: nothing is shared by accident.
import type { RunScope } from "../events/run-scope.ts";
import type { MemoryView } from "../memory/memory-view.ts";
import {
  kitIn,
  notKept,
  type AgentSources,
  type SourcesKit,
  type SourcesOwner,
  type SourcesRequest,
} from "./agent-sources.ts";
import type { AgentWork } from "./agent-work.ts";
import type { Agent } from "./agent.ts";
import type {
  KnowledgeConfig,
  KnowledgeKit,
  KnowledgeShelf,
  KnowledgeShelves,
} from "./knowledge-kit.ts";
import type { AgentMemory, AnswerReport } from "./memory-kit.ts";
import { memoryGiven, memoryKitOf } from "./memory-given.ts";
import type { ModelCaller } from "../model-calls/model-call.ts";

/** Of pieces of knowledge, where nobody says. */
const AGENT_KNOWLEDGE = { limit: 5, scoreThreshold: 0.6 };
const CREW_KNOWLEDGE = { limit: 3, scoreThreshold: 0.35 };

type OwnKnowledge = { readonly kit: KnowledgeKit; readonly shelves: readonly KnowledgeShelf[] };

/** What one agent knows. */
type Known = {
  readonly memory: AgentMemory | undefined;
  readonly kit: KnowledgeKit | undefined;
  /** The agent's own, then those of its crew. */
  readonly knowledge: readonly KnowledgeShelves[];
  readonly rewrite: boolean;
};

export const sourcesAtWork: SourcesKit = {
  open: (scope, request) => new SourcesAtWork(scope, request),
  reset: async (scope, request, what) => {
    const { crew, agents } = request;
    if (what === "memory") {
      const view = crew && memoryOf(scope, crew);
      if (view === undefined) return false;
      await memoryKitOf(view).reset(view.inRun({ scope: scope.at("reset-memory") }));
      return true;
    }
    const ofAgents = agents.map((agent) => agentOwner(request, agent));
    const owners = what === "knowledge" && crew ? [crew, ...ofAgents] : ofAgents;
    const shelves = owners.flatMap((owner) => knowledgeOf(scope, owner, crew)?.shelves ?? []);
    await scope.at("reset-knowledge").step<null>({
      kind: "effect",
      run: async () => {
        for (const shelf of shelves) await shelf.reset();
        return null;
      },
    });
    return shelves.length > 0;
  },
};

class SourcesAtWork implements AgentSources {
  readonly #scope: RunScope;
  readonly #limit: number;
  readonly #memories = new Map<MemoryView, AgentMemory>();
  readonly #known = new Map<Agent, Known>();
  /** Each once. */
  readonly #shelves: KnowledgeShelf[] = [];

  constructor(scope: RunScope, request: SourcesRequest) {
    this.#scope = scope;
    this.#limit = request.limit;
    const { crew, agents } = request;
    const shared = {
      memory: this.#memory(crew),
      knowledge: crew === undefined ? undefined : this.#knowledge(crew, undefined),
      config: crew?.given.knowledgeConfig,
    };
    for (const agent of agents) {
      const owner = agentOwner(request, agent);
      const own = this.#knowledge(owner, crew);
      const { knowledgeConfig: config } = agent;
      this.#known.set(agent, {
        memory: this.#memory(owner) ?? shared.memory,
        kit: own?.kit ?? shared.knowledge?.kit,
        rewrite: (config ?? shared.config)?.rewrite ?? true,
        knowledge: [
          ...shelvesWith(own, config, AGENT_KNOWLEDGE),
          ...shelvesWith(shared.knowledge, config ?? shared.config, CREW_KNOWLEDGE),
        ],
      });
    }
  }

  async index(): Promise<void> {
    if (this.#shelves.length === 0) return;
    await this.#scope.at("knowledge-index").group("group", async (inside) => {
      for (const shelf of this.#shelves) await shelf.index(inside);
      return null;
    });
  }

  async informed(place: RunScope, work: AgentWork, query: string): Promise<AgentWork> {
    const known = this.#known.get(work.agent);
    if (known === undefined) return work;
    const { memory, kit, knowledge, rewrite } = known;
    const { prompts, taskName, identity } = work;
    let { prompt, tools } = work;
    if (memory !== undefined) {
      const names = new Set(tools.map(({ safeName }) => safeName));
      const added = memory.tools(work, identity.role);
      tools = [...tools, ...added.filter(({ safeName }) => !names.has(safeName))];
      const question = { query, limit: this.#limit, caller: work, prompts, taskName };
      const block = await memory.recall(place.at("memory"), question);
      if (block !== "") prompt += `\n\n${block}`;
    }
    if (kit !== undefined) {
      const question = { caller: work, prompts, prompt, rewrite };
      const blocks = await kit.search(place.at("knowledge"), question, knowledge);
      prompt = [prompt, ...blocks].join("\n\n");
    }
    return { ...work, prompt, tools };
  }

  save(
    place: RunScope,
    caller: ModelCaller & { readonly agent: Agent },
    report: AnswerReport,
  ): void {
    this.#known.get(caller.agent)?.memory?.save(place, caller, report);
  }

  async drain(): Promise<void> {
    for (const memory of this.#memories.values()) await memory.drain();
  }

  /** The same for every agent that shares it. */
  #memory(owner: SourcesOwner | undefined): AgentMemory | undefined {
    const view = owner && memoryOf(this.#scope, owner);
    if (view === undefined) return undefined;
    let memory = this.#memories.get(view);
    if (memory === undefined) this.#memories.set(view, (memory = memoryKitOf(view).open(view)));
    return memory;
  }

  #knowledge(owner: SourcesOwner, crew: SourcesOwner | undefined): OwnKnowledge | undefined {
    const found = knowledgeOf(this.#scope, owner, crew);
    const known = new Set(this.#shelves.map(({ key }) => key));
    this.#shelves.push(...(found?.shelves ?? []).filter(({ key }) => !known.has(key)));
    return found;
  }
}

function agentOwner({ crew }: SourcesRequest, agent: Agent): SourcesOwner {
  const { role, llm, memory, knowledge, knowledgeSources } = agent;
  const embedder = agent.embedder ?? crew?.given.embedder;
  return {
    label: `agent "${role}"`,
    place: [...(crew?.place ?? []), "agent", role],
    given: { memory, knowledge, knowledgeSources, embedder },
    llm,
  };
}

function memoryOf(scope: RunScope, { given, ...owner }: SourcesOwner): MemoryView | undefined {
  const about = { label: owner.label, path: owner.place, llm: owner.llm, embedder: given.embedder };
  return memoryGiven(scope, given.memory, about);
}

function knowledgeOf(
  scope: RunScope,
  { label, place, given }: SourcesOwner,
  crew: SourcesOwner | undefined,
): OwnKnowledge | undefined {
  const { knowledge, knowledgeSources } = given;
  if (knowledge === undefined && knowledgeSources === undefined) return undefined;
  const kit = (kitIn(knowledge) ?? scope.services.knowledge?.kit) as KnowledgeKit | undefined;
  if (kit === undefined)
    throw notKept(label, knowledgeSources ? "knowledgeSources" : "knowledge by name");
  const embedder = crew?.given.embedder;
  const owner = { label, collection: place.join("/"), given, embedder };
  return { kit, shelves: kit.open(scope, owner) };
}

function shelvesWith(
  own: OwnKnowledge | undefined,
  config: KnowledgeConfig | undefined,
  otherwise: Omit<KnowledgeShelves, "shelves">,
): readonly KnowledgeShelves[] {
  if (own === undefined) return [];
  const { limit, scoreThreshold } = config === undefined ? otherwise : AGENT_KNOWLEDGE;
  return [
    {
      shelves: own.shelves,
      limit: config?.resultsLimit ?? limit,
      scoreThreshold: config?.scoreThreshold ?? scoreThreshold,
    },
  ];
}
