// A conversation in the form of chat messages: what it says, and which run it belongs to. Responses bring theirs into this form.
//
//   OM1. A request whose messages end with results of tools continues the run that called them. A later word of the user's begins a
//        new one. Where no run of this subject waits for them, the user's last word is asked again, with what was done since.
//   OM2. A conversation has no id of its own: it is known by what was said in it, by the caller, the model and the user it names. Where
//        the client has a name for it, its instructions may change.
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

/** Messages as they came, and the field that they came in: a JSON pointer. */
export type Conversation = {
  readonly messages: readonly ChatMessage[];
  readonly where: "/messages" | "/input";
};

/** The whole history, as agents read it. Throws `invalid_input` that names the part that is wrong. */
export function historyOf({ messages, where }: Conversation): readonly AgentMessage[] {
  const results = new Map(
    messages.flatMap(({ role, tool_call_id: id, content }, index) =>
      role === "tool" ? [[id ?? "", textIn(content, `${where}/${index}/content`)]] : [],
    ),
  );
  const called = new Set(
    messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id)),
  );
  const said = messages.map((message, index) => {
    const place = `${where}/${index}/content`;
    if (message.role !== "tool") return agentMessage(message, place, results);
    const id = message.tool_call_id ?? "";
    // A result stands with its call.
    return resultMessage(called.has(id) ? undefined : results.get(id));
  });
  return askable(messages.at(-1)?.role === "tool" ? askedAgain(said) : said, where);
}

/** A conversation that ends with what an assistant did, as one that ends with the user's last word and all of that. */
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
  const past = (calls ?? []).map(({ id, function: called }) => ({
    name: called.name,
    arguments: called.arguments,
    result: results.get(id),
  }));
  return assistantMessage(text, past);
}

/** The results of tools that the messages end with; empty for messages that end with anything else. */
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

/** The user's last word, with what the assistant said before it and all that was said before that. */
export type LastWord = {
  readonly content: ReturnType<typeof userContent>;
  /** Undefined where the assistant did not speak just before. */
  readonly asked?: string;
  readonly before: readonly ChatMessage[];
};

/** Undefined for a conversation that ends with anything else. */
export function lastWord({ messages, where }: Conversation): LastWord | undefined {
  const last = messages.length - 1;
  const [asked, answer] = messages.length === 1 ? [undefined, messages[0]] : messages.slice(-2);
  if (answer?.role !== "user") return undefined;
  const content = userContent(answer.content, `${where}/${last}/content`);
  if (asked?.role !== "assistant") return { content, before: messages.slice(0, -1) };
  const text = textIn(asked.content, `${where}/${last - 1}/content`).trim();
  return { content, asked: text, before: messages.slice(0, -2) };
}

/** What identifies a conversation up to here (OM2), whatever form its texts came in. */
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
