// The messages of a chat request: what they say, and which conversation they belong to.
//
//   OM1. A request whose messages end with results of tools continues the run that called them. A later word of the user's begins a
//        new one.
//   OM2. A conversation has no id of its own: it is known by what was said in it, by the caller, the model and the user it names.
import { digestText } from "../../../base/bytes.ts";
import type { AgentMessage } from "../../../agent/agent-messages.ts";
import { askable, assistantMessage, textIn, userContent } from "../content.ts";
import { wrong } from "../errors.ts";
import type { CallResult } from "../turns.ts";
import type { ChatMessage } from "./schema.ts";

/** The whole history, as agents read it. Throws `invalid_input` that names the part that is wrong. */
export function conversationOf(messages: readonly ChatMessage[]): readonly AgentMessage[] {
  const results = new Map(
    messages.flatMap((message, index) =>
      message.role === "tool"
        ? [[message.tool_call_id ?? "", textIn(message.content, `/messages/${index}/content`)]]
        : [],
    ),
  );
  const said = messages.flatMap((message, index): AgentMessage[] => {
    const where = `/messages/${index}/content`;
    switch (message.role) {
      case "system":
      case "developer":
        return [{ role: "system", content: textIn(message.content, where) }];
      case "user":
        return [{ role: "user", content: userContent(message.content, where) }];
      case "assistant": {
        const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
          name: called.name,
          arguments: called.arguments,
          result: results.get(id),
        }));
        return [assistantMessage(textIn(message.content, where), calls)];
      }
      case "tool":
        return [];
    }
  });
  return askable(said, "/messages");
}

/** The results of tools that the messages end with; empty for messages that end with anything else. */
export function lastResults(messages: readonly ChatMessage[]): readonly CallResult[] {
  const results: CallResult[] = [];
  for (let index = messages.length - 1; messages[index]?.role === "tool"; index--) {
    const { tool_call_id: id, content } = messages[index] as ChatMessage;
    if (id == null || id === "")
      throw wrong(`/messages/${index}/tool_call_id`, "{} must name the call that this answers");
    const where = `/messages/${index}/tool_call_id`;
    results.unshift({ id, content: textIn(content, `/messages/${index}/content`), where });
  }
  return results;
}

/** What the assistant said last and the user's answer to it, where messages end so, with the messages before. */
export function lastAnswer(messages: readonly ChatMessage[]):
  | {
      readonly before: readonly ChatMessage[];
      readonly asked: string;
      readonly content: ReturnType<typeof userContent>;
    }
  | undefined {
  const [asked, answer] = messages.slice(-2);
  if (asked?.role !== "assistant" || answer?.role !== "user") return undefined;
  return {
    before: messages.slice(0, -2),
    asked: textIn(asked.content, `/messages/${messages.length - 2}/content`).trim(),
    content: userContent(answer.content, `/messages/${messages.length - 1}/content`),
  };
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
  if (content.every(({ type }) => type === "text"))
    return content
      .map((part) => String(part["text"]))
      .join("\n")
      .trim();
  return content;
}
