// A conversation as a tool of an agent.
//
//   CAT1. A call runs the conversation inside the caller's run. Its steps lie below the call, so a crash does not
//         repeat them. Questions to its people are waits of that run.
//   CAT2. Its usage counts for the caller's work, and once for the run. An abort by a hook, and a failure raised by a
//         policy, end the caller's work, too.
import * as z from "zod";
import { errorMessage } from "../../base/error.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import { raisedBy, ToolReport } from "../../tools/tool-report.ts";
import type { ToolOptions } from "../../tools/tool-options.ts";
import { tool, type Tool } from "../../tools/tool.ts";

/** Result of a conversation for its caller. The result of a chat fits. */
export type ChatOutcome = {
  readonly summary: string;
  /** Usage of the conversation. @default no usage */
  readonly cost?: { readonly total: Usage };
};

/** Options of a conversation as a tool: those of every tool, and a function that starts it. */
export type ChatToolOptions = Omit<ToolOptions<z.ZodType>, "input" | "run"> & {
  /**
   * Runs the conversation, such as `(message) => moderator.initiateChat(expert, { message })`. Its summary is the
   * result.
   */
  readonly chat: (message: string) => Promise<ChatOutcome>;
};

/** Makes a tool that starts a conversation with the model's message. Each call is a conversation of its own. */
export function chatTool({ chat, ...options }: ChatToolOptions): Tool {
  return tool({
    // The same message may start another conversation.
    cache: () => false,
    ...options,
    input: z.object({
      message: z.string().describe("What the conversation begins with: all that they need to know"),
    }),
    run: async ({ message }) => {
      try {
        const { summary, cost } = await chat(message);
        return new ToolReport(summary, { usage: cost?.total ?? NO_USAGE, delegatedTo: [] });
      } catch (error) {
        const raised = raisedBy(error);
        if (raised === undefined) throw error;
        return new ToolReport(errorMessage(error), { usage: NO_USAGE, delegatedTo: [], raised });
      }
    },
  });
}
