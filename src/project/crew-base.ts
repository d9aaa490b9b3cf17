// Crews as classes: methods make agents and tasks from the texts of `agents.yaml` and `tasks.yaml`.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import type { ToolEntry } from "../tools/tool-catalog.ts";
import type { Agent, AgentOptions } from "../agent/description/agent.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { agentOptions, taskOptions } from "../crew/definition/definition-options.ts";
import {
  RegistryResolver,
  type DefinitionRegistry,
} from "../crew/definition/definition-registry.ts";
import type { AgentDefinition, TaskDefinition } from "../crew/definition/definition-schema.ts";
import type { Task, TaskOptions } from "../crew/tasks/task.ts";
import { partsOf } from "./crew-parts.ts";
import { definitionFromProject } from "./crew-from-project.ts";
import { readSourceText } from "./source-text.ts";

/** The texts of the two files, imported at build time, and a registry of code for names without a method. */
export type CrewBaseOptions = DefinitionRegistry & {
  readonly agents: string;
  readonly tasks: string;
};

const OPTIONS = definitionOptions<CrewBaseOptions>("CrewBase()", {
  agents: true,
  tasks: true,
  tools: true,
  catalogs: true,
  functions: true,
  schemas: true,
  fromData: true,
  asksNobody: true,
});

/**
 * Returns the base of a crew class: `class Research extends CrewBase({ agents, tasks }) { ... }`. `agents` and `tasks`
 * are the texts of the files. Throws `invalid_definition` with one issue for each fault, line and column included.
 */
export function CrewBase(options: CrewBaseOptions): new () => CrewObject {
  refuseUnknownOptions(options, OPTIONS);
  const { agents, tasks, ...registry } = options;
  const files = { "agents.yaml": agents, "tasks.yaml": tasks };
  const definition = definitionFromProject(files);
  const entries = {
    agents: definition.agents,
    tasks: tasksByKey(tasks, definition.tasks),
    registry,
  };
  return class extends CrewObject {
    protected override entries(): CrewDefinitions {
      return entries;
    }
  };
}

/** Tasks by their key in the file, which methods and contexts use; a task may have another name. */
function tasksByKey(
  file: string,
  tasks: readonly TaskDefinition[],
): Readonly<Record<string, TaskDefinition>> {
  const keys = Object.keys(readSourceText("tasks.yaml", file).value as object);
  const keyOf = new Map(tasks.map(({ name }, index) => [name, keys[index] ?? ""]));
  const entries = tasks.map((task, index) => {
    const context = task.context?.map((name) => keyOf.get(name) ?? name);
    return [keys[index] ?? "", context === undefined ? task : { ...task, context }] as const;
  });
  return Object.fromEntries(entries);
}

type CrewDefinitions = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly tasks: Readonly<Record<string, TaskDefinition>>;
  readonly registry: DefinitionRegistry;
};

/** A crew as an object of a class. */
export abstract class CrewObject {
  /** The definitions in the files. */
  protected entries(): CrewDefinitions {
    return { agents: {}, tasks: {}, registry: {} };
  }

  /** All agents made by the methods: first those of the tasks, then the others, in the order of the class. */
  get agents(): readonly Agent[] {
    const own = [...partsOf(this, "agent").values()].map((make) => make());
    const working = this.tasks.flatMap((task) => task.agent ?? []);
    return [...new Set([...working, ...own])];
  }

  /** All tasks made by the methods, in the order of the class. */
  get tasks(): readonly Task[] {
    return [...partsOf(this, "task").values()].map((make) => make());
  }

  /**
   * Returns an agent's options from `agents.yaml`, with its model, tools and callbacks resolved: `new
   * Agent(this.agentConfig("researcher"))`.
   */
  agentConfig(name: string): AgentOptions {
    const entry = this.#entry("agents", name);
    const models = partsOf(this, "llm");
    return this.#made(name, (resolver) => {
      const named = this.#withToolNames(entry);
      const options = agentOptions(named, resolver, `/agents/${name}`);
      const { llm, functionCallingLlm } = entry;
      const model = typeof llm === "string" ? models.get(llm) : undefined;
      const calling =
        typeof functionCallingLlm === "string" ? models.get(functionCallingLlm) : undefined;
      return {
        ...options,
        ...(model && { llm: model() }),
        ...(calling && { functionCallingLlm: calling() }),
      };
    });
  }

  /**
   * Returns a task's options from `tasks.yaml`, with its agent, context, tools, shape and callbacks resolved: `new
   * Task(this.taskConfig("dig"))`.
   */
  taskConfig(name: string): TaskOptions {
    const entry = this.#entry("tasks", name);
    return this.#made(name, (resolver) => {
      const { agent, context } = entry;
      const options = taskOptions(this.#withToolNames(entry), resolver, `/tasks/${name}`);
      return {
        ...options,
        name: entry.name ?? name,
        ...(agent === undefined ? undefined : { agent: this.#part("agent", agent) }),
        ...(context === undefined
          ? undefined
          : { context: context.map((other) => this.#part("task", other)) }),
      };
    });
  }

  /** Resolves tools made by methods, by the method's name. */
  #withToolNames<Entry extends { readonly tools?: readonly ToolEntry[] | undefined }>(
    entry: Entry,
  ): Entry {
    const own = partsOf(this, "tool");
    const tools = entry.tools?.map((each) =>
      typeof each === "string" ? (own.get(each)?.().name ?? each) : each,
    );
    return tools === undefined ? entry : { ...entry, tools };
  }

  #entry<Kind extends "agents" | "tasks">(kind: Kind, name: string): CrewDefinitions[Kind][string] {
    const entries: CrewDefinitions[Kind] = this.entries()[kind];
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (entry !== undefined) return entry as CrewDefinitions[Kind][string];
    throw new EngineError(
      "invalid_definition",
      `${kind}.yaml has no "${name}"; it has: ${Object.keys(entries).join(", ")}`,
    );
  }

  #part<Kind extends "agent" | "task">(
    kind: Kind,
    name: string,
  ): Kind extends "agent" ? Agent : Task {
    const parts = partsOf(this, kind);
    const make = parts.get(name);
    if (make !== undefined) return make() as Kind extends "agent" ? Agent : Task;
    throw new EngineError(
      "invalid_definition",
      `${this.constructor.name} has no method @${kind} ${name}(); it has: ${[...parts.keys()].join(", ") || "none"}`,
    );
  }

  #made<Options>(name: string, make: (resolver: RegistryResolver) => Options): Options {
    const { registry } = this.entries();
    const issues: Issue[] = [];
    const tools = [...partsOf(this, "tool").values()].map((part) => part());
    const schemas = [...partsOf(this, "output")].map(([method, part]) => [method, part()] as const);
    const resolver = new RegistryResolver(
      {
        tools: [...(registry.tools ?? []), ...tools],
        schemas: { ...registry.schemas, ...Object.fromEntries(schemas) },
        functions: { ...registry.functions, ...Object.fromEntries(partsOf(this, "callback")) },
      },
      issues,
    );
    const options = make(resolver);
    const [first] = issues;
    if (first === undefined) return options;
    throw new EngineError("invalid_definition", `${name}: ${first.message}`, { issues });
  }
}
