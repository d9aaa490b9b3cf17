// Crews and agents as actions: defined inline in the declaration, or registered.
import { Agent } from "../agent/description/agent.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { isJsonObject, preview, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { toRecorded } from "../base/recorded.ts";
import type { Crew } from "../crew/crew.ts";
import {
  crewFromDefinition,
  readAgentDefinition,
  readCrewDefinition,
} from "../crew/definition/crew-definition.ts";
import {
  agentFields as agentEntry,
  taskFields as taskEntry,
} from "../crew/definition/definition-forms.ts";
import { agentOptions } from "../crew/definition/definition-options.ts";
import { RegistryResolver } from "../crew/definition/definition-registry.ts";
import {
  attempt,
  templateOf,
  unmade,
  factsOf,
  type Action,
  type ActionMaker,
  type ActionPlace,
  type DeclarationOf,
} from "./action-run.ts";

export function crewAction(
  action: DeclarationOf<"crew">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const { fromDeclaration, with: own = {}, inputs = {} } = action;
  const { inputs: defaults = {}, ...definition } = own;
  const crew =
    fromDeclaration === undefined
      ? inlineCrew(definition, `${place.path}/with`, maker)
      : registeredCrew(fromDeclaration, `${place.path}/fromDeclaration`, maker);
  const first = templateOf(defaults, `${place.path}/with/inputs`, { place, maker });
  const over = templateOf(inputs, `${place.path}/inputs`, { place, maker });
  return {
    isDurable: true,
    run: async (run) => {
      if (crew === undefined) throw unmade();
      const values = factsOf(run);
      const kickoffInputs = { ...(first(values) as JsonObject), ...(over(values) as JsonObject) };
      return toRecorded(await run.call.scope.run(() => crew.kickoff({ inputs: kickoffInputs })));
    },
  };
}

function inlineCrew(
  definition: JsonObject,
  path: string,
  { registry, issues }: ActionMaker,
): Crew | undefined {
  return attempt(issues, path, () => {
    const { agents, tasks } = definition;
    const form = {
      ...definition,
      ...(agents === undefined ? undefined : { agents: namedEntries(agents, agentEntry) }),
      ...(tasks === undefined ? undefined : { tasks: entries(tasks, taskEntry) }),
    };
    return crewFromDefinition(readCrewDefinition(form), registry);
  });
}

/** Returns agents by name, from a mapping or from a list whose entries have names or roles. */
function namedEntries(definitions: JsonValue, read: (entry: JsonObject) => JsonObject): JsonValue {
  if (!Array.isArray(definitions)) return entries(definitions, read);
  return Object.fromEntries(
    (definitions as readonly JsonValue[]).map((each, index): [string, JsonValue] => {
      if (!isJsonObject(each)) return [String(index), each];
      const { name, ...entry } = read(each);
      const key = name ?? entry["role"];
      return [typeof key === "string" ? key : String(index), entry];
    }),
  );
}

function entries(definitions: JsonValue, read: (entry: JsonObject) => JsonObject): JsonValue {
  const entry = (value: JsonValue): JsonValue => (isJsonObject(value) ? read(value) : value);
  if (Array.isArray(definitions)) return (definitions as readonly JsonValue[]).map(entry);
  if (!isJsonObject(definitions)) return definitions;
  return Object.fromEntries(Object.entries(definitions).map(([key, value]) => [key, entry(value)]));
}

/** Finds a crew by its name, or by its file in projects of CrewAI: `crews/research/crew.jsonc` is `research`. */
function registeredCrew(
  ref: string,
  path: string,
  { registry, issues }: ActionMaker,
): Crew | undefined {
  const { crews = {} } = registry;
  const parts = ref
    .replace(/^(\.\/)+/, "")
    .split("/")
    .filter((part) => part !== "." && part !== "");
  const file = parts.at(-1)?.replace(/\.(jsonc?|ya?ml)$/i, "") ?? "";
  const names = [ref, file === "crew" ? (parts.at(-2) ?? "") : file];
  const found = names.find((name) => Object.hasOwn(crews, name));
  if (found !== undefined) return crews[found];
  const known = Object.keys(crews).join(", ") || "none";
  issues.push({ path, message: `unknown crew ${preview(ref)}; registered: ${known}` });
  return undefined;
}

export function agentAction(
  { with: own }: DeclarationOf<"agent">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const { input, ...definition } = own as JsonObject;
  const path = `${place.path}/with`;
  const agent = attempt(maker.issues, path, () => {
    const issues: Issue[] = [];
    const resolver = new RegistryResolver(maker.registry, issues);
    const options = agentOptions(readAgentDefinition(agentEntry(definition)), resolver, "");
    if (issues.length > 0) throw new EngineError("invalid_definition", "unknown names", { issues });
    return new Agent(options);
  });
  const asked = templateOf(input ?? null, `${path}/input`, { place, maker });
  return {
    isDurable: true,
    run: async (run) => {
      if (agent === undefined) throw unmade();
      const text = asked(factsOf(run));
      if (typeof text !== "string")
        throw new EngineError(
          "invalid_input",
          `the input of agent "${agent.role}" must come to a text, got ${typeName(text)} ${preview(text)}`,
        );
      const output = await run.call.scope.run(() => agent.kickoff(text));
      const { raw, object, agentRole, usage } = output;
      return toRecorded({ raw, object, agentRole, usage });
    },
  };
}
