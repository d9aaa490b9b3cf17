// What an agent of crews says: the answer of its whole loop, over all that was said.
//
//   LPR1. Its tools, its approvals, its plan and its guardrails are steps of its turn; the answer is its message.
//   LPR2. Calls of others and their results are told to it as text: they are none of its own.
import { answerMessages } from "../../agent/answer-messages.ts";
import type { AgentMessage } from "../../agent/agent-messages.ts";
import type { AgentWork } from "../../agent/agent-work.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { Message } from "../../llm/language-model.ts";
import type { ConversationMessage } from "../messages.ts";
import type { OwnReplyRequest } from "./own-reply.ts";

/** Asks an agent for its next words where nobody has said anything after its last. */
const GO_ON = "Go on.";

/** The agent's answer, as steps below `place`. */
export async function loopReply(
  { agent, identity, budget, limiter, meter }: AgentWork,
  place: RunScope,
  { transcript, sources, query }: OwnReplyRequest,
): Promise<ConversationMessage> {
  const { role, goal, backstory } = agent;
  const { raw, usage } = await answerMessages(place, agent, {
    identity: { role, goal, backstory },
    said: asSaid(transcript.messages),
    sources: sources?.ofAgents,
    query,
    budget,
    limiter,
  });
  meter.add(usage);
  return { role: "assistant", content: raw, name: identity.role };
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
