// Calls of other tools from within a tool, such as by code it runs, with the rights of the tool's caller.
//
//   IC1. Hooks see such a call like any other. Tools that need approval, wait or act outside cannot be called from
//        within.
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ActiveHooks } from "../hooks/dispatch.ts";
import { callTool } from "./call-tool.ts";
import { innerCallerOf } from "./inner-caller.ts";
import type { ToolContext } from "./tool-context.ts";
import { failureText } from "./tool-failure.ts";
import { afterToolCall, beforeToolCall, type FinishedCall } from "./tool-hooks.ts";
import type { ResultExtras } from "./tool-result.ts";
import type { Tool } from "./tool.ts";

/** Result of an inner call. */
export type InnerOutcome =
  | { readonly value: JsonValue; readonly extras?: ResultExtras | undefined }
  | { readonly refused: string };

type InnerCall = { readonly tool: Tool; readonly input: JsonObject };

/** Calls a tool at `place`, on behalf of the caller of the tool call with `context`. */
export async function callInside(
  place: RunScope,
  context: ToolContext,
  { tool, input: asked }: InnerCall,
): Promise<InnerOutcome> {
  const inner = innerCallerOf(context);
  const label = tool.safeName;
  const direct = whyDirectly(tool, inner?.asksFirst(tool) === true);
  if (direct !== undefined) return { refused: `${label} ${direct}: call it directly` };
  const hooks = inner?.hooks;
  const before = await beforeToolCall(place, hooks, { label, tool, input: asked });
  if (before.abort !== undefined)
    return { refused: `${label} was not called: ${before.abort.reason}` };
  const { agentRole, taskName, security, memory } = context;
  const called = await callTool(place.at(`tool:${label}`), {
    tool: withoutWaits(tool),
    input: before.value,
    caller: {
      agentRole,
      memory,
      ...(taskName === undefined ? undefined : { taskName }),
      ...(security === undefined ? undefined : { security }),
    },
    keepsValue: true,
    inner,
  });
  const input = before.value;
  if (called.kind === "failure") {
    const text = called.error?.message ?? failureText(called.failure);
    return {
      refused: await after(place, hooks, { tool, done: { outcome: "failure", input, text } }),
    };
  }
  const { text, value = text, raw, extras } = called;
  const done = { outcome: "result", input, text, raw, extras } as const;
  const edited = await after(place, hooks, { tool, done });
  return { value: edited === text ? value : edited, extras };
}

function after(
  place: RunScope,
  hooks: ActiveHooks | undefined,
  { tool, done }: { readonly tool: Tool; readonly done: FinishedCall },
): Promise<string> {
  return afterToolCall(place, hooks, { label: tool.safeName, tool, done });
}

function whyDirectly(tool: Tool, asksFirst: boolean): string | undefined {
  if (asksFirst || (tool.needsApproval ?? false) !== false) return "needs a person's approval";
  if (tool.actsOutside === true || tool.effect === "once") return "acts outside of the run";
  return undefined;
}

/** Rejects waits, as the calling code no longer exists at the end of a wait. */
function withoutWaits(tool: Tool): Tool {
  const refuse = (): never => {
    throw new EngineError("tool_failed", `${tool.safeName} waits: call it directly`);
  };
  return {
    ...tool,
    call: (input, context) => tool.call(input, { ...context, wait: refuse, sleep: refuse }),
  };
}
