// Record of a model request, to show an agent's conversation later.
//
//   RR1. A call records the messages after the previous call in the same conversation: a conversation costs its length
//        once.
//   RR2. An answer already recorded as the result of its call is named, not repeated.
//   RR3. Bytes of images and files are not recorded, only their type and size.
//   RR4. Texts are recorded only after the app's `redact`.
//   RR5. A record matches the sent request. If the previous call was sent other messages than the present code
//        produces, as after a deploy or in a fork, the whole conversation is recorded once more.
//   RR6. Settings of the model are recorded, such as its temperature. Keys, addresses and headers are not, nor are
//        tokens of tools.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Message, ModelRequest, ModelResponse } from "./language-model.ts";
import type { RequestSettings } from "./request-settings.ts";

/** Assistant message named as the result of another call's step. */
export type NamedAnswer = { readonly role: "assistant"; readonly answerOf: string };

export type RecordedRequest = {
  /** Key of the call with the messages before `add`. */
  readonly after?: string;
  readonly add: ReadonlyArray<Message | NamedAnswer>;
  /** Absent if equal to the previous call's. */
  readonly tools?: ModelRequest["tools"] | null;
  readonly responseSchema?: ModelRequest["responseSchema"] | null;
  readonly builtinTools?: ModelRequest["builtinTools"] | null;
  /** Settings of the model; absent if equal to the previous call's. */
  readonly settings?: JsonObject | null;
  readonly toolChoice?: ModelRequest["toolChoice"];
  readonly searchesTools?: boolean;
  readonly stop?: readonly string[];
  /** Fingerprint of the conversation. Absent in rows of earlier versions. */
  readonly hash?: string;
};

/** Fields a call may share with its neighbours. */
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
  /** Shared fields in its row, once this drive has written it. */
  kept?: Shared;
  response?: ModelResponse;
};

/** Settings of recording. */
export type Keeping = {
  readonly redact?: ((text: string) => string) | undefined;
  /** Settings of the answering model. */
  readonly settings?: JsonObject | undefined;
  /** Returns the recorded row of an earlier call. */
  readonly rowOf: (key: string) => JsonValue | undefined;
};

/** Last call of each conversation by drive: callers pass the same growing array again. */
const drives = new WeakMap<object, WeakMap<readonly Message[], LastCall>>();

/**
 * Notes a call of the conversation `messages` with the fingerprint `hash`. Returns functions for its record and for its
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
  // Messages changed by a hook are sent once, and are not part of the conversation.
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

/** True if the row of a call matches its present conversation (RR5). */
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
  // The row of a call from an earlier drive is unknown here.
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

/** Merged settings by pair, so calls with the same pair share one record. */
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

/**
 * Returns the message with each text redacted. Parts a provider requires back unchanged, such as signed thoughts, are
 * left out.
 */
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

/** Tools without tokens by list, so calls with the same list share one record. */
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

/** Content of one call's row. */
export type CallRow = {
  readonly request: RecordedRequest | undefined;
  readonly response: Pick<ModelResponse, "text" | "toolCalls" | "providerParts"> | undefined;
};

export type WholeRequest = ModelRequest & {
  /** Settings of the answering model, such as `temperature`, except those left to the provider. */
  readonly settings?: JsonObject;
  /** `cut`: earlier calls recorded no request, as in earlier versions. `none`: this one did not. */
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
