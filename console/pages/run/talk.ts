// Groups the model calls of a run into conversations. Each call repeats the whole conversation, so only its new
// messages are shown.
import type { Message, ModelCall } from "../../api-types.ts";

export type Said = {
  readonly message: Message;
  readonly callKey: string;
  /** Reasoning of the model's answer. */
  readonly thinking?: string;
  readonly isAnswer?: true;
};

export type Turn = {
  readonly call: ModelCall;
  readonly said: readonly Said[];
  readonly dropped: number;
};

/** Returns the step of a call: `task:write` of `task:write/turn:2/llm`. */
export function talkOf(callKey: string): string {
  return callKey.replace(/\/(?:turn:\d+\/)?[^/]+$/, "").replace(/\/turn:\d+$/, "");
}

/** Returns the turns of one talk in order; `dropped` counts messages left out to fit the window. */
export function turnsOf(calls: readonly ModelCall[]): readonly Turn[] {
  let before: readonly string[] = [];
  return calls.map((call) => {
    const { messages } = call.request;
    const marks = messages.map(markOf);
    let common = 0;
    while (common < before.length && common < marks.length && before[common] === marks[common])
      common++;
    const isContinued = common > 0;
    const dropped = isContinued ? Math.max(0, before.length - common) : 0;
    const said: Said[] = messages
      .slice(isContinued ? common : 0)
      .map((message) => ({ message, callKey: call.key }));
    before = marks;
    const { response } = call;
    if (response !== undefined) {
      const { text, toolCalls } = response;
      const answer: Message = { role: "assistant", content: text, toolCalls };
      before = [...marks, markOf(answer)];
      const thinking = thinkingOf(response.providerParts);
      said.push({
        message: answer,
        callKey: call.key,
        isAnswer: true,
        ...(thinking === "" ? undefined : { thinking }),
      });
    }
    return { call, said, dropped };
  });
}

/** Messages are equal if their contents are; ids of tool calls differ between providers. */
function markOf(message: Message): string {
  return JSON.stringify([
    message.role,
    textOf(message.content),
    callsOf(message).map(({ name, arguments: values }) => [name, values]),
  ]);
}

/** Tool calls of a message. */
export function callsOf(message: Message) {
  return message.role === "assistant" ? (message.toolCalls ?? []) : [];
}

/** The texts of a message; files by their name. */
export function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "text") return part.text;
      return `[${part.type}${"name" in part && part.name !== undefined ? ` ${part.name}` : ""}]`;
    })
    .join("\n");
}

/** Reasoning before the answer, in the formats of Anthropic and OpenAI. */
function thinkingOf(parts: NonNullable<ModelCall["response"]>["providerParts"] = []): string {
  return parts
    .flatMap(({ thinking, summary }) =>
      Array.isArray(summary)
        ? summary.map((part) => (part as { readonly text?: unknown } | null)?.text)
        : [thinking],
    )
    .filter((text) => typeof text === "string")
    .join("\n\n");
}
