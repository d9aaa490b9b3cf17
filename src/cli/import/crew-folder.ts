// Folder of a crew: its unchanged YAML, and beside it `crew.jsonc` with the contents of its class.
//
//   CRF1. The YAML is copied byte for byte. Agents and tasks are those of the crew, in its order, under their names in
//         the YAML.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { readYaml } from "../../base/yaml.ts";
import { camelCase } from "../../base/camel-case.ts";
import { isClassicField, type ClassicKind } from "../../build/classic-fields.ts";
import type { CrewClass, Part } from "./crew-class.ts";
import { openFile, type OpenPlace } from "./open-places.ts";

/** Code of the project, available to definitions. */
export type KnownCode = {
  /** Names of own tools for models, by the name of the class or function. */
  readonly tools: ReadonlyMap<string, string>;
  readonly shapes: ReadonlySet<string>;
  /** Returns a shape as data. Undefined for one that needs code. */
  readonly schemaOf: (name: string) => JsonObject | undefined;
  /** True if a class is a tool of the catalogue. */
  readonly isInCatalogue: (name: string) => boolean;
};

export type CrewFolder = {
  readonly name: string;
  readonly definition: JsonObject;
  /** True if the agents or tasks are complete without their YAML, since it lacks some of them. */
  readonly isWhole: { readonly agents: boolean; readonly tasks: boolean };
  /** Shapes and functions in its files, including shapes in the definition. */
  readonly shapes: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, FunctionUse>;
  readonly open: readonly OpenPlace[];
};

/** Purpose of a function: `decides` stops a run until a person writes it; `listens` passes its argument through. */
export type FunctionUse = "decides" | "listens";

type Yaml = { readonly path: string; readonly text: string };

type Fields = Record<string, JsonValue>;

/** Makes the files beside the YAML of a crew. */
export function crewFolder(
  crew: CrewClass,
  { agents: agentsYaml, tasks: tasksYaml }: { readonly agents: Yaml; readonly tasks: Yaml },
  known: KnownCode,
): CrewFolder {
  const open: OpenPlace[] = [];
  const agentEntries = entriesOf(agentsYaml, open);
  const taskEntries = entriesOf(tasksYaml, open);
  const fixer = new Names(crew, known, open);
  const agentNames = namesOf(crew.agents, agentEntries);
  const agentOf = (name: JsonValue | undefined): JsonValue | undefined =>
    typeof name === "string" ? (agentNames.get(name) ?? name) : name;

  const isWhole = {
    agents: lacksParts(crew.agents, agentEntries),
    tasks: lacksParts(crew.tasks, taskEntries),
  };
  const agents: Fields = {};
  const order: string[] = [];
  for (const [method, { config, fields }] of crew.agents) {
    const name = agentNames.get(method) ?? method;
    const entry = config === undefined ? undefined : agentEntries.get(config);
    if (config !== undefined && entry === undefined && fields["role"] === undefined) {
      open.push(openFile(agentsYaml.path, `has no \`${config}\`, which \`${method}\` is made of`));
      continue;
    }
    const own = { ...fixer.ofYaml(entry ?? {}, fields), ...fixer.fixed(fields) };
    order.push(name);
    const isThere = agentEntries.has(name) && !isWhole.agents;
    if (!isThere) agents[name] = { ...withKnownFields("agents", entry), ...own };
    else if (Object.keys(own).length > 0) agents[name] = own;
  }

  const tasks = [...crew.tasks].flatMap(([method, { config, fields }]): JsonValue[] => {
    const entry = config === undefined ? undefined : taskEntries.get(config);
    if (config !== undefined && entry === undefined && fields["description"] === undefined) {
      open.push(openFile(tasksYaml.path, `has no \`${config}\`, which \`${method}\` is made of`));
      return [];
    }
    const agent = agentOf(fields["agent"] ?? entry?.["agent"]);
    const own = {
      ...fixer.ofYaml(entry ?? {}, fields),
      ...fixer.fixed(fields),
      ...(agent !== undefined && { agent }),
    };
    if (agent === undefined && crew.crew["process"] !== "hierarchical")
      open.push(openFile(tasksYaml.path, `no agent is named for the task \`${method}\``));
    const { name: shown, ...rest } = own as Fields;
    const { config: _, name: __, ...yaml } = withKnownFields("tasks", entry);
    const all: JsonObject = { ...yaml, ...rest };
    if (all["expected_output"] === undefined && all["expectedOutput"] === undefined) {
      rest["expectedOutput"] = ANY_OUTPUT;
      const why = `the task \`${method}\` has no expected_output, which CrewAI requires: write one instead of the general text`;
      open.push(openFile(config === undefined ? crew.source.path : tasksYaml.path, why));
    }
    if (method === config && shown === undefined && !isWhole.tasks)
      return [{ name: method, ...rest }];
    return [{ name: shown ?? method, ...yaml, ...rest }];
  });

  if (tasks.length === 0)
    open.push(openFile(crew.source.path, `no task of ${crew.className} could be read: write them`));
  const found = [...fixer.shapes].map((name) => [name, known.schemaOf(name)] as const);
  const schemas = Object.fromEntries(found.filter(([, schema]) => schema !== undefined));
  const { managerAgent, ...crewFields } = fixer.fixed(crew.crew);
  const manager = agentOf(managerAgent);
  const definition = {
    ...crewFields,
    ...(manager !== undefined && { managerAgent: manager }),
    ...(fixer.hasUnknownTools && { missingTools: "stub" }),
    ...agentsField(agents, { order, known: isWhole.agents ? [] : [...agentEntries.keys()] }),
    tasks,
    ...(Object.keys(schemas).length > 0 && { schemas }),
  } as JsonObject;
  return {
    name: crewName(crew.className),
    definition,
    isWhole,
    shapes: fixer.shapes,
    functions: fixer.functions,
    open,
  };
}

/** The fields of an entry that CrewAI or Edgecrew reads; others are named when the YAML is read. */
function withKnownFields(kind: ClassicKind, entry: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter(([field]) => isClassicField(kind, camelCase(field))),
  );
}

/** True if the code makes parts without an entry in a YAML that has others. */
function lacksParts(
  parts: ReadonlyMap<string, Part>,
  entries: ReadonlyMap<string, JsonObject>,
): boolean {
  if (entries.size === 0) return false;
  return [...parts].some(([method, { config }]) => !entries.has(config ?? method));
}

/** Expected output of a task without one, as tasks of early versions of CrewAI are. */
const ANY_OUTPUT = "The complete result of the task, as its description asks for it.";

/** Returns a mapping if the crew has all agents of the YAML in their order, otherwise a list of its agents. */
function agentsField(
  agents: Fields,
  { order, known }: { readonly order: readonly string[]; readonly known: readonly string[] },
): Fields {
  if (order.length === 0 || order.join("\n") === known.join("\n"))
    return Object.keys(agents).length > 0 ? { agents } : {};
  return { agents: order.map((name) => ({ name, ...(agents[name] as JsonObject | undefined) })) };
}

/** `JobPostingCrew` as `job-posting`. */
export function crewName(className: string): string {
  const words = className.replace(/(?<=.)Crew$/, "").replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_+/g, "-");
  return words.toLowerCase().replaceAll(/^-+|-+$/g, "") || "crew";
}

/** Reads the agents or tasks of a file. An unreadable file is an open place. */
export function entriesOf(
  { path, text }: Yaml,
  open: OpenPlace[],
): ReadonlyMap<string, JsonObject> {
  try {
    const { value } = readYaml(text, (reason, { line }) => new Error(`line ${line}: ${reason}`));
    if (!isJsonObject(value)) return new Map();
    return new Map(
      Object.entries(value).filter((entry): entry is [string, JsonObject] =>
        isJsonObject(entry[1]),
      ),
    );
  } catch (error) {
    open.push(openFile(path, `cannot be read: ${(error as Error).message}`));
    return new Map();
  }
}

/** Returns the name of each method's entry: the YAML's name if only one method uses it. */
function namesOf(
  parts: ReadonlyMap<string, Part>,
  entries: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, string> {
  const users = (config: string): number =>
    [...parts.values()].filter((each) => each.config === config).length;
  return new Map(
    [...parts].map(([method, { config }]) => [
      method,
      config !== undefined && entries.has(config) && users(config) === 1 ? config : method,
    ]),
  );
}

/** Looks up names of code. */
class Names {
  readonly shapes = new Set<string>();
  readonly functions = new Map<string, FunctionUse>();
  hasUnknownTools = false;
  readonly #crew: CrewClass;
  readonly #known: KnownCode;
  readonly #open: OpenPlace[];

  constructor(crew: CrewClass, known: KnownCode, open: OpenPlace[]) {
    this.#crew = crew;
    this.#known = known;
    this.#open = open;
  }

  /** Resolves names of the class in the YAML. */
  ofYaml(entry: JsonObject, over: JsonObject): JsonObject {
    const { tools, llm, function_calling_llm: calling } = entry;
    const { models } = this.#crew;
    const found: Fields = {};
    if (Array.isArray(tools) && over["tools"] === undefined)
      found["tools"] = (tools as readonly JsonValue[]).map((tool) => this.#tool(tool));
    if (typeof llm === "string" && models.has(llm)) found["llm"] = models.get(llm) ?? llm;
    if (typeof calling === "string" && models.has(calling))
      found["functionCallingLlm"] = models.get(calling) ?? calling;
    for (const [field, name] of Object.entries(entry)) {
      if (typeof name !== "string") continue;
      if (/^(output_json|output_pydantic|response_model)$/.test(field)) this.#shape(name);
      if (/^(callback|step_callback|condition)$/.test(field))
        this.functions.set(lastPart(name), useOf(field));
    }
    return found;
  }

  fixed(fields: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]): [string, JsonValue][] => {
        if (name === "tools")
          return [[name, (value as readonly JsonValue[]).map((tool) => this.#tool(tool))]];
        if (/^(outputJson|outputPydantic|responseModel)$/.test(name))
          return typeof value === "string" && this.#shape(value) ? [[name, value]] : [];
        if (/allback|^condition$|^guardrails?$/.test(name))
          for (const each of [value].flat())
            if (typeof each === "string" && this.#crew.uses.functions.has(each))
              this.functions.set(each, useOf(name));
        return [[name, value]];
      }),
    );
  }

  #tool(entry: JsonValue): JsonValue {
    const named = typeof entry === "string" ? (this.#crew.tools.get(entry) ?? entry) : entry;
    const { tool, ...options } = isJsonObject(named) ? named : { tool: named };
    if (typeof tool !== "string") return entry;
    const own = this.#known.tools.get(tool);
    if (own === undefined && !this.#known.isInCatalogue(tool)) {
      this.hasUnknownTools = true;
      this.#missing(`the tool \`${tool}\` is not in the catalogue: register one of this name`);
    }
    if (own !== undefined && Object.keys(options).length > 0)
      this.#missing(`the arguments of your tool \`${tool}\` are left out: set them in its stub`);
    if (own !== undefined) return own;
    return Object.keys(options).length === 0 ? tool : { tool, ...options };
  }

  #shape(name: string): boolean {
    const isKnown = this.#known.shapes.has(name);
    if (isKnown) this.shapes.add(name);
    else
      this.#missing(`the class \`${name}\` is not among the files: register a schema of this name`);
    return isKnown;
  }

  #missing(why: string): void {
    const place = openFile(this.#crew.source.path, why);
    if (!this.#open.some((each) => each.why === why)) this.#open.push(place);
  }
}

function lastPart(name: string): string {
  return name.split(/[.:]/).at(-1) ?? name;
}

function useOf(field: string): FunctionUse {
  return /allback/.test(field) ? "listens" : "decides";
}
