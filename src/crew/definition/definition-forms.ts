// Conversion of a crew definition's forms into one: camelCase names, tasks as a list, code by its name.
//
//   DF1. An agent's `settings`, and a task's `config`, take precedence over the fields beside them; an agent's `config`
//        does not.
//   DF2. No field is dropped silently: `ignored` lists fields without an effect.
import { camelCase } from "../../base/camel-case.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { FREE_KEYS } from "./definition-schema.ts";
import { IGNORED } from "./ignored-fields.ts";

type Owner = keyof typeof IGNORED;
type Fields = Record<string, JsonValue>;

/** Returns a crew in its one form. A value other than an object stays unchanged. */
export function crewForm(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const ignored: string[] = [];
  const crew = usedFields(codeByName(camelKeys(value)), "crew", { at: "", ignored });
  const { agents, tasks } = crew;
  if (isJsonObject(agents)) {
    crew["agents"] = Object.fromEntries(
      Object.entries(agents).map(([key, agent]) => {
        const at = `/agents/${pointerPart(key)}`;
        return [key, isJsonObject(agent) ? usedAgent(agent, { at, ignored }) : agent];
      }),
    );
  }
  const list = isJsonObject(tasks)
    ? Object.entries(tasks).map(([name, task]) => (isJsonObject(task) ? { name, ...task } : task))
    : tasks;
  if (Array.isArray(list)) {
    crew["tasks"] = (list as JsonValue[]).map((task, index) =>
      isJsonObject(task) ? usedTask(task, { at: `/tasks/${index}`, ignored }) : task,
    );
  }
  return ignored.length === 0 ? crew : { ...crew, ignored };
}

/** Returns a single agent in its one form. */
export function agentAlone(agent: JsonObject): JsonObject {
  return usedAgent(agent, { at: "", ignored: [] });
}

/** An agent's fields in camelCase, with those of its `settings` and `config` (DF1). */
export function agentFields(input: JsonObject): JsonObject {
  const { settings, config, ...own } = camelKeys(input);
  return codeByName({
    ...(isJsonObject(config) ? config : keptAs("config", config)),
    ...own,
    ...(isJsonObject(settings) ? settings : keptAs("settings", settings)),
  });
}

/** Returns a task's fields in camelCase, with those of its `config` (DF1). Its type makes the task conditional. */
export function taskFields(input: JsonObject): JsonObject {
  const { config, ...own } = camelKeys(input);
  const {
    type,
    converterCls = null,
    ...rest
  } = codeByName({
    ...own,
    ...(isJsonObject(config) ? config : keptAs("config", config)),
  });
  const fields = converterCls === null ? rest : { converter: converterCls, ...rest };
  if (type === undefined) return fields;
  const isConditional = typeof type === "string" && /conditional/i.test(type);
  return { ...fields, type: isConditional ? "conditional" : type };
}

/** Keeps a value of the wrong type in its field, for the schema to refuse. */
function keptAs(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined || value === null ? {} : { [name]: value };
}

type Place = { readonly at: string; readonly ignored: string[] };

function usedAgent(agent: JsonObject, place: Place): Fields {
  const { type = null, ...fields } = agentFields(agent);
  const isPlain = typeof type === "string" && /^(.*[.:])?(base)?agent$/i.test(type);
  return usedFields(isPlain ? fields : { ...fields, type }, "agents", place);
}

function usedTask(task: JsonObject, place: Place): Fields {
  const { type = null, responseModel = null, ...fields } = taskFields(task);
  const isPlain = typeof type === "string" && /^(.*[.:])?(base)?task$/i.test(type);
  const hasShape = OUTPUTS.some((name) => (fields[name] ?? null) !== null);
  const used = usedFields(
    {
      ...fields,
      ...(isPlain || type === "conditional" ? undefined : { type }),
      ...(hasShape && { responseModel }),
    },
    "tasks",
    place,
  );
  if (type === "conditional") used["type"] = type;
  if (!hasShape && responseModel !== null) used["responseModel"] = responseModel;
  return used;
}

const OUTPUTS = ["output", "outputJson", "outputPydantic"];

/**
 * Returns the fields with an effect. A null field counts as left out, as in handwritten files. Ignored fields without a
 * request are not reported.
 */
function usedFields(fields: JsonObject, owner: Owner, { at, ignored }: Place): Fields {
  const used: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) continue;
    if (!Object.hasOwn(IGNORED[owner], name)) used[name] = value;
    else if (value !== false && !(Array.isArray(value) && value.length === 0))
      ignored.push(`${at}/${name}`);
  }
  if (owner !== "crew" && Array.isArray(used["tools"])) used["tools"] = toolEntries(used["tools"]);
  return used;
}

/** Tools by name, or by name with options: `crewai_tools:SerperDevTool`, `{ "name": "search" }`, `{ "tool_type": "…", "n_results": 5 }`. */
export function toolEntries(tools: readonly JsonValue[]): JsonValue[] {
  return tools.map((tool) => {
    if (!isJsonObject(tool)) return lastName(tool);
    const {
      name = null,
      tool_type = name,
      toolType = tool_type,
      tool: own = toolType,
      ...options
    } = tool;
    if (typeof own !== "string") return tool;
    // A name beside the class is the name shown to models.
    const shown = name === null || name === own ? undefined : { name };
    const all = { ...shown, ...options };
    return Object.keys(all).length === 0 ? lastName(own) : { tool: lastName(own), ...all };
  });
}

function lastName(ref: JsonValue): JsonValue {
  return typeof ref === "string" ? (ref.split(/[:.]/).at(-1) ?? ref) : ref;
}

/** `{ "python": "module.attr" }` as `module.attr`, wherever code is named. */
function codeByName(fields: JsonObject): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (FREE_KEYS.has(name) && name !== "responseModel" && !OUTPUTS.includes(name))
        return [name, value];
      return [name, Array.isArray(value) ? value.map(codeName) : codeName(value)];
    }),
  );
}

function codeName(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { python, ...others } = value;
  return typeof python === "string" && Object.keys(others).length === 0 ? python : value;
}

/** Fields with entries named by the user. */
const NAMED_ENTRIES = new Set(["agents", "tasks"]);

/** Converts field names to camelCase, also in values, except for the user's own names. */
export function camelKeys(object: JsonObject): Fields {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const name = camelCase(key);
      if (FREE_KEYS.has(name)) return [name, value];
      return [name, NAMED_ENTRIES.has(name) ? mapEntries(value) : camelValues(value)];
    }),
  );
}

/** The keys are the user's names and stay; field names in the values are converted. */
function mapEntries(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return camelValues(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, camelValues(each)]));
}

function camelValues(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelValues);
  return isJsonObject(value) ? camelKeys(value) : value;
}
