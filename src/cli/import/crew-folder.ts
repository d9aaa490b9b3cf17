// Folder of a crew: its unchanged YAML, and beside it `crew.jsonc` with the contents of its class.
//
//   CRF1. The YAML is copied byte for byte. Agents and tasks are those of the crew, in its order, under their names in
//         the YAML.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { readYaml } from "../../base/yaml.ts";
import { camelCase } from "../../base/camel-case.ts";
import { isClassicField, type ClassicKind } from "../../build/classic-fields.ts";
import type { CrewClass, Part } from "./crew-class.ts";
import { CodeLookup, type FunctionUse, type KnownCode } from "./code-lookup.ts";
import { openFile, type OpenPlace } from "./open-places.ts";

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

type Yaml = { readonly path: string; readonly text: string };

type Fields = Record<string, JsonValue>;

type Entries = ReadonlyMap<string, JsonObject>;

/** Makes the files beside the YAML of a crew. */
export function crewFolder(
  crew: CrewClass,
  { agents: agentsYaml, tasks: tasksYaml }: { readonly agents: Yaml; readonly tasks: Yaml },
  known: KnownCode,
): CrewFolder {
  const open: OpenPlace[] = [];
  const agentEntries = entriesOf(agentsYaml, open);
  const taskEntries = entriesOf(tasksYaml, open);
  const lookup = new CodeLookup(crew, known, open);
  const agentNames = namesOf(crew.agents, agentEntries);
  const isWhole = {
    agents: lacksParts(crew.agents, agentEntries),
    tasks: lacksParts(crew.tasks, taskEntries),
  };
  const parts = { crew, lookup, open, agentNames };
  const tasks = tasksField({
    ...parts,
    entries: taskEntries,
    path: tasksYaml.path,
    isWhole: isWhole.tasks,
  });
  const agents = agentsField({
    ...parts,
    entries: agentEntries,
    path: agentsYaml.path,
    isWhole: isWhole.agents,
    named: tasks.flatMap(({ agent }) => (typeof agent === "string" ? [agent] : [])),
  });
  if (tasks.length === 0)
    open.push(openFile(crew.source.path, `no task of ${crew.className} could be read: write them`));
  const found = [...lookup.shapes].map((name) => [name, known.schemaOf(name)] as const);
  const schemas = Object.fromEntries(found.filter(([, schema]) => schema !== undefined));
  const { managerAgent, ...crewFields } = lookup.fixed(crew.crew);
  const definition = {
    ...crewFields,
    ...(typeof managerAgent === "string" && {
      managerAgent: agentNames.get(managerAgent) ?? managerAgent,
    }),
    ...(lookup.hasUnknownTools && { missingTools: "stub" }),
    ...agents,
    tasks,
    ...(Object.keys(schemas).length > 0 && { schemas }),
  } as JsonObject;
  return {
    name: crewName(crew.className),
    definition,
    isWhole,
    shapes: lookup.shapes,
    functions: lookup.functions,
    open,
  };
}

type PartsOf = {
  readonly crew: CrewClass;
  readonly lookup: CodeLookup;
  readonly open: OpenPlace[];
  /** Names of agents by their methods. */
  readonly agentNames: ReadonlyMap<string, string>;
  readonly entries: Entries;
  /** The YAML. */
  readonly path: string;
  /** True if the YAML is written without its entries. */
  readonly isWhole: boolean;
};

/** Returns a mapping if the crew has all agents of the YAML in their order, otherwise a list of its agents. */
function agentsField({
  crew,
  lookup,
  open,
  agentNames,
  entries,
  path,
  isWhole,
  named,
}: PartsOf & { readonly named: readonly string[] }): Fields {
  const agents: Fields = {};
  const order: string[] = [];
  for (const [method, { config, fields }] of crew.agents) {
    const name = agentNames.get(method) ?? method;
    const entry = entryOf(
      { entries, open, path },
      { method, config, isWritten: fields["role"] !== undefined },
    );
    if (entry === undefined) continue;
    const own = { ...lookup.ofYaml(entry, fields), ...lookup.fixed(fields) };
    order.push(name);
    const isThere = entries.has(name) && !isWhole;
    if (!isThere) agents[name] = { ...withKnownFields("agents", entry), ...own };
    else if (Object.keys(own).length > 0) agents[name] = own;
  }
  // Tasks of the YAML may name agents of the YAML for which the class has no method.
  for (const name of new Set(named)) {
    const entry = entries.get(name);
    if (entry === undefined || order.includes(name)) continue;
    order.push(name);
    if (isWhole) agents[name] = withKnownFields("agents", entry);
  }
  const all = isWhole ? [] : [...entries.keys()];
  if (order.length === 0 || order.join("\n") === all.join("\n"))
    return Object.keys(agents).length > 0 ? { agents } : {};
  return { agents: order.map((name) => ({ name, ...(agents[name] as JsonObject | undefined) })) };
}

function tasksField({
  crew,
  lookup,
  open,
  agentNames,
  entries,
  path,
  isWhole,
}: PartsOf): readonly JsonObject[] {
  return [...crew.tasks].flatMap(([method, { config, fields }]): JsonObject[] => {
    const isWritten = fields["description"] !== undefined;
    const entry = entryOf({ entries, open, path }, { method, config, isWritten });
    if (entry === undefined) return [];
    const named = fields["agent"] ?? entry["agent"];
    const agent = typeof named === "string" ? (agentNames.get(named) ?? named) : named;
    const own = {
      ...lookup.ofYaml(entry, fields),
      ...lookup.fixed(fields),
      ...(agent !== undefined && { agent }),
    };
    if (agent === undefined && crew.crew["process"] !== "hierarchical")
      open.push(openFile(path, `no agent is named for the task \`${method}\``));
    const { name: shown, ...rest } = own as Fields;
    const { config: _, name: __, ...yaml } = withKnownFields("tasks", entry);
    const all: JsonObject = { ...yaml, ...rest };
    if (all["expected_output"] === undefined && all["expectedOutput"] === undefined) {
      rest["expectedOutput"] = ANY_OUTPUT;
      const why = `the task \`${method}\` has no expected_output, which CrewAI requires: write one instead of the general text`;
      open.push(openFile(config === undefined ? crew.source.path : path, why));
    }
    if (method === config && shown === undefined && !isWhole) return [{ name: method, ...rest }];
    return [{ name: shown ?? method, ...yaml, ...rest }];
  });
}

/**
 * Returns the entry in the YAML that a method is made of, empty for one without. If it is missing, and the method has
 * no text of its own, adds an open place and returns undefined.
 */
function entryOf(
  { entries, open, path }: Pick<PartsOf, "entries" | "open" | "path">,
  {
    method,
    config,
    isWritten,
  }: {
    readonly method: string;
    readonly config: string | undefined;
    readonly isWritten: boolean;
  },
): JsonObject | undefined {
  const entry = config === undefined ? {} : entries.get(config);
  if (entry !== undefined || isWritten) return entry ?? {};
  open.push(openFile(path, `has no \`${config}\`, which \`${method}\` is made of`));
  return undefined;
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
