// A class of `crew.py`, as the data that stands beside its YAML.
//
//   PYC1. Read are classes with `@CrewBase`, and where their `agents_config` and `tasks_config` lie.
//   PYC2. Of these, methods with `@agent`, `@task`, `@crew`, `@tool`, `@llm`; and methods without any that others call.
//   PYC3. A method's body is simple assignments, and one `return` of a call.
//   PYC4. What cannot be read leaves its argument out, and is an open place with line and text.
//   PYC5. Names stand for what is assigned to them in the method, the class (or its `__init__`) or the file, one step.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { camelCase } from "../../base/camel-case.ts";
import { KEYWORDS, type KeywordKind, type Owner } from "./crew-keywords.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import {
  bodyOf,
  type Assignment,
  type Body,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import {
  asJson,
  readArguments,
  readValue,
  type PythonCall,
  type PythonValue,
} from "./python-values.ts";

/** What a crew's code says. */
export type CrewClass = {
  readonly className: string;
  readonly source: PythonSource;
  /** As the class says, or CrewAI's own. */
  readonly agentsFile: string;
  readonly tasksFile: string;
  /** By the name of its method. */
  readonly agents: ReadonlyMap<string, Part>;
  /** By the name of its method, in the order of the tasks. */
  readonly tasks: ReadonlyMap<string, Part>;
  readonly crew: JsonObject;
  /** Tools and models that methods make, by the names of the methods: the YAML may have these. */
  readonly tools: ReadonlyMap<string, JsonValue>;
  readonly models: ReadonlyMap<string, JsonValue>;
  /** Names of code that has to be there. */
  readonly uses: CodeNames;
  readonly methods: { readonly all: number; readonly whole: number };
  readonly open: readonly OpenPlace[];
};

/** The key of the YAML that an agent or task is made of, and what the code adds. */
export type Part = { readonly config: string | undefined; readonly fields: JsonObject };

export type CodeNames = {
  readonly tools: ReadonlySet<string>;
  readonly shapes: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
};

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

/** Reads the classes with `@CrewBase` of a file. */
export function crewClasses(source: PythonSource): readonly CrewClass[] {
  const file = bodyOf(source, source.root);
  return file.definitions
    .filter(({ kind, decorators }) => kind === "class" && isCrewBase(decorators))
    .map((definition) => new CrewReader(source, { file, definition }).read());
}

function isCrewBase(decorators: Definition["decorators"]): boolean {
  return decorators.some(({ name }) => name === "CrewBase");
}

type Scope = readonly (readonly Assignment[])[];

class CrewReader {
  readonly #source: PythonSource;
  readonly #file: Body;
  readonly #definition: Definition;
  readonly #body: Body;
  readonly #methods: ReadonlyMap<string, Definition>;
  /** What the class gives itself when it is made: `self.model = LLM(…)`. */
  readonly #ownFields: readonly Assignment[];
  readonly #open: OpenPlace[] = [];
  readonly #uses = {
    tools: new Set<string>(),
    shapes: new Set<string>(),
    functions: new Set<string>(),
  };

  constructor(
    source: PythonSource,
    { file, definition }: { readonly file: Body; readonly definition: Definition },
  ) {
    this.#source = source;
    this.#file = file;
    this.#definition = definition;
    this.#body = bodyOf(source, definition.node);
    const methods = this.#body.definitions.filter(({ kind }) => kind === "function");
    this.#methods = new Map(methods.map((method) => [method.name, method]));
    const init = this.#methods.get("__init__");
    const made = init === undefined ? [] : bodyOf(source, init.node).assignments;
    this.#ownFields = made.filter(({ name }) => name.startsWith("self."));
  }

  read(): CrewClass {
    this.#checkBases();
    const agents = new Map<string, Part>();
    const tasks = new Map<string, Part>();
    const tools = new Map<string, JsonValue>();
    const models = new Map<string, JsonValue>();
    let crew: JsonObject = {};
    let all = 0;
    let whole = 0;
    for (const method of this.#methods.values()) {
      const kinds = method.decorators
        .map(({ name }) => name)
        .filter((name) => DECORATORS.has(name));
      const before = this.#open.length;
      if (kinds.includes("agent")) agents.set(method.name, this.#part("Agent", method));
      else if (kinds.includes("task")) tasks.set(method.name, this.#part("Task", method));
      else if (kinds.includes("crew")) crew = this.#crew(method, { agents, tasks });
      else if (kinds.includes("tool") || kinds.includes("llm")) {
        const returned = this.#returned(method);
        const isTool = kinds.includes("tool");
        const made =
          returned === undefined
            ? undefined
            : isTool
              ? this.#tool(returned.call, returned.scope)
              : this.#model(returned.call, returned.scope);
        if (made !== undefined) (isTool ? tools : models).set(method.name, made);
        else if (returned !== undefined)
          this.#leave(returned.call.node, "what this method makes cannot be read");
      } else if (kinds.some((kind) => kind === "before_kickoff" || kind === "after_kickoff")) {
        this.#uses.functions.add(method.name);
        this.#leave(
          method.node,
          `a function of yours: write \`${method.name}\` in TypeScript`,
          true,
        );
      } else if (kinds.includes("callback")) this.#uses.functions.add(method.name);
      if (kinds.length > 0) {
        all += 1;
        if (this.#open.length === before) whole += 1;
      }
    }
    const ordered = this.#order.length === 0 ? tasks : this.#inOrder(tasks);
    return {
      className: this.#definition.name,
      source: this.#source,
      agentsFile: this.#configFile("agents_config") ?? "config/agents.yaml",
      tasksFile: this.#configFile("tasks_config") ?? "config/tasks.yaml",
      agents,
      tasks: ordered,
      crew: { ...crew, ...this.#callbacks(crew) },
      tools,
      models,
      uses: this.#uses,
      methods: { all, whole },
      open: this.#open,
    };
  }

  /** The tasks that `Crew(tasks=[…])` lists. */
  #order: readonly string[] = [];

  #inOrder(tasks: ReadonlyMap<string, Part>): ReadonlyMap<string, Part> {
    return new Map(
      this.#order.flatMap((name) => {
        const part = tasks.get(name);
        return part === undefined ? [] : [[name, part] as const];
      }),
    );
  }

  /** Callbacks that stood before the crew's own method. */
  #callbacks(crew: JsonObject): JsonObject {
    const named = (decorator: string): string[] =>
      [...this.#methods.values()]
        .filter(({ decorators }) => decorators.some(({ name }) => name === decorator))
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

  #checkBases(): void {
    const list = this.#definition.node.getChild("ArgList");
    if (list === null) return;
    for (const base of readArguments(this.#source, list).args)
      if (base.kind !== "name" || base.name !== "object")
        this.#leave(
          base.node,
          "what comes from another class is not read: copy its methods into this one",
        );
  }

  #configFile(name: string): string | undefined {
    const assigned = this.#body.assignments.findLast((each) => each.name === name);
    if (assigned?.value === undefined) return undefined;
    const value = this.#resolved(readValue(this.#source, assigned.value), [this.#file.assignments]);
    if (value.kind === "plain" && typeof value.value === "string") return value.value;
    this.#leave(assigned.node, "a path that is computed: the usual one is used");
    return undefined;
  }

  #part(owner: "Agent" | "Task", method: Definition): Part {
    const returned = this.#returned(method);
    if (returned === undefined) return { config: method.name, fields: {} };
    const { call, scope } = returned;
    const known = owner === "Agent" ? /Agent$/ : /Task$/;
    if (!known.test(call.name))
      this.#leave(call.node, `returns the result of \`${call.name}\`, which is not read`);
    const config = call.keywords.find(({ name }) => name === "config")?.value;
    const fields = this.#fields(owner, call, scope);
    const type = call.name === "ConditionalTask" ? { type: "conditional" } : {};
    return {
      config: config === undefined ? undefined : this.#configKey(config, method, scope),
      fields: { ...type, ...fields },
    };
  }

  #configKey(value: PythonValue, method: Definition, scope: Scope): string {
    const found = this.#resolved(value, scope);
    if (found.kind === "entry" && /^self\.\w+_config$/.test(found.of)) return found.key;
    this.#leave(
      value.node,
      `which entry of the YAML this is cannot be read: \`${method.name}\` is used`,
    );
    return method.name;
  }

  #crew(
    method: Definition,
    { agents, tasks }: { readonly agents: Map<string, Part>; readonly tasks: Map<string, Part> },
  ): JsonObject {
    const returned = this.#returned(method);
    if (returned === undefined) return {};
    const { call, scope } = returned;
    if (call.name.split(".").at(-1) !== "Crew")
      this.#leave(call.node, `returns the result of \`${call.name}\`, which is not read`);
    const fields = this.#fields("Crew", call, scope);
    const manager = fields["managerAgent"];
    const making = typeof manager === "string" ? this.#methods.get(manager) : undefined;
    if (making !== undefined && !isDecorated(making, "agent"))
      agents.set(making.name, this.#part("Agent", making));
    this.#checkLists(call, { agents, tasks, scope });
    return fields;
  }

  /** `agents=` and `tasks=`, where they are lists of their own. */
  #checkLists(
    call: PythonCall,
    { scope }: { readonly agents: unknown; readonly tasks: unknown; readonly scope: Scope },
  ): void {
    for (const { name, value } of call.keywords) {
      if (name !== "agents" && name !== "tasks") continue;
      if (value.kind === "name" && value.name === `self.${name}`) continue;
      const found = this.#resolved(value, scope);
      const names = found.kind === "list" ? found.items.map(methodName) : [undefined];
      if (found.kind === "list" && !names.includes(undefined)) {
        if (name === "tasks") this.#order = names as string[];
      } else
        this.#leave(
          value.node,
          `the crew's ${name} are not a list of methods: all of the class are used`,
        );
    }
  }

  /** The call that a method returns, and what its names stand for. */
  #returned(method: Definition): { readonly call: PythonCall; readonly scope: Scope } | undefined {
    const body = bodyOf(this.#source, method.node);
    const scope = [body.assignments, this.#file.assignments];
    const returns = body.others.filter(({ name }) => name === "ReturnStatement");
    for (const other of body.others)
      if (!returns.includes(other)) this.#leave(other, "a statement that is not read");
    const last = returns.at(-1)?.lastChild ?? undefined;
    const value =
      last === undefined ? undefined : this.#resolved(readValue(this.#source, last), scope);
    if (value?.kind === "call") return { call: value, scope };
    this.#leave(last ?? method.node, "does not return a call that can be read");
    return undefined;
  }

  #fields(owner: Owner, call: PythonCall, scope: Scope): JsonObject {
    const fields: Record<string, JsonValue> = {};
    for (const arg of call.args)
      this.#leave(arg.node, `an argument of \`${owner}\` without a name is not read`);
    for (const { name, value } of call.keywords) {
      const kind = KEYWORDS[owner].get(name);
      if (kind === "skip") continue;
      if (kind === undefined) {
        const why =
          name === "**"
            ? "what is spread into a call is not read"
            : `\`${name}\` of \`${owner}\` has no counterpart here`;
        this.#leave(value.node, why);
        continue;
      }
      const read = this.#field(kind, value, scope);
      if (read === undefined)
        this.#leave(value.node, `\`${name}\` cannot be read: ${ADVICE[kind]}`);
      else if (read !== null) fields[camelCase(name)] = read;
    }
    return fields;
  }

  /** Undefined where it cannot be read; null where it says nothing. */
  #field(kind: KeywordKind, value: PythonValue, scope: Scope): JsonValue | undefined {
    const found = this.#resolved(value, scope);
    if (found.kind === "plain" && found.value === null) return null;
    switch (kind) {
      case "switch": {
        const plain = asJson(found);
        return typeof plain === "boolean" || typeof plain === "number" ? Boolean(plain) : undefined;
      }
      case "process":
        return found.kind === "name" ? /^Process\.(\w+)$/.exec(found.name)?.[1] : asJson(found);
      case "model":
        return this.#model(found, scope);
      case "tools":
        return this.#tools(found, scope);
      case "shape":
        return this.#named(found, "shapes");
      case "function":
      case "judge":
        return kind === "judge" && found.kind === "plain"
          ? asJson(found)
          : this.#named(found, "functions");
      case "functions":
      case "judges":
        if (found.kind !== "list") return undefined;
        return allOf(
          found.items.map((item) =>
            this.#field(kind === "judges" ? "judge" : "function", item, scope),
          ),
        );
      case "agent":
        return methodName(found);
      case "tasks":
        return found.kind === "list" ? allOf(found.items.map(methodName)) : undefined;
      default:
        return asJson(found);
    }
  }

  #named(value: PythonValue, kind: keyof CodeNames): string | undefined {
    if (value.kind !== "name") return undefined;
    const name = value.name.split(".").at(-1) ?? value.name;
    this.#uses[kind].add(name);
    return name;
  }

  /** `"openai/gpt-5"`, `LLM(model="…", temperature=0.2)`, `self.model()` with `@llm`. */
  #model(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind === "plain") return typeof value.value === "string" ? value.value : undefined;
    if (value.kind !== "call") return undefined;
    const method = methodName(value);
    if (method !== undefined) {
      const made = this.#made(method);
      return made === undefined ? undefined : this.#model(made.call, made.scope);
    }
    if (!/(^|\.)(LLM|\w*Chat\w*)$/.test(value.name)) return undefined;
    const settings: Record<string, JsonValue> = {};
    for (const { name, value: each } of value.keywords) {
      const read = asJson(this.#resolved(each, scope));
      if (read === undefined) {
        if (name === "api_key" || name === "base_url" || name === "api_base")
          this.#leave(each.node, `\`${name}\` of a model comes from the Worker's variables`);
        else this.#leave(each.node, `\`${name}\` of a model cannot be read`);
      } else if (/key|secret|token$/i.test(name)) this.#leaveSecret(each.node, name);
      else if (read !== null) settings[name] = read;
    }
    const [first] = value.args;
    const model =
      settings["model"] ??
      settings["model_name"] ??
      (first && asJson(this.#resolved(first, scope)));
    if (typeof model !== "string") return undefined;
    const { model: _, ...rest } = settings;
    return Object.keys(rest).length === 0 ? model : { model, ...rest };
  }

  #tools(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind !== "list") return undefined;
    return value.items.flatMap((item): JsonValue[] => {
      const entry = this.#tool(this.#resolved(item, scope), scope);
      if (entry === undefined)
        this.#leave(
          item.node,
          "a tool that cannot be read: write it in TypeScript, and name it in `tools`",
        );
      return entry === undefined ? [] : [entry];
    });
  }

  /** `SerperDevTool(n_results=3)`, `self.searcher()` with `@tool`, the name of a function with `@tool`. */
  #tool(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind === "name") {
      const parts = value.name.split(".");
      if (parts[0] === "self") return undefined;
      // A method of a class (`Tools.search`) or a function, with `@tool`.
      const name = parts.at(-1) ?? value.name;
      this.#uses.tools.add(name);
      return name;
    }
    if (value.kind !== "call") return undefined;
    const method = methodName(value);
    if (method !== undefined) {
      const made = this.#made(method);
      return made === undefined ? undefined : this.#tool(made.call, made.scope);
    }
    const tool = value.name.split(".").at(-1) ?? value.name;
    if (!/^[A-Z]/.test(tool)) return undefined;
    this.#uses.tools.add(tool);
    const options: Record<string, JsonValue> = {};
    for (const arg of value.args)
      this.#leave(arg.node, `an argument of \`${tool}\` without a name is left out: name it`);
    for (const { name, value: each } of value.keywords) {
      const read = asJson(this.#resolved(each, scope));
      if (read === undefined) this.#leave(each.node, `\`${name}\` of \`${tool}\` cannot be read`);
      else if (/(api_?key|secret|token|password)$/i.test(name)) this.#leaveSecret(each.node, name);
      else if (read !== null) options[name] = read;
    }
    return Object.keys(options).length === 0 ? tool : { tool, ...options };
  }

  #made(method: string): { readonly call: PythonCall; readonly scope: Scope } | undefined {
    const definition = this.#methods.get(method);
    return definition === undefined ? undefined : this.#returned(definition);
  }

  #resolved(value: PythonValue, scope: Scope): PythonValue {
    if (value.kind !== "name") return value;
    const own = /^self\.(\w+)$/.exec(value.name)?.[1];
    const places = own === undefined ? scope : [this.#body.assignments, this.#ownFields];
    for (const assignments of places) {
      const found = assignments.filter(({ name }) => name === value.name || name === own);
      const [first] = found;
      if (first?.value === undefined) continue;
      // What is assigned several times depends on what has run.
      if (found.length > 1) return { ...value, kind: "unread" };
      return readValue(this.#source, first.value);
    }
    return value;
  }

  /** A value that must not be shown. */
  #leaveSecret(node: PythonNode, name: string): void {
    const place = openAt(
      this.#source,
      node,
      `\`${name}\` is a secret: set it as a variable of the Worker`,
    );
    this.#open.push({ ...place, text: "(hidden)" });
  }

  #leave(node: PythonNode, why: string, firstLine = false): void {
    const place = openAt(this.#source, node, why);
    const text = this.#source.textOf(node).split("\n")[0] ?? "";
    if (this.#open.some(({ line, text: other }) => line === place.line && other === place.text))
      return;
    this.#open.push(firstLine ? { ...place, text } : place);
  }
}

const ADVICE: Readonly<Record<KeywordKind, string>> = {
  value: "write its value into crew.jsonc",
  switch: "write true or false into crew.jsonc",
  model: "write the name of a model into crew.jsonc",
  tools: "write the tools' names into crew.jsonc",
  shape: "write its name into crew.jsonc, and register a schema",
  function: "register a function, and write its name into crew.jsonc",
  functions: "register the functions, and write their names into crew.jsonc",
  judge: "register a function, and write its name into crew.jsonc",
  judges: "register the functions, and write their names into crew.jsonc",
  agent: "write the agent's name into crew.jsonc",
  tasks: "write the tasks' names into crew.jsonc",
  process: "write sequential or hierarchical into crew.jsonc",
  skip: "",
};

function isDecorated({ decorators }: Definition, name: string): boolean {
  return decorators.some((each) => each.name === name);
}

/** `self.writer()`, or `self.writer`. */
function methodName(value: PythonValue): string | undefined {
  if (value.kind !== "call" && value.kind !== "name") return undefined;
  return /^self\.(\w+)$/.exec(value.name)?.[1];
}

function allOf(values: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  return values.includes(undefined) ? undefined : (values as JsonValue[]);
}
