import type { JsonObject } from "../../base/json.ts";

/** An agent's final answer to a task. */
export type AgentFinish = {
  readonly kind: "finish";
  readonly agentRole: string;
  readonly output: string;
};

/** Called after each tool call and each answer of an agent. */
export type StepCallback = (step: AgentFinish | ToolResult) => unknown;

/** What a tool gave an agent. */
export type ToolResult = {
  readonly kind: "tool_result";
  readonly agentRole: string;
  readonly toolName: string;
  readonly toolArgs: JsonObject;
  readonly result: string;
  readonly failed: boolean;
};
