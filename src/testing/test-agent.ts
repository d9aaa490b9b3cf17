// One agent with prepared replies.
//
//   TSA1. A test prepares an agent's replies without changing the agent: its other runs are unaffected.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { errorMessage } from "../base/error.ts";
import type { ScriptedAgents } from "../hooks/scripted-agents.ts";
import type { Script, ScriptedCall } from "../llm/scripted/scripted-model.ts";
import { scriptedAgentModel, withScriptedAgents } from "./scripted-replies.ts";

/** An agent with prepared replies. */
export type TestAgent = {
  /** Calls of its model, in order. */
  readonly calls: readonly ScriptedCall[];
  /**
   * Runs code in which the agent replies as prepared and asks no person. Resolves to undefined if the replies ran out
   * and `suppressMessagesEnd` is set.
   */
  run<T>(code: () => T | Promise<T>): Promise<T | undefined>;
};

const OPTIONS = definitionOptions<{ suppressMessagesEnd?: boolean }>("testAgent()", {
  suppressMessagesEnd: true,
});

/**
 * Prepares an agent for a test: in the runs started or joined by `run`'s code, its model gives these replies and it
 * asks no person. The agent itself stays unchanged.
 */
export function testAgent(
  agent: { readonly name: string } | { readonly role: string },
  replies: Script,
  options: { readonly suppressMessagesEnd?: boolean } = {},
): TestAgent {
  refuseUnknownOptions(options, OPTIONS);
  const { suppressMessagesEnd = false } = options;
  const name = "name" in agent ? agent.name : agent.role;
  const ends = new Set<string>();
  const model = scriptedAgentModel(name, replies, {
    onEnd: ({ message }) => void ends.add(message),
  });
  const scripted: ScriptedAgents = {
    modelOf: (names) => (names.includes(name) ? model : undefined),
    personOf: (asked) => (asked === name ? "nobody" : undefined),
  };
  return {
    calls: model.calls,
    run: async (code) => {
      try {
        return await withScriptedAgents(scripted, async () => code());
      } catch (error) {
        if (suppressMessagesEnd && ends.has(errorMessage(error))) return undefined;
        throw error;
      }
    },
  };
}
