// Prepares a crew before the first task of a run starts: fills in texts and finds models and files.
import { workerModel } from "../agent/worker-model.ts";
import type { AgentIdentity } from "../agent/agent-work.ts";
import type { Agent } from "../agent/description/agent.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { agentModel } from "../hooks/scripted-agents.ts";
import { requireNeeds } from "../tools/tool-needs.ts";
import type { Tool } from "../tools/tool.ts";
import { NO_FILES } from "../files/file-parts.ts";
import { partFiles, readInputFiles, type FileSources } from "../files/started-files.ts";
import { fileStoreFor } from "./crew-files.ts";
import { logPathOf } from "./crew-log.ts";
import { mayDelegate } from "./actions/crew-iteration.ts";
import { interpolate } from "../base/interpolate.ts";
import { checkFilePath } from "../files/file-path.ts";
import type { PreparedAgent } from "./prepared-agent.ts";
import { conversationIn, triggerFor } from "./run-context.ts";
import type { RunnableCrew } from "./runnable-crew.ts";
import type { PreparedTask } from "./tasks/prepared-task.ts";
import type { Task } from "./tasks/task.ts";

/** Prepares the tasks and agents of one run of a crew. Throws if the run lacks an input, a model or a file store. */
export class CrewPreparation {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #inputs: JsonObject;
  /** Files of the whole run: those of the crew, and those of the start, which take precedence over all. */
  readonly #files: { readonly crew: FileSources; readonly run: FileSources };
  readonly #conversation: string | undefined;
  readonly #prepared = new Map<Agent, PreparedAgent>();

  /** `runInputs` are the inputs of the run, files included. */
  constructor(scope: RunScope, crew: RunnableCrew, runInputs: JsonObject) {
    const { inputs, files } = partFiles(runInputs);
    this.#scope = scope;
    this.#crew = crew;
    this.#inputs = inputs;
    this.#conversation = conversationIn(inputs);
    const owner = `crew "${crew.name}"`;
    const own = readInputFiles(crew.options.inputFiles, { owner: owner });
    this.#files = { crew: this.#filled(own, owner), run: files };
    const { tasks, agents, manager } = crew;
    const used = manager === undefined ? tasks.flatMap(toolsOf) : tasks.flatMap(ownToolsOf);
    const asked = agents.some((agent) => mayDelegate(agent, crew.iteration)) || manager;
    const delegated = asked ? agents.flatMap((agent) => agent.tools) : [];
    requireNeeds([...used, ...delegated], scope.services);
  }

  task(task: Task, index: number): PreparedTask {
    const { manager, taskKeys } = this.#crew;
    const { label } = task;
    const agent = manager ?? task.agent;
    if (agent === undefined)
      throw new EngineError("invalid_definition", `task "${label}" has no agent`);
    const inputs = this.#inputs;
    const firstOfSequential = index === 0 && manager === undefined;
    const tools = manager === undefined ? task.effectiveTools : (task.tools ?? []);
    return {
      ...this.agent(agent),
      task,
      key: taskKeys[index] ?? `task:${index}`,
      description: this.#fill(task.description, `the description of task "${label}"`),
      expectedOutput: this.#fill(task.expectedOutput, `the expectedOutput of task "${label}"`),
      outputFile: this.#outputFile(task),
      tools,
      coworkers: this.#coworkersFor(task, agent),
      extras: {
        conversation: this.#conversation,
        trigger: triggerFor(inputs, { wanted: task.allowCrewaiTriggerContext, firstOfSequential }),
        files: NO_FILES,
      },
      fileSources: this.#filesOf(task),
    };
  }

  /** The coworkers for a task: a manager delegates to the task's own agent or to all agents, another agent to the others if it may. */
  #coworkersFor(task: Task, agent: Agent): readonly PreparedAgent[] {
    const { manager, agents } = this.#crew;
    const own = task.agent === manager ? undefined : task.agent;
    if (manager !== undefined)
      return (own === undefined ? agents : [own]).map((each) => this.agent(each));
    if (!mayDelegate(agent, this.#crew.iteration)) return [];
    return agents.filter((each) => each !== agent).map((each) => this.agent(each));
  }

  /** Returns all agents that can receive delegated work; empty for a crew without delegation. */
  agentsToAsk(): readonly PreparedAgent[] {
    const { manager, agents, iteration } = this.#crew;
    const delegates =
      manager !== undefined || agents.some((agent) => mayDelegate(agent, iteration));
    if (!delegates) return [];
    return agents.map((agent) => this.agent(agent));
  }

  /** Prepares an agent once for all its uses. */
  agent(agent: Agent): PreparedAgent {
    let prepared = this.#prepared.get(agent);
    if (prepared === undefined) {
      const identity = this.#identity(agent);
      const own = workerModel(this.#scope, agent.llm);
      const model = agentModel(this.#scope, [identity.role, agent.role], own);
      prepared = { agent, identity, model };
      this.#prepared.set(agent, prepared);
    }
    return prepared;
  }

  /** The path of the run's log file; undefined for a crew without one. */
  get logPath(): string | undefined {
    const { outputLogFile = false } = this.#crew.options;
    if (outputLogFile === false) return undefined;
    return this.#path(logPathOf(outputLogFile), "outputLogFile");
  }

  #outputFile({ outputFile, label }: Task): string | undefined {
    if (outputFile === undefined) return undefined;
    const path = this.#path(outputFile, `the outputFile of task "${label}"`);
    fileStoreFor(this.#scope, `task "${label}" has the outputFile "${path}"`);
    return path;
  }

  #filesOf({ inputFiles, label }: Task): FileSources {
    const { crew, run } = this.#files;
    return { ...crew, ...this.#filled(inputFiles, `task "${label}"`), ...run };
  }

  #filled(files: FileSources, owner: string): FileSources {
    return Object.fromEntries(
      Object.entries(files).map(([name, source]) => [
        name,
        source.filled((text) => this.#path(text, `${owner}: inputFiles["${name}"]`)),
      ]),
    );
  }

  /** Fills inputs into paths and checks them again (CF2). */
  #path(path: string, field: string): string {
    const filled = this.#fill(path, field);
    const isFilled = filled !== path && !/^https?:\/\//i.test(path);
    return isFilled ? checkFilePath(filled, { field, code: "invalid_input" }) : filled;
  }

  #identity({ role, goal, backstory }: Agent): AgentIdentity {
    const where = (field: string): string => `the ${field} of agent "${role}"`;
    return {
      role: this.#fill(role, where("role")),
      goal: this.#fill(goal, where("goal")),
      backstory: this.#fill(backstory, where("backstory")),
    };
  }

  /** Fills the placeholders of a text. In a run without inputs it stays unchanged. */
  #fill(text: string, where: string): string {
    return Object.keys(this.#inputs).length === 0 ? text : interpolate(text, this.#inputs, where);
  }
}

function toolsOf(task: Task): readonly Tool[] {
  return task.effectiveTools;
}

function ownToolsOf(task: Task): readonly Tool[] {
  return task.tools ?? [];
}
