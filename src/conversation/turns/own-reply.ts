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

/** Request to a member's model, with its tools. */
export type OwnReplyRequest = {
  readonly agent: ConversableAgent;
  readonly transcript: Transcript;
  /** Tools available to its model. */
  readonly tools: readonly Tool[];
  /** Further tools, executed by the agent itself. */
  readonly ownTools: readonly Tool[];
  /** The hand-over tools among them. */
  readonly transfers: readonly Tool[];
  readonly sources: MemberSources | undefined;
  /** Text of the last message to it. */
  readonly query: string;
};

/** Reply of a member's model, and its report for memory. */
export type OwnReply = {
  readonly reply: ConversationMessage;
  readonly report?: TurnReport;
  /** The tool of an executed hand-over. */
  readonly transfer?: string;
};

/** Returns a member's reply by its model, as steps below `place`. */
export async function ownReply(
  work: AgentWork,
  place: RunScope,
  request: Omit<OwnReplyRequest, "query">,
): Promise<OwnReply> {
  const { agent, transcript, tools, ownTools, sources } = request;
  if (sources === undefined && ownTools.length === 0 && isPlain(agent)) {
    const own = tools === work.tools ? work : changedWork(work, { tools });
    return { reply: messageOf(await askModel(own, place, { agent, transcript }), agent.name) };
  }
  const last = transcript.messages.findLast(({ role }) => role === "user");
  const query = textOfContent(last?.content ?? "");
  const asked = { ...request, query };
  const answer = agent.isOfCrews
    ? await loopReply(work, place, asked)
    : { reply: await informedReply(work, place, asked) };
  const { reply } = answer;
  if (sources === undefined || (agent.inner.memory ?? false) === false || hasCalls(reply))
    return answer;
  return { ...answer, report: { description: query, output: contentText(reply.content) } };
}

/** True if the model's reply is one call, without work before or after it. */
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
