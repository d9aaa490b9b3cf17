// `context.memory` of a tool: the memory of the calling agent.
//
//   TM1. Each call is a group of steps at the tool's place: when the tool runs again, a finished call returns its
//        result and saves nothing.
import { RunScope } from "../events/run-scope.ts";
import type { ToolMemory } from "../tools/tool-memory.ts";
import type { MemoryModel } from "./memory-model.ts";
import type { MemoryMatch, MemoryRecord } from "./memory-record.ts";
import type { MemoryView, RecallOptions, RememberOptions } from "./memory-view.ts";

declare module "../tools/tool-memory.ts" {
  interface ToolMemory {
    /**
     * Saves one text, exactly once, also if the tool runs again. Returns its record, or the record it was merged into;
     * null if the memory is read-only. Fails with `invalid_definition` for an agent without memory.
     */
    remember(content: string, options?: RememberOptions): Promise<MemoryRecord | null>;
    /** Saves several texts like `remember`, and waits. */
    rememberMany(contents: readonly string[], options?: RememberOptions): Promise<readonly []>;
    /** Returns matches, best first. */
    recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]>;
  }
}

/** Place and model of a tool's memory. */
type ToolMemoryOptions = {
  readonly agentRole: string;
  /** Root of the agent's memories. */
  readonly rootScope: string | undefined;
  readonly model: MemoryModel;
};

export function toolMemory(view: MemoryView, options: ToolMemoryOptions): ToolMemory {
  const { agentRole, rootScope, model } = options;
  const here = (): MemoryView => {
    const scope = RunScope.current();
    return scope === undefined ? view : view.inRun({ scope, model });
  };
  const about = { agentRole, rootScope };
  return {
    remember: (content, own) => here().remember(content, { ...about, ...own }),
    rememberMany: (contents, own) => here().rememberMany(contents, { ...about, ...own }),
    recall: (query, own) => here().recall(query, own),
  };
}
