// A conversation as a tool of an agent.
//
//   CAT1. A call holds the conversation inside the caller's run: its steps lie below the call, which a crash does not repeat, and its
//         people are asked by waits of that run.
//   CAT2. What it consumed counts for the caller's work, and for the run once. An abort by a hook, and a failure that a policy raises,
//         end the caller's work, too.
import * as z from "zod";
import { errorMessage } from "../../base/error.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import { raisedBy, ToolReport } from "../../tools/tool-report.ts";
import type { ToolOptions } from "../../tools/tool-options.ts";
import { tool, type Tool } from "../../tools/tool.ts";

/** What a conversation came to, for those who only have it held: the result of a chat is one. */
export type ChatOutcome = {
  readonly summary: string;
  /** What it consumed. @default nothing */
  readonly cost?: { readonly total: Usage };
};

/** What a conversation is made of as a tool: those of every tool, and how it begins. */
export type ChatToolOptions = Omit<ToolOptions<z.ZodType>, "input" | "run"> & {
  /** Holds it, such as `(message) => moderator.initiateChat(expert, { message })`. Its summary is the result. */
  readonly chat: (message: string) => Promise<ChatOutcome>;
};

/** A tool that begins a conversation with the message that the model gives it. Each call is a conversation of its own. */
export function chatTool({ chat, ...options }: ChatToolOptions): Tool {
  return tool({
    // The same message may be worth talking over twice.
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
