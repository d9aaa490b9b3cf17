// Two agents that talk until one of them has nothing to say.
//
//   TAC1. A message is a turn of its sender's; the other's turn answers it. With `maxTurns`, one turn is a message and its answer.
//   TAC2. A chat without a word has an empty summary.
//   TAC3. A hand-over that terminates ends the chat after what was said with it; any other is ignored with a warning.
import { changedWork } from "../../agent/agent-work.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { UsageMeter } from "../../model-calls/model-call.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Carryover } from "../carryover.ts";
import { nextChatTurn } from "../chat-limits.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import {
  checkSafeguards,
  safeguardedPlace,
  type SafeguardOptions,
} from "../safeguards/active-policy.ts";
import { interAgentMessage, screenedInput } from "../safeguards/screens.ts";
import { targetLabel } from "../targets.ts";
import { takeTurn } from "../turns/turn.ts";
import { ChatPlace, type ChatCost } from "./chat-place.ts";
import {
  chatSummary,
  checkSummaryMethod,
  type SummaryArgs,
  type SummaryMethod,
} from "./chat-summary.ts";
import { openingMessage, type OpeningMessage } from "./opening.ts";
import type { Talk } from "./talk.ts";

/** How a chat of two agents goes. */
export type ChatOptions = SafeguardOptions & {
  readonly message?: OpeningMessage;
  /** Messages with their answers. An integer >= 0. @default until one of the two has nothing to say */
  readonly maxTurns?: number;
  /** Whether what the two said before is forgotten first. @default true */
  readonly clearHistory?: boolean;
  /** @default "last_msg" */
  readonly summaryMethod?: SummaryMethod | null;
  readonly summaryArgs?: SummaryArgs;
  /** What earlier chats hand on. */
  readonly carryover?: Carryover;
};

/** What a chat came to. */
export type ChatResult = {
  /** The initiator's view. */
  readonly chatHistory: readonly ConversationMessage[];
  readonly summary: string;
  readonly cost: ChatCost;
  /** What people said in place of agents, oldest first: the initiator's, then the recipient's. */
  readonly humanInput: readonly string[];
  /** Why it ended. */
  readonly reason: string;
  /** The initiator's context variables at the end. */
  readonly contextVariables: JsonObject;
};

/** Why a chat ended in which somebody had nothing to say. */
export const NO_REPLY = "no reply generated";

/** Why a chat ended in which somebody handed over to nobody. */
export const TERMINATED = "a hand-over ended the chat";

type Pair = readonly [ConversableAgent, ConversableAgent];

/** Runs a chat. Throws `invalid_input` for options that do not fit. */
export async function runTwoAgentChat(
  talk: Talk,
  { scope }: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<ChatResult> {
  const [initiator, recipient] = pair;
  const { maxTurns, clearHistory = true, summaryMethod = "last_msg", summaryArgs } = options;
  checkChat(pair, options);
  const place = new ChatPlace(safeguardedPlace(scope, options, { agents: pair }));
  talk.prepare(initiator, recipient, clearHistory);
  const reason =
    maxTurns === undefined
      ? await talkOn(talk, place, { pair, options })
      : await takeTurns(talk, place, { pair, options, maxTurns });
  const summary = await chatSummary(talk, place, {
    pair,
    summaryMethod,
    summaryArgs,
  });
  return {
    chatHistory: [...talk.history(initiator, recipient)],
    summary,
    cost: place.cost,
    humanInput: pair.flatMap((agent) => talk.humanInputs(agent)),
    reason,
    contextVariables: talk.variables(initiator).toObject(),
  };
}

/** Throws `invalid_input` for options that do not fit. */
export function checkChat(pair: Pair, options: ChatOptions): void {
  const { maxTurns, summaryMethod = "last_msg" } = options;
  const [{ name: initiator }, { name: recipient }] = pair;
  if (initiator === recipient)
    throw invalid(`two agents of a chat need names of their own, got "${initiator}" twice`);
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns >= 0))
    throw invalid(`maxTurns must be an integer >= 0, got ${preview(maxTurns)}`);
  checkSummaryMethod(summaryMethod, pair);
  checkSafeguards(options, { agents: pair });
}

/** Passes messages back and forth, and returns why that ended. */
async function talkOn(
  talk: Talk,
  place: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<string> {
  await open(talk, place, { pair, options });
  let [answering, asking] = [pair[1], pair[0]];
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const ended = await answer(talk, place, [answering, asking]);
    if (ended !== undefined) return ended;
    [answering, asking] = [asking, answering];
  }
}

/** As `talkOn`, for so many messages of the initiator's with their answers. */
async function takeTurns(
  talk: Talk,
  place: ChatPlace,
  {
    pair,
    options,
    maxTurns,
  }: { readonly pair: Pair; readonly options: ChatOptions; readonly maxTurns: number },
): Promise<string> {
  const [initiator, recipient] = pair;
  for (let turn = 0; ; turn++) {
    const last = talk.history(initiator, recipient).at(-1);
    const step = nextChatTurn({
      turn,
      maxTurns,
      recipientCounter: talk.counter(recipient, initiator),
      recipientMaximum: recipient.maxConsecutiveAutoReply,
      isTermination:
        turn > 0 && last !== undefined && last.content !== null && recipient.isTerminationMsg(last),
    });
    if (step.kind === "end") return step.reason ?? "termination condition met";
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if (step.kind === "open") await open(talk, place, { pair, options });
    else {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ended = await answer(talk, place, [initiator, recipient]);
      if (ended !== undefined) return ended;
    }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const ended = await answer(talk, place, [recipient, initiator]);
    if (ended !== undefined) return ended;
  }
}

async function open(
  talk: Talk,
  place: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<void> {
  const meter = new UsageMeter();
  const screening = { agent: pair[0], work: changedWork(talk.work(pair[0]), { meter }) };
  const { message, humanInput } = await openingMessage(place.scope.at("opening"), pair, {
    ...options,
    screened: (typed) => screenedInput(place.scope, screening, typed),
  });
  if (meter.total.requests > 0) place.account(pair[0].name, meter.total);
  if (humanInput !== undefined) talk.hearPerson(pair[0], humanInput);
  await send(talk, place, { pair, message, key: "opening" });
}

/** Has an agent answer another. Returns why it did not, if it said nothing. */
async function answer(talk: Talk, place: ChatPlace, pair: Pair): Promise<string | undefined> {
  const [agent, sender] = pair;
  const { reply, ended, target } = await takeTurn(talk, place, { agent, sender });
  if (reply === undefined) return ended ?? NO_REPLY;
  const key = `sent:${place.turns}`;
  await send(talk, place, { pair, message: reply, key });
  if (target === undefined) return undefined;
  if (target.kind === "terminate") return TERMINATED;
  const message = `a chat of two goes on between the two: the hand-over of "${agent.name}" to ${targetLabel(target)} is ignored`;
  place.scope.at(key).emit("agent_warning", { agentRole: agent.name, message });
  return undefined;
}

/** Sends a message through the sender's hooks and the policies, and adds it to both sides. */
async function send(
  talk: Talk,
  place: ChatPlace,
  {
    pair: [sender, recipient],
    message,
    key,
  }: {
    readonly pair: Pair;
    readonly message: JsonValue | ConversationMessage;
    readonly key: string;
  },
): Promise<void> {
  let sent: unknown = message;
  const about = { sender: sender.name, recipient: recipient.name };
  for (const [index, hook] of sender.hooksOf("process_message_before_send").entries())
    // oxlint-disable-next-line no-await-in-loop -- in their order
    sent = await place.scope
      .at(`${key}:hook:${index}`)
      .callOnce(async () => hook(sent as ConversationMessage, about));
  const { message: passed } = await interAgentMessage(talk, place, {
    message: readMessage(sent, { name: sender.name, role: "assistant" }),
    source: sender,
    destination: recipient.name,
    key,
  });
  talk.say(sender, recipient, isJsonObject(sent) ? { ...sent, ...passed } : passed);
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_input", message);
}
