// What is kept of a model request, so that an agent's conversation can be shown.
//
//   RR1. A call keeps what is new since the call before it in the same conversation: a conversation costs its length once.
//   RR2. An answer that is on record as the result of that call is named, not repeated.
//   RR3. Bytes of images and files are not kept, only what they are and how long.
//   RR4. What the app's `redact` leaves of a text is all that is kept of it.
import type { JsonValue } from "../base/json.ts";
import type { Message, ModelRequest, ModelResponse } from "./language-model.ts";

/** The assistant message that is the result of another call's step. */
export type NamedAnswer = { readonly role: "assistant"; readonly answerOf: string };

export type RecordedRequest = {
  /** Key of the call whose messages come before `add`. */
  readonly after?: string;
  readonly add: ReadonlyArray<Message | NamedAnswer>;
  /** Absent where they are those of the call before. */
  readonly tools?: ModelRequest["tools"] | null;
  readonly responseSchema?: ModelRequest["responseSchema"] | null;
  readonly toolChoice?: ModelRequest["toolChoice"];
  readonly stop?: readonly string[];
};

type LastCall = {
  readonly key: string;
  readonly count: number;
  readonly request: ModelRequest;
  response?: ModelResponse;
};

/** For each drive the last call of each conversation: callers pass the same growing array again. */
const drives = new WeakMap<object, WeakMap<readonly Message[], LastCall>>();

/** Notes a call of the conversation `messages`; answers what is to be kept of it, and a way to note its response. */
export function noteRequest(
  { drive, key }: { readonly drive: object; readonly key: string },
  messages: readonly Message[],
  request: ModelRequest,
): {
  readonly record: (redact?: (text: string) => string) => JsonValue;
  readonly answered: (response: ModelResponse) => void;
} {
  let lastCalls = drives.get(drive);
  if (lastCalls === undefined) drives.set(drive, (lastCalls = new WeakMap()));
  const known = lastCalls.get(messages);
  // What a hook made of the messages is sent once, and is no part of the conversation.
  const isReplaced = request.messages !== messages;
  const before = isReplaced || (known?.count ?? 0) > messages.length ? undefined : known;
  const { length: count } = request.messages;
  const call: LastCall = { key, count, request };
  if (!isReplaced) lastCalls.set(messages, call);
  return {
    record: (redact) => {
      const recorded = recordedRequest(request, { before, count });
      const add = redact && recorded.add.map((message) => redacted(message, redact));
      return { ...recorded, ...(add === undefined ? undefined : { add }) } as JsonValue;
    },
    answered: (response) => (call.response = response),
  };
}

function recordedRequest(
  { messages, tools, responseSchema, toolChoice, stop }: ModelRequest,
  { before, count }: { readonly before: LastCall | undefined; readonly count: number },
): RecordedRequest {
  const added = messages.slice(before?.count ?? 0, count);
  return {
    ...(before === undefined ? undefined : { after: before.key }),
    add: added.map(
      (message) =>
        (before === undefined ? undefined : answerIn(message, before)) ?? withoutBytes(message),
    ),
    ...(tools === before?.request.tools ? undefined : { tools: tools ?? null }),
    ...(responseSchema === before?.request.responseSchema
      ? undefined
      : { responseSchema: responseSchema ?? null }),
    ...(toolChoice === undefined ? undefined : { toolChoice }),
    ...(stop === undefined ? undefined : { stop }),
  };
}

function answerIn(message: Message, { key, response }: LastCall): NamedAnswer | undefined {
  if (message.role !== "assistant" || response === undefined) return undefined;
  const calls = message.toolCalls ?? [];
  const isAnswer =
    message.content === response.text &&
    calls.length === response.toolCalls.length &&
    calls.every(({ id, arguments: text }, index) => {
      const call = response.toolCalls[index];
      return call?.id === id && call.arguments === text;
    });
  return isAnswer ? { role: "assistant", answerOf: key } : undefined;
}

/** The message with each text of it changed. What a provider wants back unchanged, as signed thoughts, is left out. */
function redacted(
  message: Message | NamedAnswer,
  redact: (text: string) => string,
): Message | NamedAnswer {
  if ("answerOf" in message) return message;
  if (message.role === "assistant") {
    const { providerParts: _, toolCalls, ...rest } = message;
    const calls = toolCalls?.map((call) => ({ ...call, arguments: redact(call.arguments) }));
    const content = redact(message.content);
    return { ...rest, content, ...(calls === undefined ? undefined : { toolCalls: calls }) };
  }
  if (message.role !== "user") return { ...message, content: redact(message.content) };
  if (typeof message.content === "string") return { ...message, content: redact(message.content) };
  const content = message.content.map((part) =>
    part.type === "text" ? { ...part, text: redact(part.text) } : part,
  );
  return { ...message, content };
}

function withoutBytes(message: Message): Message {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "text" || !("data" in part)
      ? part
      : { ...part, data: `[${part.data.length} characters of base64]` },
  );
  return { ...message, content };
}

/** What one row of a call holds. */
export type CallRow = {
  readonly request: RecordedRequest | undefined;
  readonly response: Pick<ModelResponse, "text" | "toolCalls" | "providerParts"> | undefined;
};

export type WholeRequest = ModelRequest & {
  /** `cut`: calls before it kept no request, as those made by earlier versions. `none`: this one did not. */
  readonly recorded: "full" | "cut" | "none";
};

/** The request of the call `key`, put together from the rows of its conversation. */
export function wholeRequest(key: string, row: (key: string) => CallRow | undefined): WholeRequest {
  const chain: RecordedRequest[] = [];
  for (let at: string | undefined = key; at !== undefined;) {
    const request: RecordedRequest | undefined = row(at)?.request;
    if (request === undefined) break;
    chain.unshift(request);
    at = request.after;
  }
  const first = chain[0];
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return { messages: [], recorded: "none" };
  const messages = chain.flatMap(({ add }) => add.map((message) => toMessage(message, row)));
  const { tools, responseSchema } = chain.reduce((all, each) => ({ ...all, ...each }));
  return {
    messages,
    ...(tools == null ? undefined : { tools }),
    ...(responseSchema == null ? undefined : { responseSchema }),
    ...(last.toolChoice === undefined ? undefined : { toolChoice: last.toolChoice }),
    ...(last.stop === undefined ? undefined : { stop: last.stop }),
    recorded: first.after === undefined ? "full" : "cut",
  };
}

function toMessage(
  message: Message | NamedAnswer,
  row: (key: string) => CallRow | undefined,
): Message {
  if (!("answerOf" in message)) return message;
  const { text = "", toolCalls = [], providerParts } = row(message.answerOf)?.response ?? {};
  return {
    role: "assistant",
    content: text,
    ...(toolCalls.length > 0 ? { toolCalls } : undefined),
    ...(providerParts === undefined ? undefined : { providerParts }),
  };
}
