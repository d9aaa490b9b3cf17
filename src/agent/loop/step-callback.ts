import { userCode } from "../../base/user-code.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";

/** An agent's final answer to a task. */
export type AgentFinish = {
  readonly kind: "finish";
  readonly agentRole: string;
  readonly output: string;
};

/** Called after each tool call and each answer of an agent. */
export type StepCallback = (step: AgentFinish | ToolResult) => unknown;

/** Result of a tool call. */
export type ToolResult = {
  readonly kind: "tool_result";
  readonly agentRole: string;
  readonly toolName: string;
  readonly toolArgs: JsonObject;
  readonly result: string;
  readonly failed: boolean;
};

/** Calls the agent's step callback, once however often the run is replayed. */
export async function notifyStep(
  scope: RunScope,
  { stepCallback }: { readonly stepCallback?: StepCallback | undefined },
  step: AgentFinish | ToolResult,
): Promise<void> {
  if (stepCallback === undefined) return;
  await scope.callOnce(async () => {
    await userCode(`the stepCallback for agent "${step.agentRole}"`, () => stepCallback(step));
  });
}
