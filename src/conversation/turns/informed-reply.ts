// Reply of a member's model with all its knowledge.
//
//   IRP1. Memories and knowledge about the last message stand after it, for the model only: the log stays unchanged.
//   IRP2. Calls of tools that only this agent has (a memory's, a skill's, a server's) are executed in the turn, and the
//         model is asked again. With `maxIter`, so are calls of all tools that the agent executes itself. All other
//         calls are its message.
//   IRP3. If a message has calls of both kinds, its own calls are executed, and the model is asked to repeat the
//         others.
//   IRP4. After the maximum number of model calls it has to answer without tools.
import type { AgentWork } from "../../agent/agent-work.ts";
import { changedWork } from "../../agent/agent-work.ts";
import { ToolRunner } from "../../agent/loop/tool-round.ts";
import { fill } from "../../agent/prompts/prompts.ts";
import { addSkills } from "../../agent/skills/add-skills.ts";
import { EngineError } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ToolCall } from "../../llm/language-model.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";
import { screenedResults } from "../safeguards/screens.ts";
import { guardedReply } from "./guarded-reply.ts";
import { withFormat, withKnown } from "./informed-transcript.ts";
import { askModel, messageOf, type ModelAnswer } from "./model-reply.ts";
import type { OwnReplyRequest } from "./own-reply-request.ts";
import { replyFormat, structuredReply } from "./structured-reply.ts";

/** Returns the model's next message, as steps below `place`. */
export async function informedReply(
  base: AgentWork,
  place: RunScope,
  { agent, transcript, tools, ownTools, sources, query }: OwnReplyRequest,
): Promise<ConversationMessage> {
  const asked = changedWork(base, { prompt: query, tools: [...tools, ...ownTools] });
  const informed = (await sources?.ofAgents.informed(place, asked, { query })) ?? asked;
  const work = addSkills(place, informed);
  const shape = replyFormat(agent);
  const known = withKnown(transcript, {
    known: informed.prompt.slice(query.length).trim(),
    skillTexts: work.skillTexts ?? [],
  });
  const shown = shape === undefined ? known : withFormat(known, shape.schema, work.prompts);
  const own = carriedOutTools(agent, work.tools, tools);
  const answer = async (at: RunScope, said: Transcript, offered: readonly Tool[]) =>
    structuredReply(
      at,
      await talkWithModel(changedWork(work, { tools: offered }), at, {
        member: agent,
        said,
        own,
        shape,
      }),
      {
        work,
        shape,
      },
    );
  const reply = await answer(place, shown, work.tools);
  return guardedReply(place, reply, {
    work,
    transcript: shown,
    shape,
    // A call for another executor would end the turn without an answer.
    again: (at, said) => answer(at, said, own),
  });
}

/** Returns the tools whose calls the agent executes itself. */
function carriedOutTools(
  { executedTools, options: { maxIter } }: TalkingMember,
  all: readonly Tool[],
  offered: readonly Tool[],
): readonly Tool[] {
  const ofOthers = namesOf(offered);
  const executed = namesOf(maxIter === undefined ? [] : executedTools);
  return all.filter(({ safeName }) => !ofOthers.has(safeName) || executed.has(safeName));
}

function namesOf(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.map(({ safeName }) => safeName));
}

/** Asks the model until its reply is not a call of its own tools. */
async function talkWithModel(
  work: AgentWork,
  place: RunScope,
  {
    member,
    said,
    own,
    shape,
  }: {
    readonly member: TalkingMember;
    readonly said: Transcript;
    readonly own: readonly Tool[];
    readonly shape: ReturnType<typeof replyFormat>;
  },
): Promise<ConversationMessage> {
  const { agent, prompts, identity } = work;
  const box = toolBox(own);
  const runner = new ToolRunner(changedWork(work, { tools: own }), box);
  let transcript = said;
  for (let round = 1; ; round++) {
    const at = round === 1 ? place : place.at(`round:${round}`);
    const isLast = round > agent.maxIter;
    if (isLast) transcript.add({ role: "user", content: prompts.errors.forceFinalAnswer });
    const answer = await askModel(work, at, { agent: member, transcript, shape, isLast });
    const { calls, text } = answer;
    const isMine = ({ name }: ToolCall): boolean => box.find(name) !== undefined;
    if (isLast) {
      if (text.trim() === "")
        throw new EngineError("agent_failed", prompts.errors.forceFinalAnswerError);
      return { role: "assistant", content: text, name: identity.role };
    }
    if (!calls.some(isMine)) return messageOf(answer, identity.role);
    const results = await carriedOut(runner, at, { answer, isMine, work, member, own });
    if (results.final !== undefined)
      return { role: "assistant", content: results.final, name: identity.role };
    if (transcript === said) transcript = new Transcript(said.messages);
    transcript.add({
      role: "assistant",
      content: text,
      toolCalls: calls,
      ...(answer.providerParts === undefined ? undefined : { providerParts: answer.providerParts }),
    });
    for (const [index, { id, name }] of calls.entries())
      transcript.add({
        role: "tool",
        toolCallId: id,
        toolName: name,
        content: results.texts[index] ?? "",
      });
  }
}

/** Executes the calls of a message, and returns their results in order, and the answer if one of them gave it. */
async function carriedOut(
  runner: ToolRunner,
  place: RunScope,
  {
    answer: { calls, isCutOff },
    isMine,
    work,
    member,
    own,
  }: {
    readonly answer: ModelAnswer;
    readonly isMine: (call: ToolCall) => boolean;
    readonly work: AgentWork;
    readonly member: TalkingMember;
    readonly own: readonly Tool[];
  },
): Promise<{ readonly texts: readonly string[]; readonly final?: string | undefined }> {
  const { toolCallCutOff } = work.prompts.errors;
  if (isCutOff) return { texts: calls.map(({ name }) => fill(toolCallCutOff, { tool: name })) };
  const mine = calls.filter(isMine);
  let final: string | undefined;
  const screening = { agent: member, work, tools: own, caller: member.name };
  const results = await screenedResults(place, screening, {
    calls: mine,
    carryOut: async (passed) => {
      const replies = await runner.runAll(place, passed);
      ({ answer: final } = replies.find(({ answer }) => answer !== undefined) ?? {});
      return replies.map(({ text }) => text);
    },
  });
  const texts = calls.map(
    (call) =>
      results[mine.indexOf(call)] ??
      `${call.name} was not run: somebody else runs it. Make this call again in a message without calls of your own tools.`,
  );
  return { texts, final };
}
