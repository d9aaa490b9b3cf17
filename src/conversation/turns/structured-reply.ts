import type { AgentWork } from "../../agent/agent-work.ts";
import { conversionWork } from "../../agent/answer-messages.ts";
import { outputShape, toStructured, type OutputShape } from "../../agent/loop/structured-output.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import { hasCalls } from "./tool-reply.ts";

/** Returns the shape of a member's answers; undefined for free text. */
export function replyFormat({ options }: TalkingMember): OutputShape | undefined {
  const { responseFormat } = options;
  return responseFormat === undefined ? undefined : outputShape(responseFormat);
}

/**
 * Returns an answer as JSON of its shape. The model gets an invalid answer back; throws `output_invalid` if no answer
 * fits.
 */
export async function structuredReply(
  place: RunScope,
  reply: ConversationMessage,
  { work, shape }: { readonly work: AgentWork; readonly shape: OutputShape | undefined },
): Promise<ConversationMessage> {
  if (shape === undefined || hasCalls(reply)) return reply;
  const json = await toStructured(place, contentText(reply.content), {
    shape,
    work: conversionWork(place, work),
  });
  return { ...reply, content: JSON.stringify(json) };
}
