// What the agents of a crew know: their own memory and knowledge, and those of the crew.
//
//   CS1. A memory of the agent's own takes the place of the crew's. Knowledge adds up: the agent's, then the crew's.
//   CS2. All of it is found before the first task starts, and documents are indexed by then: what cannot be had fails the run.
//   CS3. What a task taught is saved at the crew's place, not the task's: a finished task replays as one row, and what is still being
//        saved goes on. The crew ends when all is saved.
//   CS4. Collections and roots have the crew's name in them, and roles as they are written: nothing is shared by accident.
//   CS5. Crews that are trained or tested remember, and learn nothing.
import type { Agent } from "../agent/agent.ts";
import {
  hasSources,
  informedPrompt,
  knowledgeKitOf,
  memoryGiven,
  memoryKitOf,
  shelvesWith,
  withMemoryTools,
  type AgentSources,
} from "../agent/agent-sources.ts";
import type { AgentWork } from "../agent/agent-work.ts";
import type { KnowledgeKit, KnowledgeOwner, KnowledgeShelf } from "../agent/knowledge-kit.ts";
import type { AgentMemory } from "../agent/memory-kit.ts";
import type { ModelCaller } from "../agent/model-call.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { MemoryView } from "../memory/memory-view.ts";
import type { PreparedTask } from "./perform-task.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import type { TaskRecord } from "./task-output.ts";

/** Matches that are told before a task. */
const TASK_RECALL_LIMIT = 5;
/** Of the crew's knowledge, where nobody says. */
const CREW_KNOWLEDGE = { limit: 3, scoreThreshold: 0.35 };

type OwnKnowledge = { readonly kit: KnowledgeKit; readonly shelves: readonly KnowledgeShelf[] };

export class CrewSources {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #memories = new Map<MemoryView, AgentMemory>();
  readonly #ofAgents = new Map<Agent, AgentSources>();
  /** In the order of their owners: those of agents, then those of the crew. */
  readonly #shelves: KnowledgeShelf[] = [];

  private constructor(scope: RunScope, crew: RunnableCrew) {
    this.#scope = scope;
    this.#crew = crew;
    const shared = {
      memory: this.#memory(crewMemory(scope, crew)),
      knowledge: this.#knowledge(crewKnowledge(crew)),
    };
    for (const agent of agentsOf(crew)) this.#ofAgents.set(agent, this.#of(agent, shared));
  }

  /** Undefined for a crew that nobody in has memory or knowledge. Throws `invalid_definition` for what cannot be had (CS2). */
  static of(scope: RunScope, crew: RunnableCrew): CrewSources | undefined {
    const isUsed = hasSources(crew.options) || agentsOf(crew).some(hasSources);
    return isUsed ? new CrewSources(scope, crew) : undefined;
  }

  /** Makes all documents findable. */
  async index(): Promise<void> {
    if (this.#shelves.length === 0) return;
    await this.#scope.at("knowledge").group("group", async (inside) => {
      for (const shelf of this.#shelves) await shelf.index(inside);
      return null;
    });
  }

  tools(tools: AgentWork["tools"], work: AgentWork): AgentWork["tools"] {
    const sources = this.#ofAgents.get(work.agent);
    return sources === undefined ? tools : withMemoryTools(tools, sources, work);
  }

  /** The prompt of a piece of work, with what its agent knows on it. */
  async prompt(place: RunScope, work: AgentWork, query: string): Promise<string> {
    const sources = this.#ofAgents.get(work.agent);
    return sources === undefined
      ? work.prompt
      : informedPrompt(place, work, { sources, query, limit: TASK_RECALL_LIMIT });
  }

  /** Saves what a task taught, beside the run (CS3). */
  save(prepared: PreparedTask, output: TaskRecord, caller: ModelCaller): void {
    const memory = this.#ofAgents.get(prepared.agent)?.memory;
    if (memory === undefined || output.skipped === true || this.#crew.exercise !== undefined)
      return;
    const place = this.#scope.at(`remember:${prepared.key.replace(/^task:/, "")}`);
    const { description, expectedOutput, identity } = prepared;
    const report = { description, expectedOutput, role: identity.role, output: output.raw };
    memory.save(place, caller, report);
  }

  async drain(): Promise<void> {
    for (const memory of this.#memories.values()) await memory.drain();
  }

  #of(
    agent: Agent,
    shared: {
      readonly memory: AgentMemory | undefined;
      readonly knowledge: OwnKnowledge | undefined;
    },
  ): AgentSources {
    const own = this.#memory(agentMemory(this.#scope, this.#crew, agent));
    const knowledge = this.#knowledge(agentKnowledge(this.#crew, agent));
    const { knowledgeConfig: config } = agent;
    const { knowledgeConfig: crewConfig } = this.#crew.options;
    return {
      memory: own ?? shared.memory,
      kit: knowledge?.kit ?? shared.knowledge?.kit,
      rewrite: (config ?? crewConfig)?.rewrite ?? true,
      knowledge: [
        ...(knowledge === undefined ? [] : [shelvesWith(knowledge.shelves, config)]),
        ...(shared.knowledge === undefined
          ? []
          : [shelvesWith(shared.knowledge.shelves, config ?? crewConfig, CREW_KNOWLEDGE)]),
      ],
    };
  }

  /** The same for every agent that shares it. */
  #memory(view: MemoryView | undefined): AgentMemory | undefined {
    if (view === undefined) return undefined;
    let memory = this.#memories.get(view);
    if (memory === undefined) this.#memories.set(view, (memory = memoryKitOf(view).open(view)));
    return memory;
  }

  #knowledge(owner: KnowledgeOwner): OwnKnowledge | undefined {
    const kit = knowledgeKitOf(this.#scope, owner);
    if (kit === undefined) return undefined;
    const shelves = kit.open(this.#scope, owner);
    const known = new Set(this.#shelves.map(({ key }) => key));
    this.#shelves.push(...shelves.filter(({ key }) => !known.has(key)));
    return { kit, shelves };
  }
}

/** What a crew calls its own: by its name, or by that which it is found under. */
function nameOf({ options, foundAs, name }: RunnableCrew): string {
  return options.name ?? foundAs ?? name;
}

export function agentsOf({ agents, manager }: RunnableCrew): readonly Agent[] {
  return manager === undefined ? agents : [...agents, manager];
}

export function crewMemory(
  scope: Pick<RunScope, "services">,
  crew: RunnableCrew,
): MemoryView | undefined {
  const { memory, chatLlm, embedder } = crew.options;
  return memoryGiven(scope, memory, {
    label: `crew "${crew.name}"`,
    path: ["crew", nameOf(crew)],
    llm: chatLlm ?? crew.agents[0]?.llm,
    embedder,
  });
}

function agentMemory(
  scope: RunScope,
  crew: RunnableCrew,
  { memory, role, llm, embedder }: Agent,
): MemoryView | undefined {
  return memoryGiven(scope, memory, {
    label: `agent "${role}"`,
    path: ["crew", nameOf(crew), "agent", role],
    llm,
    embedder: embedder ?? crew.options.embedder,
  });
}

export function crewKnowledge(crew: RunnableCrew): KnowledgeOwner {
  const collection = `crew/${nameOf(crew)}`;
  return { label: `crew "${crew.name}"`, collection, given: crew.options };
}

export function agentKnowledge(crew: RunnableCrew, agent: Agent): KnowledgeOwner {
  return {
    label: `agent "${agent.role}"`,
    collection: `crew/${nameOf(crew)}/agent/${agent.role}`,
    given: agent,
    embedder: crew.options.embedder,
  };
}
