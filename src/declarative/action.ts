// Actions of declared methods: each is created once for a definition, and run as durable steps.
//
//   AC1. Expressions and templates are parsed when the flow is made; all errors are reported together.
//   AC2. An action's steps lie below its method: `code:<function>`, `tool:<tool>`, `crew:<crew>`, `agent:<role>`. Those
//        of an `each` lie in `item:<n>/step:<name>`; a completed item replays as one row.
//   AC3. An expression is no step: a replay evaluates it again, with the same result.
//   AC4. A function changes the state like a method of a class: its copy counts when it ends, and is on record.
import { EngineError, unreachable } from "../base/error.ts";
import { preview, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { RegistryResolver } from "../crew/definition/definition-registry.ts";
import { asRecorded } from "../base/recorded.ts";
import type { MethodCall } from "../flow/method-call.ts";
import {
  doneWith,
  lastName,
  partOf,
  taken,
  templateOf,
  unmade,
  factsOf,
  type Action,
  type ActionMaker,
  type ActionPlace,
  type DeclarationOf,
  type RecordedPart,
} from "./action-run.ts";
import { within } from "./cel-meter.ts";
import { codeAction } from "./code-action.ts";
import { agentAction, crewAction } from "./crew-action.ts";
import type {
  ActionDeclaration,
  AtomicDeclaration,
  EachDeclaration,
} from "./declaration-schema.ts";
import type { Roots } from "./expression.ts";
import type { Tool } from "../tools/tool.ts";
import { runTool } from "./run-tool.ts";
import { readExpression } from "./template.ts";

/** Names for expressions of methods. */
export const METHOD_ROOTS: Roots = ["state", "outputs"];
/** Names for expressions in the steps of an `each`. */
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

function expressionAction(
  { expr }: DeclarationOf<"expression">,
  { path, roots }: ActionPlace,
  { issues, readsTime }: ActionMaker,
): Action {
  const expression = readExpression(expr, `${path}/expr`, { roots, issues, readsTime });
  return {
    isDurable: false,
    run: async (run) => asRecorded(expression?.evaluate(factsOf(run)) ?? null),
  };
}

function toolAction(
  { ref, with: args = {} }: DeclarationOf<"tool">,
  place: ActionPlace,
  maker: ActionMaker,
): Action {
  const { flowName } = maker;
  const tool = toolOf(ref, `${place.path}/ref`, maker);
  const argumentsOf = templateOf(args, `${place.path}/with`, { place, maker });
  return {
    isDurable: true,
    run: (run) => {
      if (tool === undefined) throw unmade();
      const input = argumentsOf(factsOf(run)) as JsonObject;
      return runTool(run.call.scope, tool, { input, flowName });
    },
  };
}

/** An action of an app, as CrewAI's platform connects it: `google_gmail/send_email`. */
const APP_ACTION = /^([\w-]+)\/([\w-]+)$/;

function toolOf(ref: string, path: string, maker: ActionMaker): Tool | undefined {
  const { resolver, registry, issues } = maker;
  const name = lastName(ref);
  const [, app, action] = APP_ACTION.exec(name) ?? [];
  if (app === undefined) return resolver.tools([name], path)[0];
  const [registered] = new RegistryResolver(registry, []).tools([name], path);
  if (registered !== undefined) return registered;
  issues.push({
    path,
    message: `the action ${preview(action)} of the app ${preview(app)} is not connected: apps of CrewAI's platform are not reached from here; register a tool named ${preview(name)} that does it, such as one of an MCP server`,
  });
  return undefined;
}

function eachAction(action: EachDeclaration, path: string, maker: ActionMaker): Action {
  const { issues, readsTime } = maker;
  const list = readExpression(action.in, `${path}/in`, { roots: METHOD_ROOTS, issues, readsTime });
  const steps = action.do.map((step, index) => {
    const at = `${path}/do/${index}`;
    const reading = { roots: STEP_ROOTS, issues, readsTime };
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
      const items = list?.evaluate(factsOf(run)) ?? null;
      if (!Array.isArray(items))
        throw new EngineError(
          "invalid_input",
          `the expression ${preview(action.in)} must give a list, got ${typeName(items)} ${preview(items)}`,
        );
      const results: JsonValue[] = [];
      for (const [index, item] of (items as readonly JsonValue[]).entries())
        results.push(await doItem(run.call, steps, { item, index, isDurable }));
      const all = `the list of results over ${preview(action.in)}`;
      return within(all, (room) => room.hold(results));
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
  const done = await call.scope.at(`item:${index}`).group<RecordedPart>("group", async (scope) => {
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
    const wanted = condition?.evaluate(factsOf({ call, item, steps: results })) ?? true;
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
