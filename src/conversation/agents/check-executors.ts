import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { ConversableAgent } from "./conversable-agent.ts";

/** Throws `invalid_definition` if a member's model may call a tool without an executor among the members. */
export function checkExecutors(members: readonly ConversableAgent[]): void {
  const executed = new Set(
    members.flatMap(({ executedTools }) => executedTools.map(({ safeName }) => safeName)),
  );
  const faults = members.flatMap(({ name, offeredTools }) =>
    offeredTools
      .filter(({ safeName }) => !executed.has(safeName))
      .map((tool) => noExecutor(name, tool.name)),
  );
  if (faults.length > 0) throw invalidDefinition(faults.join("; "));
}

/** Returns the message for a callable tool without an executor. */
export function noExecutor(caller: string, tool: string): string {
  return `caller "${caller}" may call "${tool}", which no agent executes: register it for the execution of one`;
}
