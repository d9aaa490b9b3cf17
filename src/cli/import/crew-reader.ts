// Reads the agents, the tasks and the crew of a class or a script.
//
//   PYR1. The import reads methods with `@agent`, `@task`, `@crew`, `@tool`, `@llm`, and undecorated methods called by
//         these.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ArgumentReader } from "./crew-arguments.ts";
import type { CrewClass, Part } from "./crew-class.ts";
import type { CrewScope, Method, Scope } from "./crew-scope.ts";
import type { Definition, PythonSource } from "./python-source.ts";
import type { PythonCall, PythonValue } from "./python-value.ts";
import { codeKey } from "./unread-code.ts";

const DECORATORS = new Set([
  "agent",
  "task",
  "crew",
  "tool",
  "llm",
  "output_json",
  "output_pydantic",
  "callback",
  "before_kickoff",
  "after_kickoff",
  "cache_handler",
]);

export class CrewReader {
  readonly #source: PythonSource;
  readonly #name: string;
  readonly #scope: CrewScope;
  readonly #arguments: ArgumentReader;
  readonly #agents = new Map<string, Part>();
  readonly #tasks = new Map<string, Part>();
  readonly #tools = new Map<string, JsonValue>();
  readonly #models = new Map<string, JsonValue>();
  #crew: JsonObject | undefined;
  /** Agents and tasks in `Crew(…)`. */
  readonly #listed: { agents?: readonly string[]; tasks?: readonly string[] } = {};

  constructor(source: PythonSource, name: string, scope: CrewScope) {
    this.#source = source;
    this.#name = name;
    this.#scope = scope;
    this.#arguments = new ArgumentReader(scope);
  }

  read(): CrewClass {
    const { methods, open } = this.#scope;
    let all = 0;
    let whole = 0;
    for (const method of methods.values()) {
      const kinds = kindsOf(method);
      const before = open.length;
      this.#readMethod(method, kinds);
      if (kinds.length === 0) continue;
      all += 1;
      if (open.length === before) whole += 1;
    }
    const crew = this.#crew ?? {};
    const tasks = this.#withOwnContext(this.#inOrder(this.#tasks, this.#listed.tasks));
    return {
      className: this.#name,
      source: this.#source,
      files: new Set(
        [this.#source, ...[...methods.values()].map(({ source }) => source)].map(
          ({ path }) => path,
        ),
      ),
      agentsFile: this.#configFile("agents_config") ?? "config/agents.yaml",
      tasksFile: this.#configFile("tasks_config") ?? "config/tasks.yaml",
      agents: this.#inOrder(this.#agents, this.#usedAgents()),
      tasks,
      crew: { ...crew, ...this.#callbacks(crew) },
      tools: this.#tools,
      models: this.#models,
      uses: this.#arguments.uses,
      methods: { all, whole },
      open,
      leftOut: this.#scope.leftOut,
      taken: new Set([
        ...this.#scope.used,
        ...[...methods.values()]
          .filter((method) => kindsOf(method).length > 0)
          .map(({ source, node }) => codeKey(source, node)),
      ]),
    };
  }

  #readMethod(method: Method, kinds: readonly string[]): void {
    const { name } = method;
    if (kinds.includes("agent")) this.#agents.set(name, this.#part("Agent", method));
    else if (kinds.includes("task")) this.#tasks.set(name, this.#part("Task", method));
    else if (kinds.includes("crew")) this.#readCrew(method);
    else if (kinds.includes("tool") || kinds.includes("llm")) {
      const returned = this.#scope.returned(method);
      if (returned === undefined) return;
      const isTool = kinds.includes("tool");
      const made = isTool
        ? this.#arguments.tool(returned.call, returned.scope)
        : this.#arguments.model(returned.call, returned.scope);
      if (made === undefined)
        this.#scope.leave(returned.call, "the result of this method cannot be read");
      else (isTool ? this.#tools : this.#models).set(name, made);
    } else if (kinds.includes("before_kickoff") || kinds.includes("after_kickoff")) {
      this.#arguments.uses.functions.add(name);
      this.#scope.leaveMethod(method, `a function of yours: write \`${name}\` in TypeScript`);
    } else if (kinds.includes("callback")) this.#arguments.uses.functions.add(name);
  }

  /** Returns the agents of the crew's list, of its tasks, and its manager. */
  #usedAgents(): readonly string[] | undefined {
    if (this.#listed.agents === undefined) return undefined;
    const ofTasks = [...this.#tasks.values()].map(({ fields }) => fields["agent"]);
    const all = [...this.#listed.agents, ...ofTasks, this.#crew?.["managerAgent"]];
    return all.filter((name) => typeof name === "string");
  }

  #inOrder(
    parts: ReadonlyMap<string, Part>,
    names: readonly string[] | undefined,
  ): ReadonlyMap<string, Part> {
    if (names === undefined) return parts;
    return new Map(
      names.flatMap((name) => {
        const part = parts.get(name);
        return part === undefined ? [] : [[name, part] as const];
      }),
    );
  }

  /** Leaves out tasks of other crews in contexts. */
  #withOwnContext(tasks: ReadonlyMap<string, Part>): ReadonlyMap<string, Part> {
    return new Map(
      [...tasks].map(([name, { config, fields }]) => {
        const context = fields["context"];
        if (!Array.isArray(context)) return [name, { config, fields }];
        const own = (context as readonly JsonValue[]).filter(
          (each) => typeof each !== "string" || tasks.has(each),
        );
        const method = this.#scope.methods.get(name);
        if (own.length < context.length && method !== undefined)
          this.#scope.leaveMethod(
            method,
            `the context of \`${name}\` has tasks of another crew: pass their outputs as an input`,
          );
        return [name, { config, fields: { ...fields, context: own } }];
      }),
    );
  }

  /** Merges callbacks of the crew with those from decorated methods. */
  #callbacks(crew: JsonObject): JsonObject {
    const named = (decorator: string): string[] =>
      [...this.#scope.methods.values()]
        .filter((method) => kindsOf(method).includes(decorator))
        .map(({ name }) => name);
    const merged = (field: string, decorator: string): JsonObject => {
      const names = [...new Set([...((crew[field] ?? []) as string[]), ...named(decorator)])];
      return names.length === 0 ? {} : { [field]: names };
    };
    return {
      ...merged("beforeKickoffCallbacks", "before_kickoff"),
      ...merged("afterKickoffCallbacks", "after_kickoff"),
    };
  }

  #configFile(name: string): string | undefined {
    const value = this.#scope.field(name);
    if (value === undefined) return undefined;
    if (value.kind === "plain" && typeof value.value === "string") return value.value;
    this.#scope.leave(value, "a path that is computed: the usual one is used");
    return undefined;
  }

  #part(owner: "Agent" | "Task", method: Method): Part {
    const returned = this.#scope.returned(method);
    if (returned === undefined) return { config: method.name, fields: {} };
    const { call, scope } = returned;
    const known = owner === "Agent" ? /Agent$/ : /Task$/;
    if (!known.test(call.name))
      this.#scope.leave(call, `returns the result of \`${call.name}\`, which is not read`);
    const passed = this.#arguments.keywords(call, scope);
    const whole =
      passed.find(({ name }) => name === "config")?.value ??
      passed.find(({ name, value }) => name === "**" && value.kind === "entry")?.value;
    const ofField = passed.find(
      ({ name, value }) => value.kind === "entry" && value.field === name,
    )?.value;
    const config = whole ?? ofField;
    const fields = this.#arguments.fields(owner, call, scope);
    const type = call.name === "ConditionalTask" ? { type: "conditional" } : {};
    return {
      config:
        config === undefined
          ? undefined
          : this.#configKey(config, { method, scope, isWhole: whole !== undefined }),
      fields: { ...type, ...fields },
    };
  }

  #configKey(
    value: PythonValue,
    {
      method,
      scope,
      isWhole,
    }: { readonly method: Method; readonly scope: Scope; readonly isWhole: boolean },
  ): string {
    const found = this.#scope.resolved(value, scope);
    // `configs["agents"]["writer"]` is an entry of an entry, and `AGENTS["writer"]["role"]` a field of one.
    if (found.kind === "entry" && /^(self\.)?\w*(config|agents|tasks)\w*$/i.test(found.of))
      return isWhole && found.field !== undefined ? found.field : found.key;
    this.#scope.leave(value, `the YAML entry cannot be read: \`${method.name}\` is used`);
    return method.name;
  }

  #readCrew(method: Method): void {
    if (this.#crew !== undefined) {
      this.#scope.leaveMethod(method, "a second crew beside the first, which alone is read");
      return;
    }
    this.#crew = {};
    const returned = this.#scope.returned(method);
    if (returned === undefined) return;
    const { call, scope } = returned;
    if (call.name.split(".").at(-1) !== "Crew")
      this.#scope.leave(call, `returns the result of \`${call.name}\`, which is not read`);
    this.#crew = this.#arguments.fields("Crew", call, scope);
    const manager = this.#crew["managerAgent"];
    const making = typeof manager === "string" ? this.#scope.methods.get(manager) : undefined;
    if (making !== undefined && !kindsOf(making).includes("agent"))
      this.#agents.set(making.name, this.#part("Agent", making));
    this.#readLists(call, scope);
  }

  /** `agents=` and `tasks=`, if they are explicit lists. */
  #readLists(call: PythonCall, scope: Scope): void {
    for (const { name, value } of call.keywords) {
      if (name !== "agents" && name !== "tasks") continue;
      if (value.kind === "name" && value.name === `self.${name}`) continue;
      const found = this.#scope.resolved(value, scope);
      const names =
        found.kind === "list"
          ? found.items.map((item) => this.#scope.partName(this.#scope.resolved(item, scope)))
          : [undefined];
      if (names.includes(undefined))
        this.#scope.leave(
          value,
          `the crew's ${name} are not a list of methods: all of the class are used`,
        );
      else this.#listed[name] = names.filter((each) => each !== undefined);
    }
  }
}

function kindsOf({ decorators }: Definition): readonly string[] {
  return decorators.map(({ name }) => name).filter((name) => DECORATORS.has(name));
}
