import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { agentModel } from "../../hooks/scripted-agents.ts";
import { callModel } from "../../model-calls/model-call.ts";
import type { Transcript } from "../../model-calls/transcript.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversationMessage } from "../messages.ts";
import { repairedName } from "../names.ts";

/** The model's next message, as a step at `place`: words, calls of tools, or both. */
export async function modelReply(
  work: AgentWork,
  place: RunScope,
  { transcript, tools }: { readonly transcript: Transcript; readonly tools: readonly Tool[] },
): Promise<ConversationMessage> {
  const box = toolBox(tools);
  const model = agentModel(place, [work.identity.role], work.model);
  const caller = model === work.model ? work : changedWork(work, { model });
  const { text, toolCalls } = await callModel(place, caller, {
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
