// A conversation in the form of chat messages, and its run. Responses are converted to this form.
//
//   OM1. A request with results of tools at its end continues the run of the calls. A later message of the user starts
//        a new run. If no run of this subject waits for the results, the user's last message is asked again, with the
//        work since then.
//   OM2. A conversation has no id of its own, and its texts are none: a digest of them finds records of requests with
//        the same history, of one conversation or of several.
import { digestText } from "../../../base/bytes.ts";
import type { AgentMessage } from "../../../agent/agent-messages.ts";
import { textOfContent } from "../../../llm/content.ts";
import {
  askable,
  assistantMessage,
  resultMessage,
  textIn,
  userContent,
  withText,
} from "../content.ts";
import { wrong } from "../errors.ts";
import type { CallResult } from "../turns.ts";
import type { ChatMessage } from "./schema.ts";

/** Messages of a request, and their field as a JSON pointer. */
export type Conversation = {
  readonly messages: readonly ChatMessage[];
  readonly where: "/messages" | "/input" | "/items";
};

/** Returns the whole history in a form that agents can answer. Fails with `invalid_input`, with the wrong part's place. */
export function historyOf(conversation: Conversation): readonly AgentMessage[] {
  const { messages, where } = conversation;
  const said = agentMessages(conversation);
  return askable(messages.at(-1)?.role === "tool" ? askedAgain(said) : said, where);
}

/** Returns each message in the form for agents; calls and results of tools as text. Fails with `invalid_input`. */
export function agentMessages({ messages, where }: Conversation): readonly AgentMessage[] {
  const results = new Map(
    messages.flatMap(({ role, tool_call_id: id, content }, index) =>
      role === "tool" ? [[id ?? "", textIn(content, `${where}/${index}/content`)]] : [],
    ),
  );
  const called = new Set(
    messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id)),
  );
  return messages.map((message, index) => {
    const place = `${where}/${index}/content`;
    if (message.role !== "tool") return agentMessage(message, place, results);
    const id = message.tool_call_id ?? "";
    // A result belongs to its call.
    return resultMessage(called.has(id) ? undefined : results.get(id));
  });
}

/** Moves the user's last message to the end, with the assistant's later work in it. */
function askedAgain(said: readonly AgentMessage[]): readonly AgentMessage[] {
  const asked = said.findLastIndex(({ role }) => role === "user");
  const since = said.slice(asked + 1);
  const done = since
    .filter(({ role, content }) => role === "assistant" && content !== "")
    .map(({ content }) => textOfContent(content));
  return [
    ...said.slice(0, Math.max(asked, 0)),
    ...since.filter(({ role }) => role === "system"),
    { role: "user", content: withText(said[asked]?.content ?? "", done.join("\n\n")) },
  ];
}

function agentMessage(
  { role, content, tool_calls: calls }: ChatMessage,
  where: string,
  results: ReadonlyMap<string, string>,
): AgentMessage {
  if (role === "user") return { role, content: userContent(content, where) };
  const text = textIn(content, where);
  if (role !== "assistant") return { role: "system", content: text };
  const past = (calls ?? []).map(({ id, function: called, custom }) => ({
    name: called?.name ?? custom?.name ?? "",
    arguments: called?.arguments ?? custom?.input ?? "",
    result: results.get(id),
  }));
  return assistantMessage(text, past);
}

/** Returns the tool results at the end of the messages; empty if they end with another role. */
export function lastResults({ messages, where }: Conversation): readonly CallResult[] {
  const results: CallResult[] = [];
  for (let index = messages.length - 1; messages[index]?.role === "tool"; index--) {
    const { tool_call_id: id, content } = messages[index] as ChatMessage;
    const place = `${where}/${index}/${where === "/input" ? "call_id" : "tool_call_id"}`;
    if (id == null || id === "") throw wrong(place, "{} must name the call that this answers");
    results.unshift({ id, content: textIn(content, `${where}/${index}/content`), where: place });
  }
  return results;
}

/** The user's last message, with the assistant's message before it and all earlier ones. */
export type LastWord = {
  readonly content: ReturnType<typeof userContent>;
  /** Undefined if the previous message is not the assistant's. */
  readonly asked?: string;
  readonly before: readonly ChatMessage[];
};

/** Returns undefined for a conversation with another end. */
export function lastWord({ messages, where }: Conversation): LastWord | undefined {
  const last = messages.length - 1;
  const [asked, answer] = messages.length === 1 ? [undefined, messages[0]] : messages.slice(-2);
  if (answer?.role !== "user") return undefined;
  const content = userContent(answer.content, `${where}/${last}/content`);
  if (asked?.role !== "assistant") return { content, before: messages.slice(0, -1) };
  const text = textIn(asked.content, `${where}/${last - 1}/content`).trim();
  return { content, asked: text, before: messages.slice(0, -2) };
}

/** Returns a digest of a history and its caller (OM2), independent of the form of its texts. */
export function fingerprintOf(
  who: readonly string[],
  messages: readonly ChatMessage[],
): Promise<string> {
  const said = messages.map(({ role, content, tool_calls: calls, tool_call_id: call }) => [
    role,
    shapeOf(content),
    calls?.map(({ id }) => id) ?? [],
    call ?? "",
  ]);
  return digestText(JSON.stringify([who, said]));
}

function shapeOf(content: ChatMessage["content"]): unknown {
  if (content == null) return "";
  if (typeof content === "string") return content.trim();
  if (content.every(({ type }) => /^(?:input_|output_)?text$/.test(type)))
    return content
      .map((part) => String(part["text"]))
      .join("\n")
      .trim();
  return content;
}
