// Hooks around a flow's execution and around each of its methods.
//
//   FH1. `execution_start`, then `input`, before the state is made; at the end `output`, then `execution_end`.
//   FH2. `pre_step` and `post_step` have the kind `flow_method`: the first may change the method's parameter, the
//        second its result. Both lie inside the method's row: replay does not call them again.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { jsonView, toRecorded } from "../base/recorded.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks, interceptOrFail, type ActiveHooks } from "../hooks/dispatch.ts";
import { ExecutionHooks } from "../hooks/execution-hooks.ts";
import type { Hook } from "../hooks/hook.ts";

type HookedFlow = {
  readonly definition: { readonly name: string };
  readonly hooks?: readonly Hook[] | undefined;
};

/** Hooks see a flow's result in the form of a crew's output, with the value itself beside its text. */
type Payload = { readonly raw: string; readonly value: JsonValue };

export type FlowHooks = {
  readonly active: ActiveHooks | undefined;
  readonly execution: ExecutionHooks<JsonObject, Payload>;
};

/** Makes the hooks of one execution of a flow. */
export function flowHooks(scope: RunScope, { definition, hooks = [] }: HookedFlow): FlowHooks {
  const active = activeHooks(scope, hooks, { flowName: definition.name });
  const execution = new ExecutionHooks<JsonObject, Payload>(scope, active, {
    inputs: isJsonObject,
    output: (value) => isJsonObject(value) && typeof value["raw"] === "string",
  });
  return { active, execution };
}

/** Returns the flow's result after the hooks. */
export async function hookedResult(
  { active, execution }: FlowHooks,
  value: JsonValue,
): Promise<JsonValue> {
  if (active === undefined) return value;
  const shown = jsonView(value);
  const output = changed(payloadOf(shown), await execution.output(payloadOf(shown)));
  const end = changed(payloadOf(output), await execution.end(payloadOf(output)));
  return end === shown ? value : toRecorded(end);
}

/** Returns a method's parameter after the hooks before it. */
export async function hookedParams(
  scope: RunScope,
  active: ActiveHooks | undefined,
  { methodName, value }: { readonly methodName: string; readonly value: JsonValue | undefined },
): Promise<JsonValue | undefined> {
  if (active === undefined) return value;
  const shown = value === undefined ? undefined : jsonView(value);
  const params = await interceptOrFail<JsonObject>(scope, active, {
    point: "pre_step",
    field: "payload",
    value: shown === undefined ? {} : { _0: shown },
    facts: { kind: "flow_method", stepName: methodName },
    fits: isJsonObject,
  });
  const changedTo = params["_0"];
  return changedTo === shown || changedTo === undefined
    ? changedTo === undefined
      ? undefined
      : value
    : toRecorded(changedTo);
}

/** Returns a method's result after the hooks behind it. */
export async function hookedOutput(
  scope: RunScope,
  active: ActiveHooks | undefined,
  { methodName, value }: { readonly methodName: string; readonly value: JsonValue },
): Promise<JsonValue> {
  if (active === undefined) return value;
  const shown = jsonView(value);
  const result = await interceptOrFail<JsonValue>(scope, active, {
    point: "post_step",
    field: "payload",
    alias: "output",
    value: shown,
    facts: { kind: "flow_method", stepName: methodName },
    fits: () => true,
  });
  return result === shown ? value : toRecorded(result);
}

function payloadOf(value: JsonValue): Payload {
  return { raw: typeof value === "string" ? value : JSON.stringify(value), value };
}

/** A changed value takes precedence over a changed text. */
function changed(before: Payload, after: Payload): JsonValue {
  if (JSON.stringify(after.value) !== JSON.stringify(before.value)) return after.value;
  return after.raw === before.raw ? before.value : after.raw;
}
