// A history in the form for a model.
//
//   MDM1. Messages of others are the user's. If several agents speak, each text begins with the name of its author. In
//         a group, and for the selection of its speakers, this holds from the first message on.
//   MDM2. Calls and results are paired as every provider requires.
//   MDM3. For a history that only grew, just the new messages are converted.
//   MDM4. A message seen by several members is converted once and stored once in memory.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { ContentPart, Message } from "../../llm/language-model.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import { contentText, type ConversationMessage, type MessagePart } from "../messages.ts";
import { pairCalls } from "../paired-calls.ts";

/** Converted messages, shared by all members that see them. */
const conversions = new WeakMap<ConversationMessage, { plain?: Message; named?: Message }>();

/** One agent's model view of one conversation; it grows with the conversation. */
export class ModelView {
  #transcript = new Transcript([]);
  #systemMessage = "";
  /** The converted list, and its length at that time. */
  #history: readonly ConversationMessage[] = [];
  #count = 0;
  #speakers: ReadonlySet<string> = new Set();
  readonly #isAlwaysNamed: () => boolean;

  /** `isAlwaysNamed`: each text begins with the name of its author, also with a single speaker. @default false */
  constructor({ isAlwaysNamed = never }: { readonly isAlwaysNamed?: () => boolean } = {}) {
    this.#isAlwaysNamed = isAlwaysNamed;
  }

  /** Returns the system text and the history for a model. The same list as last time can only have grown since. */
  of(systemMessage: string, history: readonly ConversationMessage[]): Transcript {
    const count = this.#count;
    const hasGrown =
      count > 0 &&
      systemMessage === this.#systemMessage &&
      history.length >= count &&
      (history === this.#history || this.#isContinuedBy(history));
    if (!(hasGrown && this.#grow(history.slice(count)))) this.#begin(systemMessage, history);
    this.#count = history.length;
    this.#history = history;
    return this.#transcript;
  }

  #isContinuedBy(history: readonly ConversationMessage[]): boolean {
    for (let index = 0; index < this.#count; index++)
      if (history[index] !== this.#history[index]) return false;
    return true;
  }

  /** False if the new messages change the form of the earlier ones. */
  #grow(added: readonly ConversationMessage[]): boolean {
    const { messages, faults } = pairCalls(added);
    const speakers = speakersOf(added, this.#speakers);
    if (faults.length > 0 || this.#isNamed(speakers) !== this.#isNamed(this.#speakers))
      return false;
    this.#speakers = speakers;
    for (const message of converted(messages, this.#isNamed(speakers)))
      this.#transcript.add(message);
    return true;
  }

  #begin(systemMessage: string, history: readonly ConversationMessage[]): void {
    const { messages } = pairCalls(history);
    this.#systemMessage = systemMessage;
    this.#speakers = speakersOf(messages, new Set());
    const system: readonly Message[] =
      systemMessage.trim() === "" ? [] : [{ role: "system", content: systemMessage }];
    const isNamed = this.#isNamed(this.#speakers);
    this.#transcript = new Transcript([...system, ...converted(messages, isNamed)]);
  }

  #isNamed(speakers: ReadonlySet<string>): boolean {
    return this.#isAlwaysNamed() || speakers.size > 1;
  }
}

const never = (): boolean => false;

function speakersOf(
  messages: readonly ConversationMessage[],
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const names = messages.flatMap(({ role, name }) =>
    role === "user" && name !== undefined ? [name] : [],
  );
  return new Set([...known, ...names]);
}

function converted(messages: readonly ConversationMessage[], named: boolean): readonly Message[] {
  const toolNames = new Map(
    messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)),
  );
  return messages.flatMap((message): readonly Message[] => {
    const { role, content, toolCalls, toolResponses = [] } = message;
    switch (role) {
      case "assistant": {
        const calls = toolCalls === undefined ? undefined : { toolCalls };
        return [{ role, content: contentText(content), ...calls }];
      }
      case "tool": {
        const results = toolResponses.map(({ toolCallId, content: result }): Message => ({
          role,
          toolCallId,
          toolName: toolNames.get(toolCallId) ?? "unknown",
          content: result,
        }));
        return [...results, ...imagesOfResults(message)];
      }
      case "system":
        return [{ role, content: contentText(content) }];
      default:
        return [userMessage(message, named ? "named" : "plain")];
    }
  });
}

/** Returns messages for the images in results: a text and images for each result with images. */
function imagesOfResults({ content }: ConversationMessage): readonly Message[] {
  if (content === null || typeof content === "string") return [];
  // The first part is the text of all results, already sent as theirs.
  const [, ...parts] = content;
  return parts.length === 0 ? [] : [{ role: "user", content: parts.map(contentPart) }];
}

function userMessage(message: ConversationMessage, form: "plain" | "named"): Message {
  const known = conversions.get(message) ?? {};
  const { [form]: made = madeOf(message, form === "named") } = known;
  conversions.set(message, { ...known, [form]: made });
  return made;
}

function madeOf({ content, name }: ConversationMessage, named: boolean): Message {
  const author = named && name !== undefined ? `${name}: ` : "";
  return { role: "user", content: userContent(content, author) };
}

function userContent(
  content: ConversationMessage["content"],
  author: string,
): string | readonly ContentPart[] {
  if (content === null || typeof content === "string") return `${author}${content ?? ""}`;
  const parts = content.map(contentPart);
  if (parts.every(({ type }) => type === "text")) return `${author}${contentText(content)}`;
  return author === "" ? parts : [{ type: "text", text: author.trimEnd() }, ...parts];
}

/** Converts a part in OpenAI's form or this library's. A part that no model accepts becomes its text. */
function contentPart(part: MessagePart): ContentPart {
  const { type } = part;
  const image = part["image_url"];
  if ((type === "image_url" || type === "input_image") && image !== undefined) {
    const { url, detail = part["detail"] } = isJsonObject(image) ? image : { url: image };
    if (typeof url === "string") return { ...imageOf(url), ...detailOf(detail) };
  }
  if (type === "image" || type === "file" || type === "audio" || type === "video")
    return part as unknown as ContentPart;
  return { type: "text", text: contentText([part]) };
}

function detailOf(detail: JsonValue | undefined): { readonly detail?: "auto" | "low" | "high" } {
  return detail === "auto" || detail === "low" || detail === "high" ? { detail } : {};
}

function imageOf(url: string): ContentPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && data !== undefined
    ? { type: "image", mediaType, data }
    : { type: "image", url };
}
