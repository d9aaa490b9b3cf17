// Failures of calls: on the work's record, in an event, or as the end of the task, by the policy.
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ToolCaller } from "../../tools/tool-context.ts";
import type { ToolFailure, ToolFailurePolicy } from "../../tools/tool-failure.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentWork } from "../agent-work.ts";

type FailedCall = {
  readonly tool?: Tool;
  readonly toolName: string;
  readonly toolArgs: JsonObject | string;
  readonly failure: ToolFailure;
};

/** The agent as tools see it. */
export function callerOf({ identity, taskName, security, toolMemory }: AgentWork): ToolCaller {
  return {
    agentRole: identity.role,
    ...(taskName === undefined ? undefined : { taskName }),
    ...(security === undefined ? undefined : { security }),
    ...(toolMemory === undefined ? undefined : { memory: toolMemory }),
  };
}

/** Returns the policy of a tool, else that of the work. */
export function policyOf(work: AgentWork, tool: Tool | undefined): ToolFailurePolicy {
  return tool?.toolFailurePolicy ?? work.toolFailurePolicy ?? "warn";
}

/** Records a failure and reports it according to the policy. Throws `tool_failure_raised`. */
export function recordFailure(call: RunScope, work: AgentWork, failed: FailedCall): void {
  const { tool, toolName, toolArgs, failure } = failed;
  const policy = policyOf(work, tool);
  if (policy === "ignore") return;
  const { agentRole, taskName } = callerOf(work);
  const named = { agentRole, ...(taskName === undefined ? undefined : { taskName }) };
  const record = { toolName, failure: { ...failure }, toolArgs, ...named };
  work.failures?.add(record);
  const { reason, message } = failure;
  call.emit("tool_failure_detected", { ...record, reason, message, policy });
  if (policy === "raise")
    throw new EngineError(
      "tool_failure_raised",
      `tool ${toolName} failed (${reason}) and its policy is to end the task: ${message}`,
    );
}
