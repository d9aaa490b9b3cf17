// Tool sources: tools that others offer, such as an MCP server's, or other agents that can be asked.
import type { RunScope } from "../events/run-scope.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Tool } from "./tool.ts";

/** Whose tools they are to be. */
export type ToolSourceOwner = {
  readonly agentRole: string;
  /** The agent's model; absent for the deployment's. */
  readonly llm?: ModelSpec | undefined;
};

/** Tools that are asked for when a run begins. */
export interface ToolSource {
  /** Its name in step keys, such as `docs.example.com/mcp`. */
  readonly name: string;
  /**
   * The tools for one agent. Called in every drive: whatever it asks of others is a step at `place`, and the tools are made of the
   * recorded result. What it throws ends the run.
   */
  open(place: RunScope, owner: ToolSourceOwner): Promise<readonly Tool[]>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Connects agents to the apps that their `apps` name, such as `gmail` or `slack/send_message`; undefined where it cannot. */
    readonly apps?: (apps: readonly string[]) => ToolSource | undefined;
  }
}

/** True for an object that is a tool source, and not its settings. */
export function isToolSource(value: unknown): value is ToolSource {
  return (
    typeof value === "object" &&
    value !== null &&
    "open" in value &&
    typeof value.open === "function"
  );
}

/** Several sources as one. All are opened at once. */
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
