// What is kept of a model request, so that an agent's conversation can be shown.
//
//   RR1. A call keeps what is new since the call before it in the same conversation: a conversation costs its length once.
//   RR2. An answer that is on record as the result of that call is named, not repeated.
//   RR3. Bytes of images and files are not kept, only what they are and how long.
//   RR4. What the app's `redact` leaves of a text is all that is kept of it.
//   RR5. What a call keeps is what it was sent: where the call before it was sent something else than the code now says, as after a
//        deploy or in a fork, the conversation is kept whole once more.
//   RR6. Settings of the model are kept, such as its temperature. Keys, addresses and headers are not, nor are tokens of tools.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RequestSettings } from "./answer-settings.ts";
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
  readonly builtinTools?: ModelRequest["builtinTools"] | null;
  /** Of the model, where they are not those of the call before. */
  readonly settings?: JsonObject | null;
  readonly toolChoice?: ModelRequest["toolChoice"];
  readonly searchesTools?: boolean;
  readonly stop?: readonly string[];
  /** Fingerprint of the conversation. Absent in rows of earlier versions. */
  readonly hash?: string;
};

/** What a call has in common with those before and after it. */
type Shared = {
  readonly tools?: ModelRequest["tools"] | undefined;
  readonly builtinTools?: ModelRequest["builtinTools"] | undefined;
  readonly responseSchema?: ModelRequest["responseSchema"] | undefined;
  readonly settings?: JsonObject | undefined;
};

type LastCall = {
  readonly key: string;
  readonly count: number;
  readonly hash: string;
  readonly request: ModelRequest;
  /** What its row has, once it has been written by this drive. */
  kept?: Shared;
  response?: ModelResponse;
};

/** How a request is kept. */
export type Keeping = {
  readonly redact?: ((text: string) => string) | undefined;
  /** Of the model that answered. */
  readonly settings?: JsonObject | undefined;
  /** What the row of an earlier call keeps. */
  readonly rowOf: (key: string) => JsonValue | undefined;
};

/** For each drive the last call of each conversation: callers pass the same growing array again. */
const drives = new WeakMap<object, WeakMap<readonly Message[], LastCall>>();

/**
 * Notes a call of the conversation `messages`, whose fingerprint is `hash`; answers what is to be kept of it, and a way to note its
 * response.
 */
export function noteRequest(
  { drive, key, hash }: { readonly drive: object; readonly key: string; readonly hash: string },
  messages: readonly Message[],
  request: ModelRequest,
): {
  readonly record: (keeping: Keeping) => JsonValue;
  readonly answered: (response: ModelResponse) => void;
} {
  let lastCalls = drives.get(drive);
  if (lastCalls === undefined) drives.set(drive, (lastCalls = new WeakMap()));
  const known = lastCalls.get(messages);
  // What a hook made of the messages is sent once, and is no part of the conversation.
  const isReplaced = request.messages !== messages;
  const before = isReplaced || (known?.count ?? 0) > messages.length ? undefined : known;
  const { length: count } = request.messages;
  const call: LastCall = { key, count, hash, request };
  if (!isReplaced) lastCalls.set(messages, call);
  return {
    record: ({ redact, settings: ofModel, rowOf }) => {
      const { tools, responseSchema } = request;
      const settings = withOwn(ofModel, request.settings);
      const builtinTools = withoutTokens(request.builtinTools);
      const shared: Shared = { tools, builtinTools, responseSchema, settings };
      const base = before !== undefined && isOnRecord(before, rowOf) ? before : undefined;
      const recorded = recordedRequest(request, { before: base, count, shared, hash });
      call.kept = shared;
      const changed = redact && {
        add: recorded.add.map((message) => redacted(message, redact)),
        ...redactedSettings(recorded.settings, redact),
      };
      return { ...recorded, ...changed } as JsonValue;
    },
    answered: (response) => (call.response = response),
  };
}

/** Whether the row of a call has the conversation that it has now (RR5). */
function isOnRecord({ key, hash, kept }: LastCall, rowOf: Keeping["rowOf"]): boolean {
  if (kept !== undefined) return true;
  const row = rowOf(key);
  return !isJsonObject(row) || row["hash"] === undefined || row["hash"] === hash;
}

function recordedRequest(
  { messages, toolChoice, searchesTools, stop }: ModelRequest,
  {
    before,
    count,
    shared,
    hash,
  }: {
    readonly before: LastCall | undefined;
    readonly count: number;
    readonly shared: Shared;
    readonly hash: string;
  },
): RecordedRequest {
  // Of a call that an earlier drive has made nobody here knows what its row has.
  const known = before?.kept ?? (before === undefined ? {} : undefined);
  const changed = (name: keyof Shared): boolean =>
    known === undefined || known[name] !== shared[name];
  const added = messages.slice(before?.count ?? 0, count);
  return {
    ...(before === undefined ? undefined : { after: before.key }),
    add: added.map(
      (message) =>
        (before === undefined ? undefined : answerIn(message, before)) ?? withoutBytes(message),
    ),
    ...(changed("tools") ? { tools: shared.tools ?? null } : undefined),
    ...(changed("builtinTools") ? { builtinTools: shared.builtinTools ?? null } : undefined),
    ...(changed("responseSchema") ? { responseSchema: shared.responseSchema ?? null } : undefined),
    ...(changed("settings") ? { settings: shared.settings ?? null } : undefined),
    ...(toolChoice === undefined ? undefined : { toolChoice }),
    ...(searchesTools === undefined ? undefined : { searchesTools }),
    ...(stop === undefined ? undefined : { stop }),
    hash,
  };
}

/** Of each pair, so that calls which share both share what is kept of them. */
const merged = new WeakMap<
  RequestSettings,
  { readonly from: JsonObject | undefined; readonly all: JsonObject }
>();

/** The settings of a model, and over them those of the request. */
function withOwn(
  ofModel: JsonObject | undefined,
  own: RequestSettings | undefined,
): JsonObject | undefined {
  if (own === undefined) return ofModel;
  const known = merged.get(own);
  if (known !== undefined && known.from === ofModel) return known.all;
  const all = { ...ofModel, ...own };
  merged.set(own, { from: ofModel, all });
  return all;
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

type BuiltinTools = NonNullable<ModelRequest["builtinTools"]>;

/** Of each list of tools, so that calls which share one share what is kept of it. */
const tokenless = new WeakMap<BuiltinTools, BuiltinTools>();

function withoutTokens(tools: BuiltinTools | undefined): BuiltinTools | undefined {
  if (tools === undefined) return undefined;
  let kept = tokenless.get(tools);
  if (kept === undefined) {
    kept = tools.map((tool) => {
      if (tool.kind !== "mcp") return tool;
      const { token: _, ...rest } = tool;
      return rest;
    });
    tokenless.set(tools, kept);
  }
  return kept;
}

/** Settings with each text in them changed: instructions are a prompt too. */
function redactedSettings(
  settings: JsonObject | null | undefined,
  redact: (text: string) => string,
): Pick<RecordedRequest, "settings"> | undefined {
  if (settings == null) return undefined;
  const change = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(change);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
  };
  return { settings: change(settings) as JsonObject };
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
  /** Of the model that answered: `temperature` and such, where they are not left to the provider. */
  readonly settings?: JsonObject;
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
  const { tools, builtinTools, responseSchema, settings } = chain.reduce((all, each) => ({
    ...all,
    ...each,
  }));
  return {
    messages,
    ...(tools == null ? undefined : { tools }),
    ...(builtinTools == null ? undefined : { builtinTools }),
    ...(responseSchema == null ? undefined : { responseSchema }),
    ...(settings == null ? undefined : { settings }),
    ...(last.toolChoice === undefined ? undefined : { toolChoice: last.toolChoice }),
    ...(last.searchesTools === undefined ? undefined : { searchesTools: last.searchesTools }),
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
