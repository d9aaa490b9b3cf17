// A conversation in the form of Gemini's own API. Its results name the tool, and name their call by an id only if the
// call has one: all others are matched by their order.
import type { JsonObject } from "../../base/json.ts";
import { CallIds, type CallIdForm } from "../call-ids.ts";
import { sendableParts, type SendablePart } from "../content.ts";
import { inputOf } from "../kept-parts.ts";
import type { Message, ModelCapabilities } from "../language-model.ts";
import { behaves } from "../providers/native-rows.ts";
import { signatureOf, UNSIGNED_CALL } from "../thought-signatures.ts";
import { textOf } from "../wire.ts";

/** The conversation converted so far, with a separate system prompt. */
export type Conversation = {
  readonly system: string[];
  readonly contents: Content[];
  readonly ids: CallIds;
  /** Calls by their ids on the wire. */
  readonly calls: Map<string, Call>;
  /** Places of calls, by the parts of their results. */
  readonly places: WeakMap<JsonObject, number>;
};

export type Content = { readonly role: "user" | "model"; readonly parts: JsonObject[] };

type Call = {
  readonly name: string;
  readonly place: number;
  /** Gemini's own id of the call. */
  readonly named: { readonly id: string } | undefined;
};

type Reader = { readonly id: string; readonly capabilities: ModelCapabilities };
type Answer = Message & { readonly role: "assistant" };

/** Only Gemini's own ids are sent back to it. */
const GEMINI_IDS: CallIdForm = { accepts: /^.{1,256}$/s, write: (place) => `call_${place}` };

export function startConversation(): Conversation {
  return {
    system: [],
    contents: [],
    ids: new CallIds(GEMINI_IDS),
    calls: new Map(),
    places: new WeakMap(),
  };
}

/** Adds a message. All messages of the user's side between two answers become one content. */
export function appendMessage(conversation: Conversation, message: Message, reader: Reader): void {
  const { system, contents } = conversation;
  switch (message.role) {
    case "system":
      system.push(message.content);
      return;
    case "user":
      addParts(contents, "user", userParts(message.content, reader));
      return;
    case "assistant":
      addParts(contents, "model", modelParts(conversation, message, reader.id));
      return;
    case "tool":
      addResult(conversation, message);
  }
}

/** Returns the contents to send: beginning and ending with the user. */
export function sentContents({ contents }: Conversation): Content[] {
  // Copies: the remembered contents may grow while this request is on its way.
  const sent = contents.map(({ role, parts }): Content => ({ role, parts: [...parts] }));
  if (sent[0]?.role !== "user") sent.unshift({ role: "user", parts: [{ text: "Hello." }] });
  if (sent.at(-1)?.role === "model")
    sent.push({ role: "user", parts: [{ text: "Please go on." }] });
  return sent;
}

function addParts(contents: Content[], role: Content["role"], parts: readonly JsonObject[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

function userParts(
  content: (Message & { readonly role: "user" })["content"],
  reader: Reader,
): JsonObject[] {
  const parts =
    typeof content === "string"
      ? [{ type: "text", text: content } as const]
      : sendableParts(content, reader);
  const sent = parts.filter((part) => part.type !== "text" || part.text.trim() !== "").map(toPart);
  return sent.length === 0 ? [{ text: "(empty)" }] : sent;
}

function toPart(part: SendablePart): JsonObject {
  if (part.type === "text") return { text: part.text };
  if ("data" in part) return { inlineData: { mimeType: part.mediaType, data: part.data } };
  const fileUri = "fileId" in part ? part.fileId : part.url;
  const { mediaType } = part;
  return {
    fileData: { fileUri, ...(mediaType === undefined ? undefined : { mimeType: mediaType }) },
  };
}

function modelParts(
  { ids, calls }: Conversation,
  message: Answer,
  modelId: string,
): readonly JsonObject[] {
  const { toolCalls = [], providerParts = [] } = message;
  const signatures = toolCalls.map(({ id }) => signatureOf(providerParts, id));
  // From Gemini 3 on, the first call of a turn must have a signature, even another model's call.
  const isUnsigned = behaves(modelId, "signed_calls") && signatures.join("") === "";
  return [
    ...spokenParts(message),
    ...toolCalls.map((call, index): JsonObject => {
      const id = ids.ofCall(call.id);
      const named = providerParts.some(
        (part) => part["type"] === "gemini.call_id" && part["id"] === call.id,
      )
        ? { id }
        : undefined;
      calls.set(id, { name: call.name, place: calls.size, named });
      const signature = isUnsigned && index === 0 ? UNSIGNED_CALL : (signatures[index] ?? "");
      return {
        functionCall: { ...named, name: call.name, args: inputOf(call) },
        ...(signature === "" ? {} : { thoughtSignature: signature }),
      };
    }),
  ];
}

/** Returns signed thoughts, and the text in signed or unsigned pieces; a text changed afterwards has no signatures. */
function spokenParts({ content, providerParts = [] }: Answer): JsonObject[] {
  const thoughts = providerParts
    .filter(({ type }) => type === "gemini.thought")
    .map(({ text, signature }) => ({
      text: textOf(text),
      thought: true,
      thoughtSignature: textOf(signature),
    }));
  const signed = providerParts.filter(
    ({ type, of }) => type === "gemini.text" && of === content.length,
  );
  const pieces: JsonObject[] = [];
  let at = 0;
  for (const { start, end, signature } of signed) {
    const [from, to] = [Number(start), Number(end)];
    if (from > at) pieces.push({ text: content.slice(at, from) });
    pieces.push({ text: content.slice(from, to), thoughtSignature: textOf(signature) });
    at = to;
  }
  if (at < content.length) pieces.push({ text: content.slice(at) });
  return [...thoughts, ...pieces];
}

/** Adds a result at the place of its call among the results of its turn. */
function addResult(
  { contents, ids, calls, places }: Conversation,
  { toolCallId, toolName, content }: Message & { readonly role: "tool" },
): void {
  const { name = toolName, place = Infinity, named } = calls.get(ids.ofResult(toolCallId)) ?? {};
  const part = { functionResponse: { ...named, name, response: { result: content } } };
  places.set(part, place);
  const last = contents.at(-1);
  if (last?.role !== "user") {
    contents.push({ role: "user", parts: [part] });
    return;
  }
  const later = last.parts.findIndex((each) => (places.get(each) ?? Infinity) > place);
  last.parts.splice(later < 0 ? last.parts.length : later, 0, part);
}
