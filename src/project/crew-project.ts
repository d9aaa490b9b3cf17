// A crew as files, in CrewAI's two layouts: `agents.yaml` beside `tasks.yaml`, or `crew.jsonc` with a file for each agent.
//
//   - Files are texts, imported at build time or sent over HTTP: nothing here reads a disk or runs the project's code.
//   - What names code (tools, callbacks, schemas, conditions) is looked up in the registry that the host program gives.
//   PF3. All errors are reported together, each with file, line and column;
//        of YAML that cannot be read, the first error.
import { EngineError, type Issue } from "../base/error.ts";
import { partsOfPointer } from "../base/json-pointer.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
  type CrewDefinition,
} from "../crew/definition/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition/definition-registry.ts";
import { issueAt, readSourceText, type SourceText } from "./source-text.ts";

/** The texts of a project by their path in it: `config/agents.yaml`, `crew.jsonc`, `agents/researcher.jsonc`. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** Makes the crew that a project describes. Throws `invalid_definition` with one issue for each thing that is wrong. */
export function crewFromProject(files: ProjectFiles, registry: DefinitionRegistry = {}): Crew {
  const project = new CrewProject(files);
  const definition = project.definition();
  return project.placed(() => crewFromDefinition(readCrewDefinition(definition), registry));
}

/** The definition that a project amounts to, as `PUT /crews/:name` takes and stores it. Throws as `crewFromProject`. */
export function definitionFromProject(files: ProjectFiles): CrewDefinition {
  const project = new CrewProject(files);
  const definition = project.definition();
  return project.placed(() => readCrewDefinition(definition));
}

/** Where a part of the definition comes from: a path below which it is this file's. */
type Origin = { readonly below: readonly string[]; readonly source: SourceText };

/** A project's files, read. */
export class CrewProject {
  readonly #files: ReadonlyMap<string, string>;
  readonly #root: string | undefined;
  readonly #origins: Origin[] = [];
  readonly #issues: Issue[] = [];

  /** `root`: the file of the crew, where it is not named `crew.jsonc`. */
  constructor(files: ProjectFiles, root?: string) {
    this.#root = root;
    this.#files = new Map(
      Object.entries(files).map(([path, text]) => [path.replace(/^\.?\//, ""), text]),
    );
  }

  /** The project as one definition, in the files' own spelling of names. Throws for files that are missing or unreadable. */
  definition(): JsonObject {
    const root = this.#root ?? this.#find(/(^|\/)crew\.(jsonc?|ya?ml)$/);
    const definition = root === undefined ? this.#classic() : this.#declared(root);
    if (this.#issues.length > 0) throw unusable(this.#issues);
    return definition;
  }

  /** Uses the definition; errors are reported with their place in the files. */
  placed<Made>(make: () => Made): Made {
    try {
      return make();
    } catch (error) {
      if (
        !EngineError.is(error) ||
        error.code !== "invalid_definition" ||
        error.issues === undefined
      )
        throw error;
      throw unusable(error.issues.map((issue) => this.#placed(issue)));
    }
  }

  /** `agents.yaml` and `tasks.yaml`. */
  #classic(): JsonObject {
    const agents = this.#source(
      this.#need(/(^|\/)agents\.ya?ml$/, "crew.jsonc, or agents.yaml and tasks.yaml"),
      ["agents"],
    );
    const tasks = this.#source(this.#need(/(^|\/)tasks\.ya?ml$/, "tasks.yaml beside agents.yaml"), [
      "tasks",
    ]);
    return {
      agents: this.#mapping(agents, agentEntry),
      tasks: this.#mapping(tasks, taskEntry),
    };
  }

  /** `crew.jsonc`, whose agents stand in it or in files of their own. */
  #declared(root: string): JsonObject {
    const source = this.#source(root, []);
    const { agents = [], tasks = [], manager_agent: manager, ...rest } = this.#object(source);
    const managerName = typeof manager === "string" ? { manager_agent: manager } : undefined;
    const named = this.#agents(source, agents);
    if (managerName !== undefined && !Object.hasOwn(named, managerName.manager_agent))
      Object.assign(named, this.#agentFile(source, managerName.manager_agent, ["manager_agent"]));
    const list = Array.isArray(tasks)
      ? tasks.map((task) => (isJsonObject(task) ? taskEntry(task) : task))
      : tasks;
    return { ...rest, ...managerName, agents: named, tasks: list };
  }

  #agents(source: SourceText, agents: JsonValue): Record<string, JsonValue> {
    if (isJsonObject(agents)) return this.#entries(agents, agentEntry);
    if (!Array.isArray(agents))
      return this.#wrong(
        source,
        ["agents"],
        `expected names of files, or agents, got ${preview(agents)}`,
      );
    return Object.assign(
      {},
      ...agents.map((each, index): Record<string, JsonValue> => {
        const path = ["agents", String(index)];
        if (typeof each === "string") return this.#agentFile(source, each, path);
        if (!isJsonObject(each))
          return this.#wrong(
            source,
            path,
            `expected the name of a file in agents/, or an agent, got ${preview(each)}`,
          );
        const { name, ...agent } = agentEntry(each);
        const key =
          typeof name === "string"
            ? name
            : typeof agent["role"] === "string"
              ? agent["role"]
              : String(index);
        this.#origins.push({ below: ["agents", key], source: partOf(source, path) });
        return { [key]: agent };
      }),
    ) as Record<string, JsonValue>;
  }

  #agentFile(source: SourceText, name: string, path: readonly string[]): Record<string, JsonValue> {
    const file = [...this.#files.keys()].find((each) =>
      new RegExp(`(^|/)agents/${escapedPattern(name)}\\.(jsonc?|ya?ml)$`).test(each),
    );
    if (file === undefined) {
      return this.#wrong(
        source,
        path,
        `there is no file agents/${name}.jsonc; files: ${[...this.#files.keys()].join(", ")}`,
      );
    }
    return { [name]: agentEntry(this.#object(this.#source(file, ["agents", name]))) };
  }

  #mapping(source: SourceText, read: (entry: JsonObject) => JsonObject): JsonObject {
    return this.#entries(this.#object(source), read);
  }

  #entries(
    definitions: JsonObject,
    read: (entry: JsonObject) => JsonObject,
  ): Record<string, JsonValue> {
    return Object.fromEntries(
      Object.entries(definitions).map(([key, entry]) => [
        key,
        isJsonObject(entry) ? read(entry) : entry,
      ]),
    );
  }

  #object(source: SourceText): JsonObject {
    if (isJsonObject(source.value)) return source.value;
    return this.#wrong(source, [], `expected a mapping, got ${preview(source.value)}`);
  }

  #wrong(source: SourceText, path: readonly string[], message: string): Record<string, never> {
    this.#issues.push(issueAt(source, path, message));
    return {};
  }

  #find(pattern: RegExp): string | undefined {
    return [...this.#files.keys()].find((path) => pattern.test(path));
  }

  #need(pattern: RegExp, expected: string): string {
    const found = this.#find(pattern);
    if (found !== undefined) return found;
    const got = [...this.#files.keys()].join(", ") || "no file";
    throw new EngineError("invalid_definition", `a crew project needs ${expected}, got ${got}`);
  }

  #source(path: string, below: readonly string[]): SourceText {
    const source = readSourceText(path, this.#files.get(path) ?? "");
    this.#origins.push({ below, source });
    return source;
  }

  #placed(issue: Issue): Issue {
    const path = partsOfPointer(issue.path);
    const origin = this.#origins
      .filter(({ below }) => below.every((part, index) => path[index] === part))
      .toSorted((a, b) => b.below.length - a.below.length)[0];
    if (origin === undefined) return issue;
    const { message } = issueAt(origin.source, path.slice(origin.below.length), issue.message);
    return { path: issue.path, message };
  }
}

/** The part of a file below a path, as a file. */
function partOf(source: SourceText, path: readonly string[]): SourceText {
  return { ...source, placeOf: (below) => source.placeOf([...path, ...below]) };
}

/** An agent in our form: what stands under `settings` beside the rest, tools by name. */
export function agentEntry(input: JsonObject): JsonObject {
  const { settings, type: _, ...agent } = input;
  return withToolNames({ ...(isJsonObject(settings) ? settings : undefined), ...agent });
}

/** A task in our form: conditional by `condition`, tools and code by name. */
export function taskEntry({ type, ...task }: JsonObject): JsonObject {
  const kind =
    typeof type === "string" && /conditional/i.test(type) ? { type: "conditional" } : undefined;
  return withToolNames({ ...task, ...kind });
}

/** What names code, as the registry knows it: `crewai_tools:SerperDevTool`, `custom:search`, `{ "python": "module.attr" }`. */
function withToolNames(entry: JsonObject): JsonObject {
  const named = Object.entries(entry).map(([key, value]): [string, JsonValue] => {
    if (key === "tools" && Array.isArray(value))
      return [key, value.map((ref) => lastName(codeName(ref)))];
    return [key, codeName(value)];
  });
  return Object.fromEntries(named);
}

function codeName(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { python, ...others } = value;
  return typeof python === "string" && Object.keys(others).length === 0 ? python : value;
}

function lastName(ref: JsonValue): JsonValue {
  return typeof ref === "string" ? (ref.split(/[:.]/).at(-1) ?? ref) : ref;
}

function escapedPattern(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function unusable(issues: readonly Issue[]): EngineError {
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new EngineError(
    "invalid_definition",
    `the project cannot be used: ${issues[0]?.message ?? ""}${more}`,
    { issues },
  );
}
