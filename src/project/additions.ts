// Definitions that a project's code adds to its files, as data. In CrewAI they stand in crew.py.
//
//   AD1. A field of an addition replaces the file's field; null removes it. Any output shape replaces any other. Shapes
//        in `schemas` are added one by one, by name.
//   AD2. A list of agents or tasks is the crew's complete list, in this order. A mapping leaves the others in place.
//   AD3. A name missing from the files is a new agent or task if the addition is complete, and a fault otherwise.
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { agentFields, taskFields } from "../crew/definition/definition-forms.ts";
import { faultAt, partOf, type SourceText } from "./source-text.ts";
import type { Issue } from "../base/error.ts";
import type {
  AgentDefinition,
  CrewDefinition,
  TaskDefinition,
} from "../crew/definition/definition-schema.ts";

/** Fields of a crew, its agents and its tasks, added to those of a project's files. Names may be in snake_case. */
export type ProjectAdditions = Partial<Omit<CrewDefinition, "agents" | "tasks" | "ignored">> & {
  /** Agents by name, or a list of all agents of the crew, in order. */
  readonly agents?:
    | Readonly<Record<string, Partial<AgentDefinition>>>
    | ReadonlyArray<string | (Partial<AgentDefinition> & { readonly name: string })>;
  /** Tasks by name, or a list of all tasks of the crew, in order. */
  readonly tasks?:
    | Readonly<Record<string, Partial<TaskDefinition>>>
    | ReadonlyArray<string | (Partial<TaskDefinition> & { readonly name: string })>;
};

/** An agent or a task, and the sources of its fields. */
export type Entry = {
  readonly value: JsonValue;
  readonly source: SourceText;
  /** Sources of fields from other files. */
  readonly added?: ReadonlyMap<string, SourceText>;
};

/** The agents and tasks of a project, by name. */
export type Entries = {
  readonly agents: ReadonlyMap<string, Entry>;
  readonly tasks: ReadonlyMap<string, Entry>;
};

type Kind = keyof Entries;

const REQUIRED = { agents: "role", tasks: "description" } as const;
const FIELDS = { agents: agentFields, tasks: taskFields };
const OUTPUTS = ["output", "outputJson", "outputPydantic"];

/** Adds to the agents or tasks of a project. Collects faults in `issues`. */
export function withAdditions(
  kind: Kind,
  known: ReadonlyMap<string, Entry>,
  { additions, issues }: { readonly additions: SourceText; readonly issues: Issue[] },
): ReadonlyMap<string, Entry> {
  const { value } = additions;
  const added = (isJsonObject(value) ? value[kind] : undefined) ?? null;
  if (added === null) return known;
  const named = namedAdditions(kind, added, { additions, issues });
  const isList = Array.isArray(added);
  const result = new Map(isList ? [] : known);
  for (const { name, fields, path } of named) {
    const source = partOf(additions, path);
    const entry = known.get(name);
    if (entry !== undefined) result.set(name, merged(entry, FIELDS[kind](fields), source));
    else if (REQUIRED[kind] in fields) result.set(name, { value: fields, source });
    else {
      const names = [...known.keys()].join(", ") || "none";
      issues.push(
        faultAt(
          additions,
          path,
          `the files have no such ${kind.slice(0, -1)}; they have: ${names}`,
        ),
      );
    }
  }
  return result;
}

type Named = {
  readonly name: string;
  readonly fields: JsonObject;
  readonly path: readonly string[];
};

function namedAdditions(
  kind: Kind,
  added: JsonValue,
  { additions, issues }: { readonly additions: SourceText; readonly issues: Issue[] },
): readonly Named[] {
  const entries: readonly Named[] | undefined = Array.isArray(added)
    ? (added as readonly JsonValue[]).flatMap((each, index) =>
        listed(kind, each, [kind, String(index)]),
      )
    : isJsonObject(added)
      ? Object.entries(added).map(([name, fields]) => ({
          name,
          fields: fields as JsonObject,
          path: [kind, name],
        }))
      : undefined;
  const list = `a mapping of names, or a list of ${kind} with names`;
  if (entries === undefined)
    issues.push(faultAt(additions, [kind], `expected ${list}, got ${preview(added)}`));
  return (entries ?? []).filter(({ name, fields, path }) => {
    if (name !== "" && isJsonObject(fields)) return true;
    const expected =
      name === ""
        ? `the fields of ${kind === "tasks" ? "a task" : "an agent"}, with its name`
        : "fields";
    issues.push(faultAt(additions, path, `expected ${expected}, got ${preview(fields)}`));
    return false;
  });
}

/** `{ "name": "dig", … }`, or the name alone. */
function listed(kind: Kind, each: JsonValue, path: readonly string[]): readonly Named[] {
  if (typeof each === "string") return [{ name: each, fields: {}, path }];
  if (!isJsonObject(each)) return [{ name: "", fields: each as never, path }];
  const { name, ...fields } = each;
  // A task has a name of its own; an agent has its key as name.
  return [
    { name: typeof name === "string" ? name : "", fields: kind === "tasks" ? each : fields, path },
  ];
}

function merged({ value, source, added }: Entry, fields: JsonObject, from: SourceText): Entry {
  if (!isJsonObject(value)) return { value, source };
  const setsOutput = OUTPUTS.some((name) => name in fields);
  const kept = Object.entries(value).filter(([name]) => !(setsOutput && OUTPUTS.includes(name)));
  const places = Object.keys(fields).map((name): [string, SourceText] => [
    name,
    partOf(from, [name]),
  ]);
  return {
    value: { ...Object.fromEntries(kept), ...fields },
    source,
    added: new Map([...(added ?? []), ...places]),
  };
}
