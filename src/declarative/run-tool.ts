// Tool call of a flow itself, without an agent. Hooks and approvals apply as in an agent's call.
import { approve } from "../agent/loop/tool-approval.ts";
import { afterToolCall, beforeToolCall } from "../tools/tool-hooks.ts";
import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import { activeHooks } from "../hooks/dispatch.ts";
import { callTool } from "../tools/call-tool.ts";
import { failureText } from "../tools/tool-failure.ts";
import type { Tool } from "../tools/tool.ts";

/** Only the tool itself can require approval. */
const NOBODY = { approveTools: [] } as const;

/**
 * Calls a tool as the step `tool:<name>` below `scope`. Returns its unchanged result. Throws `tool_failed` if it fails,
 * or if a person refuses the call; `hook_aborted` if a hook does.
 */
export async function runTool(
  scope: RunScope,
  tool: Tool,
  { input: asked, flowName }: { readonly input: JsonObject; readonly flowName: string },
): Promise<JsonValue> {
  const label = tool.safeName;
  const hooks = activeHooks(scope, []);
  const before = await beforeToolCall(scope, hooks, { label, tool, input: asked });
  if (before.abort !== undefined)
    throw new EngineError("hook_aborted", `tool ${label} was not called: ${before.abort.reason}`);
  const caller = { agentRole: flowName };
  const approval = await approve(scope, {
    label,
    tool,
    input: before.value,
    agent: NOBODY,
    caller,
  });
  if (!approval.approved)
    throw new EngineError(
      "tool_failed",
      `a person refused the call of tool ${label}: ${approval.reason || "without a word"}`,
    );
  const { input } = approval;
  const called = await callTool(scope.at(`tool:${label}`), {
    tool,
    input,
    caller,
    keepsValue: true,
    inner: { hooks, asksFirst: () => false },
  });
  if (called.kind === "failure") {
    const text = called.error?.message ?? failureText(called.failure);
    await afterToolCall(scope, hooks, { label, tool, done: { outcome: "failure", input, text } });
    throw called.error ?? new EngineError("tool_failed", text);
  }
  const { text: rawText, value = rawText } = called;
  const done = { outcome: "result", input, text: rawText, rawText } as const;
  const text = await afterToolCall(scope, hooks, { label, tool, done });
  return text === rawText ? value : text;
}
