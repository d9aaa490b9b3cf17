import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { contentText } from "../messages.ts";
import { informedReply } from "./informed-reply.ts";
import { loopReply } from "./loop-reply.ts";
import { askModel, messageOf } from "./model-reply.ts";
import type { OwnReplyRequest, OwnReply } from "./own-reply-request.ts";
import { hasCalls } from "./tool-reply.ts";

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
function isPlain({ isOfCrews, options, inner }: TalkingMember): boolean {
  const { maxIter, responseFormat } = options;
  return (
    !isOfCrews &&
    maxIter === undefined &&
    responseFormat === undefined &&
    inner.guardrails.length === 0 &&
    inner.skills === undefined
  );
}
