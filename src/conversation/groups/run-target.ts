import { EngineError, errorMessage } from "../../base/error.ts";
import { endsRun } from "../../base/run-ending-error.ts";
import { addUsageByName, type Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Member } from "../agents/conversation-member.ts";
import { ContextVariables, type ContextChange } from "../context-variables.ts";
import { contentText, readMessage, type ConversationMessage } from "../messages.ts";
import type { RunnableTarget, TransitionTarget } from "../targets/targets.ts";
import { Kept } from "../turns/kept.ts";
import { nestedReply } from "../turns/nested-reply.ts";
import type { GroupRun } from "./group.ts";
import { isInnerConversation } from "./inner-conversation.ts";

type SpeakingTarget = Exclude<RunnableTarget, { kind: "function" }>;

type Ran = {
  /** Name for its messages in the transcript. */
  readonly speaker: string;
  readonly message: ConversationMessage;
  readonly usage: Readonly<Record<string, Usage>>;
  /** Changes by the chats to the variables of the agent that handed over. */
  readonly changes: readonly ContextChange[];
};

/** Runs the chats or the conversation of a target; their summary is a message. */
export async function runTarget(
  run: GroupRun,
  place: RunScope,
  { target, owner }: { readonly target: SpeakingTarget; readonly owner: string },
): Promise<Ran> {
  const kind = target.kind === "nestedChat" ? "nested" : "group";
  const speaker = `wrapped_${kind}_${owner}_${run.rounds}`;
  const below = place.at(keySegment(speaker));
  const { text, usage, changes } =
    target.kind === "nestedChat"
      ? await nested(run, below, { owner, chats: target.chats })
      : await inner(run, below, target);
  const message = readMessage(text, { name: speaker, role: "assistant" });
  return { speaker, message, usage, changes };
}

type Text = Omit<Ran, "speaker" | "message"> & { readonly text: string };

async function nested(
  { group, talk, transcript }: GroupRun,
  place: RunScope,
  {
    owner,
    chats,
  }: {
    readonly owner: string;
    readonly chats: Extract<TransitionTarget, { kind: "nestedChat" }>["chats"];
  },
): Promise<Text> {
  const agent = memberOf(group.members, owner);
  const queue = chats.map(({ sender, recipient, ...chat }) => ({
    ...chat,
    recipient: memberOf(group.members, recipient),
    ...(sender === undefined ? undefined : { sender: memberOf(group.members, sender) }),
  }));
  const changes: ContextChange[] = [];
  const contextVariables = new ContextVariables(talk.variables(agent).toObject(), {
    onChange: (change) => void changes.push(change),
  });
  const { reply, usage = [] } = await nestedReply(place, {
    talk: talk.within(agent, contextVariables),
    agent,
    sender: group.manager,
    messages: transcript,
    contextVariables,
    work: talk.work(agent),
    kept: new Kept(new Map()),
    chats: queue,
  });
  return { text: contentText(reply?.content), usage: addUsageByName(usage), changes };
}

/** A failed conversation becomes a message with its error: the group continues. */
async function inner(
  { talk, transcript }: GroupRun,
  place: RunScope,
  { conversation, maxRounds, messages }: Extract<TransitionTarget, { kind: "groupChat" }>,
): Promise<Text> {
  if (!isInnerConversation(conversation))
    throw new EngineError(
      "invalid_definition",
      "a groupChatTarget needs a pattern, or a conversation that converse() can be called of",
    );
  const before = transcript.at(-2) ?? transcript.at(-1);
  const opening = messages ?? contentText(before?.content);
  try {
    const { summary: text, usageByAgent: usage } = await conversation.converse(
      talk.beside(),
      place,
      {
        messages: opening,
        maxRounds,
      },
    );
    return { text, usage, changes: [] };
  } catch (error) {
    if (endsRun(error)) throw error;
    return {
      text: `The inner conversation failed: ${errorMessage(error)}`,
      usage: {},
      changes: [],
    };
  }
}

function memberOf(members: readonly ConversableAgent[], agent: Member | string): ConversableAgent {
  if (typeof agent !== "string") return ConversableAgent.of(agent);
  const member = members.find(({ name }) => name === agent);
  if (member !== undefined) return member;
  const names = members.map(({ name }) => name).join(", ");
  throw new EngineError("invalid_input", `"${agent}" is no member; members: ${names}`);
}
