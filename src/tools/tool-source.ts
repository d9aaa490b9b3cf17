// Tool sources: tools offered by others, such as by an MCP server or by other agents.
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Tool } from "./tool.ts";

/** Agent that gets the tools. */
export type ToolSourceOwner = {
  readonly agentRole: string;
  /** The agent's model; absent for the deployment's. */
  readonly llm?: ModelSpec | undefined;
};

/** Tools requested at the start of a run. */
export interface ToolSource {
  /** Name in step keys, such as `docs.example.com/mcp`. */
  readonly name: string;
  /**
   * Returns the tools for one agent. Called in every drive: each request to others is a step at `place`, and the tools
   * are created from the recorded result. Its errors end the run.
   */
  open(place: RunScope, owner: ToolSourceOwner): Promise<readonly Tool[]>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /**
     * Connects agents to the apps in their `apps`, such as `gmail` or `slack/send_message`; returns undefined if it
     * cannot.
     */
    readonly apps?: (apps: readonly string[]) => ToolSource | undefined;
  }
}

/** True for a tool source, false for the settings of one. */
export function isToolSource(value: unknown): value is ToolSource {
  return (
    typeof value === "object" &&
    value !== null &&
    "open" in value &&
    typeof value.open === "function"
  );
}

/** Joins several sources. All are opened concurrently. */
export function joinedSources(name: string, sources: readonly ToolSource[]): ToolSource {
  return {
    name,
    open: async (place, owner) => {
      const [first] = sources;
      if (first !== undefined && sources.length === 1) return first.open(place, owner);
      const opened = sources.map((source, index) =>
        source.open(place.at(`source:${index + 1}`), owner),
      );
      return (await Promise.all(opened)).flat();
    },
  };
}
