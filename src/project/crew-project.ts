// A crew as files, in CrewAI's two layouts: `agents.yaml` beside `tasks.yaml`, or `crew.jsonc` with a file for each
// agent.
//
//   - Files are texts, imported at build time or sent over HTTP. This module reads no disk and runs none of the
//     project's code.
//   - Names of code (tools, callbacks, schemas, conditions) are looked up in the host program's registry.
//   PF3. All errors are reported together, each with file, line, column and field. For unreadable YAML only the first
//        error is reported.
//   PF4. Beside `agents.yaml` and `tasks.yaml`, `crew.yaml` (or `.jsonc`) has the settings that CrewAI keeps in
//        crew.py; see additions.ts.
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { partsOfPointer, pointerOf } from "../base/json-pointer.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { agentFields, camelKeys, taskFields } from "../crew/definition/definition-forms.ts";
import { withAdditions, type Entries, type Entry } from "./additions.ts";
import { classicEntries } from "./classic-entries.ts";
import { nameOf, ProjectEntries } from "./project-entries.ts";
import { FileTree, type ProjectFiles } from "./project-files.ts";
import { faultAt, partOf, sourceValue, type SourceText } from "./source-text.ts";

/** The file of a definition's subtree: all fields below the path come from it. */
type Origin = { readonly below: readonly string[]; readonly source: SourceText };

/** A crew's agents and tasks, and its other fields. */
type Parts = Entries & { readonly rest: JsonObject };

/** A project's files, read. */
export class CrewProject {
  /** Fields without an effect, each with file, line and column. Complete after `definition()`. */
  readonly warnings: Issue[] = [];
  readonly #files: FileTree;
  readonly #entries: ProjectEntries;
  readonly #root: string | undefined;
  readonly #additions: SourceText | undefined;
  readonly #origins: Origin[] = [];
  readonly #issues: Issue[] = [];

  /** `root`: the file of the crew, unless its name is `crew.jsonc`. */
  constructor(
    files: ProjectFiles,
    { root, additions }: { readonly root?: string; readonly additions?: unknown } = {},
  ) {
    this.#root = root;
    this.#files = new FileTree(files);
    this.#entries = new ProjectEntries(this.#files, this.#issues);
    this.#additions = additions === undefined ? undefined : sourceValue("additions", additions);
  }

  /** Returns the project as one definition. Throws if files are missing or unreadable. */
  definition(): JsonObject {
    const root = this.#root ?? this.#files.find(/(^|\/)crew\.(jsonc?|ya?ml)$/);
    const isClassic = this.#root === undefined && this.#files.find(TASKS) !== undefined;
    const parts =
      root === undefined || isClassic
        ? this.#added(this.#classic(), root)
        : this.#added(this.#declared(root));
    const definition = this.#assembled(parts);
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
      // A field that is ignored is often the one that is missing, misspelt.
      throw unusable([...error.issues.map((issue) => this.#placed(issue)), ...this.warnings]);
    }
  }

  /** Reads `agents.yaml` and `tasks.yaml`. */
  #classic(): Parts {
    const layouts = "crew.jsonc, or agents.yaml and tasks.yaml";
    const agents = this.#entries.source(this.#files.need(AGENTS, layouts));
    const tasks = this.#entries.source(this.#files.need(TASKS, "tasks.yaml beside agents.yaml"));
    this.#origins.push({ below: ["agents"], source: agents }, { below: ["tasks"], source: tasks });
    const read = {
      agents: classicEntries("agents", this.#entries.entries(agents, [], agentFields)),
      tasks: classicEntries("tasks", this.#entries.entries(tasks, [], taskFields)),
    };
    this.warnings.push(...read.agents.warnings, ...read.tasks.warnings);
    return { agents: read.agents.entries, tasks: read.tasks.entries, rest: {} };
  }

  /** Reads `crew.jsonc`. Its agents stand inline or in files of their own. */
  #declared(root: string): Parts {
    const source = this.#entries.source(root);
    this.#origins.push({ below: [], source });
    const { agents = [], tasks = [], ...rest } = camelKeys(this.#entries.object(source));
    const named = this.#entries.agents(source, agents);
    const { managerAgent: manager } = rest;
    if (typeof manager === "string" && !named.has(manager))
      for (const [name, entry] of this.#entries.agentFile(source, manager, ["managerAgent"]))
        named.set(name, entry);
    if (!Array.isArray(tasks) && !isJsonObject(tasks))
      this.#issues.push(faultAt(source, ["tasks"], `expected tasks, got ${preview(tasks)}`));
    return { agents: named, tasks: this.#entries.tasks(source, tasks), rest };
  }

  /** Applies the additions of a file, of `additions`, or of both. */
  #added({ agents, tasks, rest }: Parts, file?: string): Parts {
    const sources = [file === undefined ? undefined : this.#entries.source(file), this.#additions];
    return sources.reduce<Parts>(
      (parts, additions) => {
        if (additions === undefined) return parts;
        const { agents: _, tasks: __, ...own } = camelKeys(this.#entries.object(additions));
        for (const below of placesOf(own))
          this.#origins.unshift({ below, source: partOf(additions, below) });
        const use = { additions, issues: this.#issues };
        return {
          agents: withAdditions("agents", parts.agents, use),
          tasks: withAdditions("tasks", parts.tasks, use),
          rest: { ...parts.rest, ...own, ...withSchemas(parts.rest, own) },
        };
      },
      { agents, tasks, rest },
    );
  }

  #assembled({ agents, tasks, rest }: Parts): JsonObject {
    for (const [name, entry] of agents) this.#place(["agents", name], entry);
    const names = new Map<JsonValue, string | undefined>(
      [...tasks].map(([key, { value }]) => [key, nameOf(key, value)]),
    );
    const list = [...tasks].map(([key, entry], index) => {
      this.#place(["tasks", String(index)], entry);
      const { value } = entry;
      if (!isJsonObject(value)) return value;
      const { context } = value;
      return {
        ...value,
        name: value["name"] ?? names.get(key) ?? null,
        ...(Array.isArray(context) && {
          context: context.map((other: JsonValue) => names.get(other) ?? other),
        }),
      };
    });
    const named = [...agents].map(([name, { value }]) => [
      name,
      this.#withFiles(value, ["agents", name]),
    ]);
    return {
      ...(this.#withFiles(rest, []) as JsonObject),
      agents: Object.fromEntries(named) as JsonObject,
      tasks: list,
    };
  }

  /** Replaces names of files with the files' texts: skills and prompts. */
  #withFiles(fields: JsonValue, path: readonly string[]): JsonValue {
    if (!isJsonObject(fields)) return fields;
    const { skills, promptFile } = fields;
    const prompts =
      typeof promptFile === "string"
        ? this.#tried([...path, "promptFile"], () => this.#files.prompts(promptFile))
        : undefined;
    const found = Array.isArray(skills)
      ? this.#tried([...path, "skills"], () => this.#files.skills(skills as JsonValue[]))
      : undefined;
    return {
      ...fields,
      ...(found !== undefined && { skills: found }),
      ...(prompts !== undefined && { prompts, promptFile: null }),
    };
  }

  /** Reports a fault of a named file as an issue of the field. */
  #tried<Made>(path: readonly string[], make: () => Made): Made | undefined {
    try {
      return make();
    } catch (error) {
      this.#issues.push(this.#placed({ path: pointerOf(path), message: errorMessage(error) }));
      return undefined;
    }
  }

  #place(below: readonly string[], { source, added = new Map() }: Entry): void {
    this.#origins.push({ below, source });
    for (const [field, from] of added)
      this.#origins.push({ below: [...below, field], source: from });
  }

  #placed(issue: Issue): Issue {
    const path = partsOfPointer(issue.path);
    const origin = this.#origins
      .filter(({ below }) => below.every((part, index) => path[index] === part))
      .toSorted((a, b) => b.below.length - a.below.length)[0];
    if (origin === undefined) return issue;
    const { message } = faultAt(origin.source, path.slice(origin.below.length), issue.message);
    return { path: issue.path, message };
  }
}

/** Returns the fields of an addition. Shapes are listed one by one, since they are added to those of the files. */
function placesOf({ schemas, ...fields }: JsonObject): readonly (readonly string[])[] {
  const names = isJsonObject(schemas) ? Object.keys(schemas) : [];
  const own = names.map((name) => ["schemas", name]);
  return [
    ...Object.keys(fields).map((field) => [field]),
    ...own,
    ...(schemas === undefined ? [] : [["schemas"]]),
  ];
}

/** Merges shapes by name: those of an addition replace those of the files, and null removes one. */
function withSchemas({ schemas: known }: JsonObject, { schemas: added }: JsonObject): JsonObject {
  if (!isJsonObject(known) || !isJsonObject(added)) return {};
  const all = Object.entries({ ...known, ...added }).filter(([, schema]) => schema !== null);
  return { schemas: Object.fromEntries(all) };
}

const AGENTS = /(^|\/)agents\.ya?ml$/;
const TASKS = /(^|\/)tasks\.ya?ml$/;

function unusable(issues: readonly Issue[]): EngineError {
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new EngineError(
    "invalid_definition",
    `the project cannot be used: ${issues[0]?.message ?? ""}${more}`,
    { issues },
  );
}
