// Summary of a chat.
//
//   CSM1. A summary is made once, after the last message. A failed summary is empty, and a warning gives the reason.
//   CSM2. A reflecting model sees the author of each message, in chats of two and in groups.
//   CSM3. Changes that a summary function makes to the sender's variables are recorded with its text.
import { errorMessage, EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { fill } from "../../agent/prompts/fill.ts";
import { changedWork } from "../../agent/agent-work.ts";
import { isEmptyAnswer } from "../../model-calls/empty-answer.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { applyChange, ContextVariables, type ContextChange } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import { lastMessageSummary, summaryText } from "../summary-text.ts";
import { ModelView } from "../turns/model-view.ts";
import { askModel } from "../turns/model-reply.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { SummaryMethod, SummaryArgs } from "./summary-method.ts";
import type { Talk } from "./talk.ts";

const SUMMARY = "summary";
const REFLECT =
  "Sum up the conversation: the result, and what somebody needs who goes on from here. Leave out greetings, thanks and remarks on the conversation itself.";

/** Makes the summary of a chat, as a step at `summary` if it needs one. */
export async function chatSummary(
  talk: Talk,
  place: ChatPlace,
  {
    pair: [sender, recipient],
    summaryMethod,
    summaryArgs = {},
    messages = talk.history(recipient, sender),
  }: {
    readonly pair: readonly [TalkingMember, TalkingMember];
    readonly summaryMethod: SummaryMethod | null;
    readonly summaryArgs?: SummaryArgs | undefined;
    /** @default the messages of the two, in the recipient's view */
    readonly messages?: readonly ConversationMessage[];
  },
): Promise<string> {
  if (summaryMethod === null) return "";
  if (summaryMethod === "last_msg") return lastMessageSummary(messages.at(-1));
  try {
    if (typeof summaryMethod === "function") {
      const made = await place.scope.at(SUMMARY).callOnce(async () => {
        const changes: ContextChange[] = [];
        const contextVariables = new ContextVariables(talk.variables(sender).toObject(), {
          onChange: (change) => void changes.push(change),
        });
        const about = { sender, recipient, messages, summaryArgs, contextVariables };
        return { summary: summaryText(await summaryMethod(about)), changes };
      });
      for (const change of made.changes) applyChange(talk.variables(sender), change);
      return made.summary;
    }
    return await reflection(talk, place, { pair: [sender, recipient], messages, summaryArgs });
  } catch (error) {
    warn(place, recipient, error);
    return "";
  }
}

function warn(place: ChatPlace, { name: agentRole }: TalkingMember, error: unknown): void {
  const message = `the chat has no summary: ${errorMessage(error)}`;
  place.scope.at(SUMMARY).emit("agent_warning", { agentRole, message });
}

/** Throws `invalid_input` for an unknown method, and for a reflection without a model. */
export function checkSummaryMethod(
  method: unknown,
  pair: readonly [TalkingMember, TalkingMember],
): void {
  if (method === "reflection_with_llm" && pair.every(({ hasModel }) => !hasModel))
    throw new EngineError(
      "invalid_input",
      `summaryMethod "reflection_with_llm" needs a model, and neither ${pair[0].name} nor ${pair[1].name} has one`,
    );
  const known: readonly unknown[] = ["last_msg", "reflection_with_llm", null];
  if (known.includes(method) || typeof method === "function") return;
  throw new EngineError(
    "invalid_input",
    `summaryMethod must be "last_msg", "reflection_with_llm", a function or null, got ${preview(method)}`,
  );
}

/** Returns a model's reflection on the messages: the recipient's model, or else the sender's. */
export async function reflection(
  talk: Talk,
  place: ChatPlace,
  {
    pair: [sender, recipient],
    messages,
    summaryArgs: { summaryPrompt = REFLECT, summaryRole: role = "system" },
  }: {
    readonly pair: readonly [TalkingMember, TalkingMember];
    readonly messages: readonly ConversationMessage[];
    readonly summaryArgs: SummaryArgs;
  },
): Promise<string> {
  if (messages.length === 0) return "";
  const agent = recipient.hasModel ? recipient : sender;
  const meter = new UsageMeter();
  const work = changedWork(talk.work(agent), { meter, tools: [] });
  const { groupMember } = work.prompts.slices;
  const hasSpoken = messages.some(({ name }) => name === agent.name);
  const own = hasSpoken && !agent.isOfCrews ? fill(groupMember, { name: agent.name }) : "";
  const transcript = new ModelView({ isAlwaysNamed: () => true }).of(own, [
    ...messages.map((message) => asSeenBy(agent, message)),
    { role, content: summaryPrompt },
  ]);
  try {
    return (await askModel(work, place.scope.at(SUMMARY), { agent, transcript })).text;
  } catch (error) {
    if (!isEmptyAnswer(error)) throw error;
    warn(place, agent, error);
    return "";
  } finally {
    place.account(agent.name, meter.total);
  }
}

/** In a group every member's message is an assistant's; for one member, those of others are the user's. */
function asSeenBy({ name }: TalkingMember, message: ConversationMessage): ConversationMessage {
  const { role, toolCalls, functionCall } = message;
  const isOthers = role === "assistant" && message.name !== undefined && message.name !== name;
  return isOthers && toolCalls === undefined && functionCall === undefined
    ? { ...message, role: "user" }
    : message;
}
