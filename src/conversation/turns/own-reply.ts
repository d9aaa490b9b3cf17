import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { Transcript } from "../../model-calls/transcript.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { MemberSources, TurnReport } from "../chats/member-sources.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import { informedReply } from "./informed-reply.ts";
import { loopReply } from "./loop-reply.ts";
import { askModel, messageOf } from "./model-reply.ts";
import { hasCalls } from "./tool-reply.ts";

/** What a member's model answers to, and what it may use. */
export type OwnReplyRequest = {
  readonly agent: ConversableAgent;
  readonly transcript: Transcript;
  /** Tools that its model may call. */
  readonly tools: readonly Tool[];
  readonly sources: MemberSources | undefined;
  /** What was said to it last. */
  readonly query: string;
};

/** What a member's model says, and what of it is worth remembering. */
export type OwnReply = { readonly reply: ConversationMessage; readonly report?: TurnReport };

/** What a member says by its model, as steps below `place`. */
export async function ownReply(
  work: AgentWork,
  place: RunScope,
  request: Omit<OwnReplyRequest, "query">,
): Promise<OwnReply> {
  const { agent, transcript, tools, sources } = request;
  if (sources === undefined && isPlain(agent)) {
    const own = tools === work.tools ? work : changedWork(work, { tools });
    return { reply: messageOf(await askModel(own, place, { agent, transcript }), agent.name) };
  }
  const last = transcript.messages.findLast(({ role }) => role === "user");
  const query = textOfContent(last?.content ?? "");
  const asked = { ...request, query };
  const reply = agent.isOfCrews
    ? await loopReply(work, place, asked)
    : await informedReply(work, place, asked);
  if (sources === undefined || (agent.inner.memory ?? false) === false || hasCalls(reply))
    return { reply };
  return { reply, report: { description: query, output: contentText(reply.content) } };
}

/** Whether its model says all there is to say by itself: one call, with nothing before and nothing after it. */
function isPlain({ isOfCrews, options, inner }: ConversableAgent): boolean {
  const { maxIter, responseFormat } = options;
  return (
    !isOfCrews &&
    maxIter === undefined &&
    responseFormat === undefined &&
    inner.guardrails.length === 0 &&
    inner.skills === undefined
  );
}
