// What a run needs of its crew before the first task starts: texts with the inputs in them, models, files.
import type { AgentIdentity } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import type { Prompts } from "../agent/prompts.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { checkInputFiles, fileStoreFor, partFiles, type InputFiles } from "./crew-files.ts";
import type { CrewOptions } from "./crew-options.ts";
import { interpolate } from "./interpolate.ts";
import { checkOutputFile } from "./output-file.ts";
import type { PreparedAgent, PreparedTask } from "./perform-task.ts";
import { conversationIn, triggerFor } from "./run-context.ts";
import type { Task } from "./task.ts";

/** What of a crew a run needs. */
export type RunnableCrew = {
  readonly name: string;
  /** Without the manager. */
  readonly agents: readonly Agent[];
  readonly manager: Agent | undefined;
  readonly tasks: readonly Task[];
  readonly taskKeys: readonly string[];
  readonly prompts: Prompts;
  readonly options: CrewOptions;
};

/** Prepares the tasks and agents of one run of a crew. Throws for what the run lacks. */
export class CrewPreparation {
  readonly #scope: RunScope;
  readonly #crew: RunnableCrew;
  readonly #inputs: JsonObject;
  /** Files of the whole run: those of the crew, and over them those of the inputs. */
  readonly #files: InputFiles;
  readonly #prepared = new Map<Agent, PreparedAgent>();

  /** `given`: the run's inputs, those that are files included. */
  constructor(scope: RunScope, crew: RunnableCrew, given: JsonObject) {
    const { inputs, files } = partFiles(given);
    this.#scope = scope;
    this.#crew = crew;
    this.#inputs = inputs;
    this.#files = { ...checkInputFiles(crew.options.inputFiles, `crew "${crew.name}"`), ...files };
  }

  task(task: Task, index: number): PreparedTask {
    const { manager, taskKeys } = this.#crew;
    const { label } = task;
    const agent = manager ?? task.agent;
    if (agent === undefined)
      throw new EngineError("invalid_definition", `task "${label}" has no agent`);
    const inputs = this.#inputs;
    const firstOfSequential = index === 0 && manager === undefined;
    return {
      ...this.agent(agent),
      task,
      key: taskKeys[index] ?? `task:${index}`,
      description: this.#fill(task.description, `the description of task "${label}"`),
      expectedOutput: this.#fill(task.expectedOutput, `the expectedOutput of task "${label}"`),
      outputFile: this.#outputFile(task),
      coworkers: this.#coworkersFor(task, agent),
      extras: {
        conversation: conversationIn(inputs),
        trigger: triggerFor(inputs, { wanted: task.allowCrewaiTriggerContext, firstOfSequential }),
        files: this.#filesOf(task),
      },
    };
  }

  /** Whom work on a task can be delegated to: by a manager to the task's own agent or to all, else by those who may to the others. */
  #coworkersFor(task: Task, agent: Agent): readonly PreparedAgent[] {
    const { manager, agents } = this.#crew;
    const own = task.agent === manager ? undefined : task.agent;
    if (manager !== undefined)
      return (own === undefined ? agents : [own]).map((each) => this.agent(each));
    if (!agent.allowDelegation) return [];
    return agents.filter((each) => each !== agent).map((each) => this.agent(each));
  }

  /** Everybody who may be given work; nobody in a crew in which nobody delegates. */
  agentsToAsk(): readonly PreparedAgent[] {
    const { manager, agents } = this.#crew;
    const delegates = manager !== undefined || agents.some((agent) => agent.allowDelegation);
    return delegates ? agents.map((agent) => this.agent(agent)) : [];
  }

  /** The same for every use of an agent. */
  agent(agent: Agent): PreparedAgent {
    let prepared = this.#prepared.get(agent);
    if (prepared === undefined) {
      prepared = { agent, identity: this.#identity(agent), model: this.#scope.model(agent.llm) };
      this.#prepared.set(agent, prepared);
    }
    return prepared;
  }

  #outputFile({ outputFile, label }: Task): string | undefined {
    if (outputFile === undefined) return undefined;
    const path = this.#fill(outputFile, `the outputFile of task "${label}"`);
    fileStoreFor(this.#scope, `task "${label}" has the outputFile "${path}"`);
    return path === outputFile ? path : checkOutputFile(path, "invalid_input");
  }

  #filesOf({ inputFiles, label }: Task): InputFiles {
    const files = { ...this.#files, ...inputFiles };
    if (Object.keys(files).length > 0) fileStoreFor(this.#scope, `task "${label}" is given files`);
    return files;
  }

  #identity({ role, goal, backstory }: Agent): AgentIdentity {
    const where = (field: string): string => `the ${field} of agent "${role}"`;
    return {
      role: this.#fill(role, where("role")),
      goal: this.#fill(goal, where("goal")),
      backstory: this.#fill(backstory, where("backstory")),
    };
  }

  /** A run without inputs leaves the texts as they are. */
  #fill(text: string, where: string): string {
    return Object.keys(this.#inputs).length === 0 ? text : interpolate(text, this.#inputs, where);
  }
}
