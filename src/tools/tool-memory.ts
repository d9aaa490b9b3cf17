import { EngineError } from "../base/error.ts";

/** Memory of the calling agent, for tools. The memory of agents adds its methods by declaration merging. */
export interface ToolMemory {}

/** Returns the memory of a call without one: each method fails with `invalid_definition`. */
export function noToolMemory(agentRole: string): ToolMemory {
  const refuse = async (): Promise<never> => {
    throw new EngineError(
      "invalid_definition",
      `agent "${agentRole}" has no memory: set memory on the agent or its crew, or use a memory of your own in the tool`,
    );
  };
  return { remember: refuse, rememberMany: refuse, recall: refuse };
}
