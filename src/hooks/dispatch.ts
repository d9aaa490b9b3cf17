// Hooks: user code that intervenes at ten points of a run.
//
//   HK1. One dispatch is one journaled step: the hooks' changes, or their abort, are on record. Replay calls no hook
//        again.
//   HK2. Without an applicable hook there is no step, no event and no copy.
//   HK3. Hooks run one after another: the app's, the crew's, the agent's, the scope's. Each sees the changes of earlier
//        hooks; the first hook that aborts is the last that runs.
//   HK4. A hook that throws anything but `HookAborted` is skipped, with its changes. An invalid change is skipped too.
//        Both are reported in the event.
//   HK5. Hooks change copies. Their changes apply only to the offered value.
import { errorMessage } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { NO_RETRY } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import { abortOf, HookAborted, type Hook, type HookContext, type HookPoint } from "./hook.ts";

/** Applicable hooks, with the names for their filters. */
export type ActiveHooks = {
  readonly hooks: readonly Hook[];
  readonly crewName?: string | undefined;
  readonly flowName?: string | undefined;
  readonly agentRole?: string | undefined;
  /** Spellings of the role for filters: with the run's inputs filled in, and as written. */
  readonly roles?: readonly string[] | undefined;
  readonly taskName?: string | undefined;
};

/** A value offered to hooks. */
export type Interception<Value> = {
  readonly point: HookPoint;
  /** Changeable field of the context. */
  readonly field: "payload" | "messages" | "response" | "toolInput" | "toolResult";
  readonly value: Value;
  /** Another name for the same value. */
  readonly alias?: "inputs" | "output";
  readonly facts?: object;
  /** True for a valid changed value. */
  readonly fits: (value: JsonValue) => boolean;
  /** True if a tool name in a filter matches the called tool. */
  readonly isTool?: (name: string) => boolean;
  /** Distinguishes dispatches at one place; part of a step key. */
  readonly label?: string;
};

export type Abort = { readonly reason: string; readonly source?: string };

export type Intercepted<Value> = { readonly value: Value; readonly abort?: Abort };

/** A changed value, whole or as the new end of a list. */
type Change =
  | { readonly value: JsonValue }
  | { readonly kept: number; readonly rest: readonly JsonValue[] };

type Recorded = {
  readonly outcome: "proceeded" | "modified" | "aborted";
  readonly hookCount: number;
  readonly durationMs: number;
  readonly change?: Change;
  readonly abort?: Abort;
  readonly errors?: readonly string[];
};

/** Returns the applicable hooks: those of the app, of the definitions and of the scope; undefined without any. */
export function activeHooks(
  scope: RunScope,
  own: readonly Hook[],
  whose: Omit<ActiveHooks, "hooks"> = {},
): ActiveHooks | undefined {
  const { app = [], scoped = [] } = scope.services.hooks ?? {};
  if (app.length + own.length + scoped.length === 0) return undefined;
  return { ...whose, hooks: [...app, ...own, ...scoped] };
}

/** Has the hooks of one place step in, as one step `hook:<point>` below `scope`. */
export async function intercept<Value>(
  scope: RunScope,
  active: ActiveHooks | undefined,
  interception: Interception<Value>,
): Promise<Intercepted<Value>> {
  const { point, value, label } = interception;
  const hooks = active?.hooks.filter((hook) => applies(hook, active, interception)) ?? [];
  if (active === undefined || hooks.length === 0) return { value };
  const name = label === undefined ? `hook:${point}` : `hook:${point}:${label}`;
  const place = scope.at(name);
  const recorded = await place.step<Recorded>({
    kind: "effect",
    label: `hook ${point}`,
    mark: ({ change }) =>
      interception.alias === "inputs" && change !== undefined ? "inputs" : null,
    retry: NO_RETRY,
    run: async (_, inside) => {
      const startedAtMs = place.clock.now();
      const context = { ...contextOf(inside, active, { path: scope.path, point }) };
      const result = await inside.run(() => runHooks(hooks, { ...interception, context }));
      return { ...result, hookCount: hooks.length, durationMs: place.clock.now() - startedAtMs };
    },
  });
  const { outcome, hookCount, durationMs, abort, errors, change } = recorded;
  place.emit("hook_dispatched", {
    point,
    outcome,
    hookCount,
    durationMs,
    ...(abort === undefined ? undefined : { abortReason: abort.reason }),
    ...(abort?.source === undefined ? undefined : { abortSource: abort.source }),
    ...(errors === undefined ? undefined : { errors }),
  });
  const changed = change === undefined ? value : (applied(value, change) as Value);
  return abort === undefined ? { value: changed } : { value: changed, abort };
}

/** Like `intercept`, with an abort as an error: `hook_aborted`. */
export async function interceptOrFail<Value>(
  scope: RunScope,
  active: ActiveHooks | undefined,
  interception: Interception<Value>,
): Promise<Value> {
  const { value, abort } = await intercept(scope, active, interception);
  if (abort !== undefined) throw new HookAborted(abort.reason, abort.source);
  return value;
}

function applies(
  hook: Hook,
  { roles, agentRole }: ActiveHooks,
  { point, isTool }: Interception<unknown>,
): boolean {
  if (hook.point !== point) return false;
  const mine = [...(roles ?? []), agentRole];
  if (hook.agents !== undefined && !hook.agents.some((role) => mine.includes(role))) return false;
  return hook.tools === undefined || (isTool !== undefined && hook.tools.some(isTool));
}

function contextOf(
  inside: RunScope,
  { crewName, flowName, agentRole, taskName }: ActiveHooks,
  { path, point }: { readonly path: string; readonly point: HookPoint },
): HookContext {
  return {
    point,
    runId: inside.runId,
    path,
    ...(crewName === undefined ? undefined : { crewName }),
    ...(flowName === undefined ? undefined : { flowName }),
    ...(agentRole === undefined ? undefined : { agentRole }),
    ...(taskName === undefined ? undefined : { taskName }),
    requestHumanInput: (request) =>
      inside.atNext("human-input").wait({
        kind: "human",
        ...(typeof request === "string" ? { prompt: request } : request),
      }),
    step: (name, action) => inside.at(keySegment(name)).callOnce(action),
  };
}

/** Runs hooks over one copy of the value; `text` is always its last valid state. */
async function runHooks<Value>(
  hooks: readonly Hook[],
  interception: Interception<Value> & { readonly context: HookContext },
): Promise<Pick<Recorded, "outcome" | "change" | "abort" | "errors">> {
  const { context, field, alias, facts, fits, value, point } = interception;
  const original = JSON.stringify(value);
  const errors: string[] = [];
  const offered: Record<string, unknown> = { ...facts, ...context };
  const offer = (current: unknown): void => {
    offered[field] = current;
    if (alias !== undefined) offered[alias] = current;
  };
  let text = original;
  let abort: Abort | undefined;
  offer(JSON.parse(text));
  for (const hook of hooks) {
    try {
      const returned = await hook.run(offered as never);
      if (returned === false && isVeto(point)) abort = { reason: "a hook refused" };
      else if (takes(point, returned)) offer(returned);
    } catch (error) {
      abort = abortOf(error);
      if (abort === undefined) {
        errors.push(errorMessage(error));
        offer(JSON.parse(text));
        continue;
      }
    }
    const next = textOf(offered[field]);
    if (next === text) offer(offered[field]);
    else if (next !== undefined && fits(JSON.parse(next) as JsonValue)) {
      text = next;
      offer(offered[field]);
    } else {
      errors.push(`a hook's change of ${field} is invalid and was undone`);
      offer(JSON.parse(text));
    }
    if (abort !== undefined) break;
  }
  const outcome = abort !== undefined ? "aborted" : text === original ? "proceeded" : "modified";
  return {
    outcome,
    ...(text === original ? undefined : { change: changeOf(value, JSON.parse(text) as JsonValue) }),
    ...(abort === undefined ? undefined : { abort }),
    ...(errors.length === 0 ? undefined : { errors }),
  };
}

function isVeto(point: HookPoint): boolean {
  return point === "pre_model_call" || point === "pre_tool_call";
}

/** True if a hook's return value replaces the value. */
function takes(point: HookPoint, returned: unknown): boolean {
  if (returned === undefined || returned === null || isVeto(point)) return false;
  return (
    typeof returned === "string" || (point !== "post_model_call" && point !== "post_tool_call")
  );
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Conversations are long and change at their end: the unchanged beginning is not recorded again. */
function changeOf(value: unknown, changed: JsonValue): Change {
  if (!Array.isArray(value) || !Array.isArray(changed)) return { value: changed };
  const list = changed as readonly JsonValue[];
  let kept = 0;
  while (
    kept < list.length &&
    kept < value.length &&
    JSON.stringify(value[kept]) === JSON.stringify(list[kept])
  )
    kept++;
  return { kept, rest: list.slice(kept) };
}

function applied(value: unknown, change: Change): unknown {
  if ("value" in change) return change.value;
  return [...(value as readonly unknown[]).slice(0, change.kept), ...change.rest];
}
