// What declared methods do: each action is made once for a definition, and run as durable steps.
//
//   AC1. Expressions and templates are read when the flow is made; all errors are reported together.
//   AC2. An action's steps lie below its method: `code:<function>`, `tool:<tool>`, `crew:<crew>`, `agent:<role>`. Those of an
//        `each` lie in `item:<n>/step:<name>`; an item that is done replays as one row.
//   AC3. An expression is no step: it is evaluated again in a replay, and comes to the same.
//   AC4. A function changes the state as a method of a class does: its copy counts when it ends, and is on record.
import { Agent } from "../agent/description/agent.ts";
import { EngineError, errorMessage, unreachable, type Issue } from "../base/error.ts";
import {
  isJsonObject,
  preview,
  toJson,
  typeName,
  type JsonObject,
  type JsonValue,
} from "../base/json.ts";
import {
  crewFromDefinition,
  readAgentDefinition,
  readCrewDefinition,
} from "../crew/definition/crew-definition.ts";
import type { Crew } from "../crew/crew.ts";
import {
  agentFields as agentEntry,
  taskFields as taskEntry,
} from "../crew/definition/definition-forms.ts";
import { RegistryResolver, type NamedFunction } from "../crew/definition/definition-registry.ts";
import { agentOptions } from "../crew/definition/definition-options.ts";
import type { FlowRegistry } from "../flow/declarative-flows.ts";
import { MethodContext, type FlowContext } from "../flow/method-context.ts";
import type { MethodCall } from "../flow/method-call.ts";
import type { StateChange } from "../flow/state-change.ts";
import { StateCopy } from "../flow/state-copy.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import { withForeignFields, withForeignNames } from "./cel-values.ts";
import type {
  ActionDeclaration,
  AtomicDeclaration,
  EachDeclaration,
} from "./declaration-schema.ts";
import type { RootValues, Roots } from "./expression.ts";
import { runTool } from "./run-tool.ts";
import { readExpression, readTemplate, type Template } from "./template.ts";

/** The second argument of a function that `call: code` names. */
export type CodeContext = FlowContext<Record<string, JsonValue>> & {
  readonly outputs: JsonObject;
  /** The item, within an `each`. */
  readonly item?: JsonValue;
  /** The same for every execution of this call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

/** One run of an action: the call of its method, and within an `each` what belongs to the item. */
export type ActionRun = {
  readonly call: MethodCall;
  readonly item?: JsonValue;
  /** Results of the item's steps so far. */
  readonly steps?: JsonObject;
};

export type Action = {
  readonly run: (run: ActionRun) => Promise<JsonValue>;
  /** Has steps of its own. */
  readonly isDurable: boolean;
};

/** What actions are made with. */
export type ActionMaker = {
  readonly flowName: string;
  readonly registry: FlowRegistry;
  readonly resolver: RegistryResolver;
  readonly issues: Issue[];
};

type ActionPlace = { readonly path: string; readonly roots: Roots };

/** What expressions of methods can name. */
export const METHOD_ROOTS: Roots = ["state", "outputs"];
/** What expressions in the steps of an `each` can name. */
export const STEP_ROOTS: Roots = ["state", "outputs", "item"];

/** Makes an action. Errors become issues; an action with an issue must not be run. */
export function makeAction(action: ActionDeclaration, path: string, maker: ActionMaker): Action {
  if (action.call === "each") return eachAction(action, path, maker);
  return atomicAction(action, { path, roots: METHOD_ROOTS }, maker);
}

function atomicAction(action: AtomicDeclaration, place: ActionPlace, maker: ActionMaker): Action {
  switch (action.call) {
    case "expression":
      return expressionAction(action, place, maker);
    case "code":
      return codeAction(action, place, maker);
    case "tool":
      return toolAction(action, place, maker);
    case "crew":
      return crewAction(action, place, maker);
    case "agent":
      return agentAction(action, place, maker);
    case "script":
      throw new EngineError("internal", "a script was let through");
    default:
      return unreachable(action);
  }
}

type Of<Call extends AtomicDeclaration["call"]> = Extract<AtomicDeclaration, { call: Call }>;

function expressionAction(
  { expr }: Of<"expression">,
  { path, roots }: ActionPlace,
  { issues }: ActionMaker,
): Action {
  const expression = readExpression(expr, `${path}/expr`, { roots, issues });
  return {
    isDurable: false,
    run: async (run) => expression?.evaluate(valuesOf(run)) ?? null,
  };
}

function codeAction(
  { ref, with: args = {} }: Of<"code">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const found = maker.resolver.function(ref, `${place.path}/ref`);
  const argumentsOf = templateOf(args, `${place.path}/with`, { place, maker });
  const segment = `code:${keySegment(lastName(ref))}`;
  return {
    isDurable: true,
    run: (run) =>
      callCode(run, found as NamedFunction, { segment, input: argumentsOf(valuesOf(run)) }),
  };
}

async function callCode(
  { call, item, steps = {} }: ActionRun,
  code: NamedFunction,
  { segment, input }: { readonly segment: string; readonly input: JsonValue },
): Promise<JsonValue> {
  const done = await call.scope.at(segment).step<CodeResult>({
    kind: "effect",
    run: (step, scope) =>
      scope.run(async () => {
        const own = partOf(call, scope);
        const context: CodeContext = Object.assign(
          new MethodContext<Record<string, JsonValue>>(own),
          {
            outputs: toJson({ ...call.outputs, ...steps }) as JsonObject,
            ...(item === undefined ? undefined : { item: toJson(item) }),
            idempotencyKey: step.idempotencyKey,
            signal: step.signal,
          },
        );
        const returned = await (code as (...all: unknown[]) => unknown)(input, context);
        return doneWith(toJson(returned, "the result"), own);
      }),
  });
  return taken(call, done);
}

/** What code of the user's came to: its result, and what it did to the state. */
type CodeResult = {
  readonly value: JsonValue;
  readonly change?: StateChange;
  readonly notes?: readonly JsonValue[];
};

/** A part of a method that is on record by itself: what it does counts for the method when it is over. */
function partOf(call: MethodCall, scope: RunScope): MethodCall {
  const earlierNotes = [...call.earlierNotes, ...call.notes];
  return { ...call, copy: new StateCopy(call.copy.state), scope, notes: [], earlierNotes };
}

function doneWith(value: JsonValue, { copy, notes }: MethodCall): CodeResult {
  const { change } = copy.change();
  return {
    value,
    ...(change === undefined ? undefined : { change }),
    ...(notes.length === 0 ? undefined : { notes }),
  };
}

function taken(call: MethodCall, { value, change, notes = [] }: CodeResult): JsonValue {
  if (change !== undefined) call.copy.apply(change);
  call.notes.push(...notes);
  return value;
}

function toolAction(
  { ref, with: args = {} }: Of<"tool">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const { resolver, flowName } = maker;
  const [tool] = resolver.tools([lastName(ref)], `${place.path}/ref`);
  const argumentsOf = templateOf(args, `${place.path}/with`, { place, maker });
  return {
    isDurable: true,
    run: (run) => {
      if (tool === undefined) throw unmade();
      const input = argumentsOf(valuesOf(run)) as JsonObject;
      return runTool(run.call.scope, tool, { input, flowName });
    },
  };
}

function crewAction(action: Of<"crew">, place: ActionPlace, maker: ActionMaker): Action {
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
      const values = valuesOf(run);
      const kickoffInputs = { ...(first(values) as JsonObject), ...(over(values) as JsonObject) };
      return toJson(await run.call.scope.run(() => crew.kickoff({ inputs: kickoffInputs })));
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

/** Agents by name, of a mapping or of a list whose entries have names or roles. */
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

/** A crew by its name, or by the file that it has in projects of CrewAI: `crews/research/crew.jsonc` is `research`. */
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

function agentAction({ with: own }: Of<"agent">, place: ActionPlace, maker: ActionMaker): Action {
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
      const text = asked(valuesOf(run));
      if (typeof text !== "string")
        throw new EngineError(
          "invalid_input",
          `the input of agent "${agent.role}" must come to a text, got ${typeName(text)} ${preview(text)}`,
        );
      const output = await run.call.scope.run(() => agent.kickoff(text));
      const { raw, object, agentRole, usage } = output;
      return toJson({ raw, object, agentRole, usage });
    },
  };
}

function eachAction(action: EachDeclaration, path: string, maker: ActionMaker): Action {
  const list = readExpression(action.in, `${path}/in`, {
    roots: METHOD_ROOTS,
    issues: maker.issues,
  });
  const steps = action.do.map((step, index) => {
    const at = `${path}/do/${index}`;
    const reading = { roots: STEP_ROOTS, issues: maker.issues };
    return {
      name: step.name,
      condition: step.if === undefined ? undefined : readExpression(step.if, `${at}/if`, reading),
      action: atomicAction(step.action, { path: `${at}/action`, roots: STEP_ROOTS }, maker),
    };
  });
  const isDurable = steps.some((step) => step.action.isDurable);
  return {
    isDurable,
    run: async (run) => {
      const items = list?.evaluate(valuesOf(run)) ?? null;
      if (!Array.isArray(items))
        throw new EngineError(
          "invalid_input",
          `the expression ${preview(action.in)} must give a list, got ${typeName(items)} ${preview(items)}`,
        );
      const results: JsonValue[] = [];
      for (const [index, item] of (items as readonly JsonValue[]).entries())
        results.push(await doItem(run.call, steps, { item, index, isDurable }));
      return results;
    },
  };
}

type EachStep = {
  readonly name: string;
  readonly condition: ReturnType<typeof readExpression>;
  readonly action: Action;
};

/** The steps of one item; a group, unless they are all expressions. */
async function doItem(
  call: MethodCall,
  steps: readonly EachStep[],
  { item, index, isDurable }: { item: JsonValue; index: number; isDurable: boolean },
): Promise<JsonValue> {
  if (!isDurable) return doSteps(call, steps, item);
  const done = await call.scope.at(`item:${index}`).group<CodeResult>("group", async (scope) => {
    const own = partOf(call, scope);
    return doneWith(await doSteps(own, steps, item), own);
  });
  return taken(call, done);
}

async function doSteps(
  call: MethodCall,
  steps: readonly EachStep[],
  item: JsonValue,
): Promise<JsonValue> {
  let last: JsonValue = null;
  let results: JsonObject = {};
  for (const { name, condition, action } of steps) {
    const wanted = condition?.evaluate(valuesOf({ call, item, steps: results })) ?? true;
    if (typeof wanted !== "boolean")
      throw new EngineError(
        "invalid_input",
        `the condition ${preview(condition?.text)} of step ${name} must give true or false, got ${typeName(wanted)} ${preview(wanted)}`,
      );
    if (!wanted) continue;
    const own: MethodCall = { ...call, scope: call.scope.at(`step:${name}`) };
    last = await action.run({ call: own, item, steps: results });
    results = { ...results, [name]: last };
  }
  return last;
}

/** What expressions see. */
function valuesOf({ call, item = null, steps }: ActionRun): RootValues {
  return {
    get state() {
      const { state } = call.copy;
      return call.conversation === undefined ? state : withForeignFields(state);
    },
    get outputs() {
      const named = Object.entries(call.outputs).map(([name, value]) => [
        name,
        withForeignNames(value),
      ]);
      const own = Object.entries(steps ?? {}).map(([name, value]) => [
        name,
        withForeignNames(value),
      ]);
      return Object.fromEntries([...named, ...own]) as JsonObject;
    },
    item,
  };
}

function templateOf(
  data: JsonValue,
  path: string,
  {
    place: { roots },
    maker: { issues },
  }: { readonly place: ActionPlace; readonly maker: ActionMaker },
): Template {
  return readTemplate(data, path, { roots, issues });
}

/** Runs a maker and keeps what it refuses as issues below this path. */
function attempt<Made>(issues: Issue[], path: string, make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    const inner = EngineError.is(error) ? error.issues : undefined;
    if (inner === undefined) issues.push({ path, message: errorMessage(error) });
    else
      issues.push(...inner.map((issue) => ({ path: path + issue.path, message: issue.message })));
    return undefined;
  }
}

/** The name that an import reference ends with: `my_project.tools:SearchTool` names `SearchTool`. */
function lastName(ref: string): string {
  return ref.split(/[:.]/).at(-1) ?? ref;
}

function unmade(): EngineError {
  return new EngineError("internal", "an action that could not be made was run");
}
