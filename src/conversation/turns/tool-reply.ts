// The results of calls that a message makes.
//
//   TLR1. Each call has a result: of a tool that the agent executes, or a text that says why there is none.
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import { ToolRunner } from "../../agent/loop/tool-round.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversationMessage } from "../messages.ts";
import { screenedResults } from "../safeguards/screens.ts";

/** Whether a message makes calls. */
export function hasCalls({ toolCalls, functionCall }: ConversationMessage): boolean {
  return toolCalls !== undefined || functionCall !== undefined;
}

/** Executes the calls of a message, and returns their results as one message. */
export async function toolReply(
  work: AgentWork,
  place: RunScope,
  {
    message,
    tools,
    agent,
    caller,
  }: {
    readonly message: ConversationMessage;
    readonly tools: readonly Tool[];
    readonly agent: ConversableAgent;
    /** Whose model made the calls. */
    readonly caller: string;
  },
): Promise<ConversationMessage> {
  const { toolCalls = [], functionCall } = message;
  const calls =
    functionCall === undefined ? toolCalls : [...toolCalls, { id: "", ...functionCall }];
  const runner = new ToolRunner(changedWork(work, { tools }), toolBox(tools));
  const screening = { agent, work, tools, caller };
  const texts = await screenedResults(place, screening, {
    calls,
    carryOut: async (passed) => (await runner.runAll(place, passed)).map(({ text }) => text),
  });
  const content = texts.join("\n\n");
  if (functionCall !== undefined && toolCalls.length === 0)
    return { role: "function", content, name: functionCall.name };
  return {
    role: "tool",
    content,
    name: work.identity.role,
    toolResponses: toolCalls.map(({ id }, index) => ({
      toolCallId: id,
      content: texts[index] ?? "",
    })),
  };
}
