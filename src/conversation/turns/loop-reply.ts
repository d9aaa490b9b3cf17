// Reply of a crew agent: the answer of its whole loop, over all messages.
//
//   LPR1. Its tools, approvals, plan and guardrails are steps of its turn; the answer is its message.
//   LPR2. Calls of others and their results reach it as text, since they are not its own.
//   LPR3. A call that hands over ends its loop. Its message is its text for the next agent; without a text it is a
//         notice of the hand-over. If its guardrails refuse the message, the hand-over is refused too.
import * as z from "zod";
import { answerMessages } from "../../agent/answer-messages.ts";
import type { AgentMessage } from "../../agent/agent-messages.ts";
import type { AgentWork } from "../../agent/agent-work.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { Message } from "../../llm/language-model.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import { handoffNotice } from "../targets/handoff-messages.ts";
import { isTarget } from "../targets/targets.ts";
import type { OwnReply, OwnReplyRequest } from "./own-reply-request.ts";

/** Asks an agent for its next message if it sent the last one itself. */
const GO_ON = "Go on.";

/** Returns the agent's answer, as steps below `place`. */
export async function loopReply(
  { agent, identity, budget, limiter, meter }: AgentWork,
  place: RunScope,
  { transcript, sources, query, ownTools, transfers }: OwnReplyRequest,
): Promise<OwnReply> {
  const { role, goal, backstory } = agent;
  let made: Transfer | undefined;
  const { raw, usage } = await answerMessages(place, agent, {
    identity: { role, goal, backstory },
    said: asSaid(transcript.messages),
    sources: sources?.ofAgents,
    query,
    budget,
    limiter,
    moreTools: [
      ...ownTools,
      ...transfers.map((each) => transferTool(each, (transfer) => void (made = transfer))),
    ],
  });
  meter.add(usage);
  const reply = { role: "assistant", content: raw, name: identity.role } as const;
  return made !== undefined && (agent.guardrails.length === 0 || made.text === raw)
    ? { reply, transfer: made.tool }
    : { reply };
}

type Transfer = { readonly tool: string; readonly text: string };

/** Makes a hand-over tool whose result is the answer. `onTransfer` is also called in each replay of the loop. */
function transferTool(transfer: Tool, onTransfer: (made: Transfer) => void): Tool {
  const { name, description } = transfer;
  const made = tool({
    name,
    description: `${description} Ends your work on this message.`,
    input: z.object({
      message: z
        .string()
        .optional()
        .describe("What you found so far and whoever takes over has to know"),
    }),
    resultAsAnswer: true,
    cache: () => false,
    run: async ({ message = "" }, context) => {
      const target = await transfer.call({}, context);
      return message.trim() === "" && isTarget(target) ? handoffNotice(target) : message;
    },
  });
  return { ...made, recorded: (text) => onTransfer({ tool: name, text: text as string }) };
}

function asSaid(messages: readonly Message[]): readonly AgentMessage[] {
  const all = messages.map((message): AgentMessage => {
    const { role, content } = message;
    switch (role) {
      case "tool":
        return { role: "user", content: `(${message.toolName} gave: ${textOfContent(content)})` };
      case "assistant": {
        const { toolCalls = [] } = message;
        if (toolCalls.length === 0) return { role, content };
        const calls = toolCalls.map(
          ({ name, arguments: input }) => `(calls ${name} with ${input})`,
        );
        return {
          role: "user",
          content: [content, ...calls].filter((text) => text !== "").join("\n"),
        };
      }
      case "system":
        return { role, content };
      default:
        return { role, content };
    }
  });
  return all.at(-1)?.role === "user" ? all : [...all, { role: "user", content: GO_ON }];
}
