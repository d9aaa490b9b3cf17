// Agents and tasks in the files of a project, with their places.
import type { Issue } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { agentFields, taskFields } from "../crew/definition/definition-forms.ts";
import type { Entry } from "./additions.ts";
import type { FileTree } from "./project-files.ts";
import { faultAt, partOf, readSourceText, type SourceText } from "./source-text.ts";

/** Reads entries of files. Collects faults in `issues`. */
export class ProjectEntries {
  readonly #files: FileTree;
  readonly #issues: Issue[];

  constructor(files: FileTree, issues: Issue[]) {
    this.#files = files;
    this.#issues = issues;
  }

  agents(source: SourceText, agents: JsonValue): Map<string, Entry> {
    if (isJsonObject(agents)) return this.entries(source, ["agents"], agentFields);
    if (!Array.isArray(agents)) {
      const message = `expected names of files, or agents, got ${preview(agents)}`;
      this.#wrong(source, ["agents"], message);
      return new Map();
    }
    return new Map(
      (agents as readonly JsonValue[]).flatMap((each, index): [string, Entry][] => {
        const path = ["agents", String(index)];
        if (typeof each === "string") return this.agentFile(source, each, path);
        const only = onlyEntry(each);
        if (only !== undefined)
          return [[only[0], entryAt(source, [...path, only[0]], agentFields(only[1]))]];
        if (!isJsonObject(each)) {
          const message = `expected the name of a file in agents/, or an agent, got ${preview(each)}`;
          this.#wrong(source, path, message);
          return [];
        }
        const { name, ...agent } = agentFields(each);
        const key = [name, agent["role"]].find((text) => typeof text === "string");
        return [[String(key ?? index), entryAt(source, path, agent)]];
      }),
    );
  }

  /** Reads tasks by name; tasks without a name by their place. */
  tasks(source: SourceText, tasks: JsonValue): Map<string, Entry> {
    if (isJsonObject(tasks)) return this.entries(source, ["tasks"], taskFields);
    const list = Array.isArray(tasks) ? (tasks as readonly JsonValue[]) : [];
    const named = new Map<string, Entry>();
    for (const [index, each] of list.entries()) {
      const path = ["tasks", String(index)];
      const only = onlyEntry(each);
      const fields = only?.[1] ?? each;
      const value = isJsonObject(fields) ? taskFields(fields) : fields;
      const name = only?.[0] ?? (isJsonObject(value) ? value["name"] : undefined);
      const isNew = typeof name === "string" && !named.has(name);
      const at = only === undefined ? path : [...path, only[0]];
      named.set(isNew ? name : `${UNNAMED}${index}`, entryAt(source, at, value));
    }
    return named;
  }

  agentFile(source: SourceText, name: string, path: readonly string[]): [string, Entry][] {
    const file = this.#files.agent(name);
    if (file === undefined) {
      const files = this.#files.paths.join(", ");
      this.#wrong(source, path, `there is no file agents/${name}.jsonc; files: ${files}`);
      return [];
    }
    const own = this.source(file);
    return [[name, { value: agentFields(this.object(own)), source: own }]];
  }

  /** Reads the entries of a mapping at this path, each with its place. */
  entries(
    source: SourceText,
    path: readonly string[],
    read: (entry: JsonObject) => JsonObject,
  ): Map<string, Entry> {
    const whole = this.object(source);
    const mapping = path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, whole);
    return new Map(
      Object.entries(mapping as JsonObject).map(([key, value]) => {
        const fields = isJsonObject(value) ? read(value) : value;
        return [key, entryAt(source, [...path, key], fields)];
      }),
    );
  }

  object(source: SourceText): JsonObject {
    if (isJsonObject(source.value)) return source.value;
    this.#wrong(source, [], `expected a mapping, got ${preview(source.value)}`);
    return {};
  }

  #wrong(source: SourceText, path: readonly string[], message: string): void {
    this.#issues.push(faultAt(source, path, message));
  }

  source(path: string): SourceText {
    return readSourceText(path, this.#files.text(path));
  }
}

/** Prefix of the keys of tasks without a unique name. No task's name begins with it. */
const UNNAMED = "\0";

/** Returns a task's name: its own, or its key in the files. CrewAI's files refer to tasks by their keys. */
export function nameOf(key: string, task: JsonValue): string | undefined {
  const own = isJsonObject(task) ? task["name"] : undefined;
  if (typeof own === "string") return own;
  return key.startsWith(UNNAMED) ? undefined : key;
}

function entryAt(source: SourceText, path: readonly string[], value: JsonValue): Entry {
  return { value, source: partOf(source, path) };
}

/** The name and the fields of `{ "researcher": { … } }`. */
function onlyEntry(value: JsonValue): readonly [string, JsonObject] | undefined {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const [name, fields] = entries[0] ?? [];
  return entries.length === 1 && name !== undefined && isJsonObject(fields ?? null)
    ? [name, fields as JsonObject]
    : undefined;
}
