import type { AgentWork } from "../../agent/agent-work.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversationMessage } from "../messages.ts";
import { repairedName } from "../names.ts";
import { screenedReply, screenedRequest } from "../safeguards/screens.ts";

/** What a model is asked, and in whose name it answers. */
export type ModelQuestion = {
  readonly agent: ConversableAgent;
  readonly transcript: Transcript;
  readonly tools: readonly Tool[];
};

/** The model's next message, as a step at `place`: words, calls of tools, or both. Both sides of it are screened. */
export async function modelReply(
  work: AgentWork,
  place: RunScope,
  question: ModelQuestion,
): Promise<ConversationMessage> {
  const { agent, transcript } = question;
  const screening = { agent, work };
  const { value, blocked } = await screenedRequest(place, screening, transcript.messages);
  if (blocked !== undefined) return { role: "assistant", content: blocked, name: agent.name };
  const passed = value === transcript.messages ? transcript : new Transcript(value);
  const reply = await answer(work, place, { ...question, transcript: passed });
  return screenedReply(place, screening, reply);
}

async function answer(
  work: AgentWork,
  place: RunScope,
  { transcript, tools }: ModelQuestion,
): Promise<ConversationMessage> {
  const box = toolBox(tools);
  const { text, toolCalls } = await callModel(place, work, {
    request: {
      messages: transcript.messages,
      ...(tools.length === 0 ? undefined : { tools: box.specs }),
    },
    inputHash: transcript.hash,
    stream: work.stream,
  });
  const { role: name } = work.identity;
  if (toolCalls.length === 0) return { role: "assistant", content: text, name };
  return {
    role: "assistant",
    content: text === "" ? null : text,
    toolCalls: toolCalls.map(({ id, name: called, arguments: input }, index) => ({
      id: id === "" ? `call_${fingerprint(place.path)}_${index}` : id,
      name: box.find(called)?.safeName ?? repairedName(called),
      arguments: input,
    })),
  };
}
