// Decision of an agent to answer, to ask its person first, or to end the chat.
//
//   TRM1. The number of answers in a row is checked before the text of the last message.
//   TRM2. A person ends the chat with "exit", or with an empty input when the chat would end. "exit" is exact: other
//         spellings are text.
//   TRM3. A person's text is the answer, and also the result of every open tool call.
import type { ConversationMessage, ToolResponse } from "./messages.ts";
import { contentText } from "./messages.ts";
import { TERMINATE } from "./summary-text.ts";

/** Moment at which an agent asks its person: before each answer, before it would end the chat, or never. */
export type HumanInputMode = "ALWAYS" | "TERMINATE" | "NEVER";

/** Default limit of an agent's answers in a row. */
export const MAX_CONSECUTIVE_AUTO_REPLY = 100;

/** An agent that has received a message. */
export type TerminationState = {
  readonly mode: HumanInputMode;
  /** Number of answers in a row to this sender. */
  readonly counter: number;
  readonly maxConsecutiveAutoReply: number;
  /** Result of the agent's predicate for the message. */
  readonly isTermination: boolean;
  /** Undefined if there is no message to answer. */
  readonly message: ConversationMessage | undefined;
};

/** Reason for the end of a chat. */
export type TerminationReason =
  | "maximum number of consecutive auto-replies reached"
  | "termination condition met"
  | "the person ended the chat";

/** An agent's step on a message; `counter` is the new number of answers in a row. */
export type TerminationStep =
  /** The rest of the reply chain is tried. */
  | { readonly kind: "continue"; readonly counter: number }
  | { readonly kind: "stop"; readonly counter: 0; readonly reason: TerminationReason }
  | { readonly kind: "reply"; readonly counter: 0; readonly message: HumanReply };

/** A person's input as the agent's answer. */
export type HumanReply = {
  readonly role: "user";
  readonly content: string;
  readonly toolResponses?: readonly ToolResponse[];
};

const INTERRUPTED = "The person answered instead: this call was not executed.";

/** Returns an agent's step before a person is asked. `ask`: its person decides, see `answeredTermination`. */
export function checkTermination(
  state: TerminationState,
): Exclude<TerminationStep, { kind: "reply" }> | { readonly kind: "ask" } {
  const { mode, counter, maxConsecutiveAutoReply, isTermination, message } = state;
  if (message === undefined) return { kind: "continue", counter };
  const isExhausted = counter >= maxConsecutiveAutoReply;
  if (mode === "ALWAYS" || (mode === "TERMINATE" && (isExhausted || isTermination)))
    return { kind: "ask" };
  if (isExhausted) return stop("maximum number of consecutive auto-replies reached");
  return isTermination
    ? stop("termination condition met")
    : { kind: "continue", counter: counter + 1 };
}

/** Returns an agent's step after its person typed `input`. */
export function answeredTermination(state: TerminationState, input: string): TerminationStep {
  const { counter, maxConsecutiveAutoReply, isTermination, message } = state;
  if (input === "exit") return stop("the person ended the chat");
  if (input === "" && isTermination) return stop("termination condition met");
  if (input === "" && maxConsecutiveAutoReply !== 0)
    return { kind: "continue", counter: counter + 1 };
  const toolResponses = (message?.toolCalls ?? []).map(({ id }) => ({
    toolCallId: id,
    content: INTERRUPTED,
  }));
  const reply = { role: "user", content: input } as const;
  return {
    kind: "reply",
    counter: 0,
    message: toolResponses.length === 0 ? reply : { ...reply, toolResponses },
  };
}

/** The default predicate: the whole text is TERMINATE. */
export function isExactTermination({ content }: ConversationMessage): boolean {
  return contentText(content) === TERMINATE;
}

/** The predicate of an agent that runs alone: the text contains the word TERMINATE. */
export function containsTermination({ content }: ConversationMessage): boolean {
  return contentText(content).includes(TERMINATE);
}

function stop(reason: TerminationReason): Extract<TerminationStep, { kind: "stop" }> {
  return { kind: "stop", counter: 0, reason };
}
