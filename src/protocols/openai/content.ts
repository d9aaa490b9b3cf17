// Content of clients in the form for agents.
import { preview } from "../../base/json.ts";
import type { AgentMessage } from "../../agent/agent-messages.ts";
import type { ContentPart, MediaSource } from "../../llm/language-model.ts";
import { wrong } from "./errors.ts";

/** Original content: a text, or parts of either API. */
export type Content =
  | string
  | ReadonlyArray<{ readonly type: string } & Readonly<Record<string, unknown>>>
  | null
  | undefined;

/** Returns a user's content; a single text as a plain text. `where` is a JSON pointer. */
export function userContent(content: Content, where: string): string | readonly ContentPart[] {
  if (typeof content === "string") return content;
  const parts = (content ?? []).map((part, index) => contentPart(part, `${where}/${index}`));
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

/** Returns the text of content of other roles, including refusals. */
export function textIn(content: Content, where: string): string {
  if (typeof content === "string") return content;
  const texts = (content ?? []).map((part, index) => {
    const { text = part["refusal"] } = part;
    if (typeof text === "string") return text;
    throw wrong(`${where}/${index}`, `{} must have a text, got the type ${preview(part.type)}`);
  });
  return texts.join("\n");
}

function contentPart(
  part: { readonly type: string } & Readonly<Record<string, unknown>>,
  where: string,
): ContentPart {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      if (typeof part["text"] === "string") return { type: "text", text: part["text"] };
      throw wrong(`${where}/text`, `{} must be a text, got ${preview(part["text"] ?? null)}`);
    case "image_url":
    case "input_image": {
      const sent = part["image_url"];
      const image = typeof sent === "object" && sent !== null ? sent : { url: sent };
      const { url, detail = part["detail"] } = image as Record<string, unknown>;
      const source = sourceOf(url, where);
      return detail === "low" || detail === "high" || detail === "auto"
        ? { type: "image", ...source, detail }
        : { type: "image", ...source };
    }
    case "file":
    case "input_file": {
      const file = (part["file"] ?? part) as Record<string, unknown>;
      const name = file["filename"];
      const source = sourceOf(file["file_data"] ?? file["file_url"], where);
      return { type: "file", ...source, ...(typeof name === "string" ? { name } : undefined) };
    }
    default:
      throw wrong(
        `${where}/type`,
        `{} must be a text, an image or a file, got ${preview(part.type)}`,
      );
  }
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/;

function sourceOf(url: unknown, where: string): MediaSource {
  if (typeof url !== "string")
    throw wrong(
      where,
      `{} must have a URL, or data in base64; ids of uploaded files are not known`,
    );
  const mediaType = DATA_URL.exec(url.slice(0, 500));
  if (mediaType !== null)
    return { data: url.slice(mediaType[0].length), mediaType: mediaType[1] ?? "" };
  if (/^https?:\/\//i.test(url)) return { url };
  throw wrong(where, `{} must be an http URL or a data URL in base64, got ${preview(url)}`);
}

/** A tool call in the history, with its result if known. */
export type PastCall = {
  readonly name: string;
  readonly arguments: string;
  readonly result?: string | undefined;
};

/**
 * Returns an assistant's text and calls as text, because agents have tools of their own and do not know calls of
 * others.
 */
export function assistantMessage(text: string, calls: readonly PastCall[]): AgentMessage {
  const done = calls.map(
    ({ name, arguments: args, result }) =>
      `(Used the tool ${name} with ${args}${result === undefined ? "" : `. It answered: ${result}`})`,
  );
  return { role: "assistant", content: [text, ...done].filter((line) => line !== "").join("\n\n") };
}

/** Returns the result of a call missing from the conversation as a message; empty without a result. */
export function resultMessage(result: string | undefined): AgentMessage {
  return { role: "assistant", content: result === undefined ? "" : `(A tool answered: ${result})` };
}

/** Appends a text to a user's content. */
export function withText(content: AgentMessage["content"], text: string): AgentMessage["content"] {
  if (typeof content !== "string") return [...content, { type: "text", text }];
  return [content, text].filter((part) => part !== "").join("\n\n");
}

const CONTINUE =
  "Continue your last message exactly where it stops. Write only the rest, and repeat nothing of it.";

/**
 * Returns the conversation in a form an agent can answer: without empty messages, and with the user's message last. If
 * it has only instructions, the last of them becomes the question; the assistant's last words are to be continued. Fails
 * with `invalid_input`.
 */
export function askable(messages: readonly AgentMessage[], where: string): readonly AgentMessage[] {
  const said = messages.filter(({ content }) => content.length > 0);
  const isUnsaid = messages.at(-1)?.role === "user" && messages.at(-1) !== said.at(-1);
  const last = isUnsaid ? undefined : said.at(-1);
  if (last?.role === "system")
    return [...said.slice(0, -1), { role: "user", content: last.content }];
  if (last?.role === "assistant") return [...said, { role: "user", content: CONTINUE }];
  if (last?.role !== "user")
    throw wrong(where, `{} must end with a user message or with tool results`);
  return said;
}
