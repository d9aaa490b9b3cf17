// Reading of a request: its instructions, and the material for an answer.
//
//   - The ask is the last user message that opens a turn; messages after a tool's result are reminders.
//   - Tagged and fenced blocks, and text after a line with a colon at its end, are material; questions and orders are
//     instructions.
//   - Memories, documents, earlier turns and the agent's backstory are references: they count if they share a word with
//     the ask.
//   - With several speakers, the names before their words are no material.
//   - The model's own notice at the end of an earlier answer is no material, nor is a notice of no answer.
import { parsedObject, type JsonObject } from "../../base/json.ts";
import { textOfContent } from "../content.ts";
import type { Message, ModelRequest, ToolSpec } from "../language-model.ts";
import { withoutNoAnswer } from "./no-answer.ts";
import { isAsking, sentences, splitPrompt } from "./split-prompt.ts";

/** Closes every text answer. */
export const NOTICE =
  "(Written by offline/demo, which is not a language model: it only picks and rearranges given text.)";

export type ToolResult = { readonly tool: string; readonly content: string };

/** `Files that belong to this task, to be read with the tool read_file:` and a list. */
export type ToolPointer = { readonly tool: string; readonly options: readonly string[] };

export type Reading = {
  /** Sentences with a question or an order. */
  readonly instructions: readonly string[];
  /** Texts to answer from, the closest to the ask first; results of tools are not among them. */
  readonly material: readonly string[];
  /** Texts beside the ask that may answer it. */
  readonly references: readonly string[];
  /** Tool the prompt names, and the things listed for it. */
  readonly pointer: ToolPointer | undefined;
  readonly toolResults: readonly ToolResult[];
  readonly usedTools: ReadonlySet<string>;
  readonly tools: readonly ToolSpec[];
  /** Tools are described in the system text and called in the form of `Action:` lines. */
  readonly isTextForm: boolean;
  readonly system: string;
  /** Schema of the answer. */
  readonly schema: JsonObject | undefined;
};

export function readRequest(request: ModelRequest): Reading {
  const system = textOf(request.messages.filter((message) => message.role === "system"));
  const messages = withoutAuthors(request.messages, IN_GROUP.test(system) ? 1 : 2);
  const isTextForm = request.tools === undefined && system.includes("Action Input:");
  const openings = messages.flatMap((message, index) =>
    opensTurn(messages, index) ? [index] : [],
  );
  const last = openings.at(-1) ?? 0;
  const isFollowUp = /^<(?:feedback|reason)>$/m.test(textOfContent(messages[last]?.content ?? ""));
  const first = isFollowUp ? (openings.at(-2) ?? last) : last;
  const asked = textOf(
    [first, last]
      .filter((at, index) => index === 0 || at !== first)
      .flatMap((at) => messages[at] ?? []),
  );
  const inPrompt = takeSchema(asked);
  const pointed = takePointer(inPrompt.rest);
  const parts = splitPrompt(pointed.rest);
  const before = earlier(messages.slice(0, first));
  const results = [
    ...messages.slice(first).flatMap(nativeResult),
    ...messages.slice(first).flatMap(observedResults),
  ];
  return {
    instructions: parts.instructions,
    material: clean(isFollowUp ? [...parts.material, ...before] : parts.material),
    references: clean([...parts.references, ...(isFollowUp ? [] : before), background(system)]),
    pointer: pointed.pointer,
    toolResults: results,
    usedTools: new Set([
      ...results.map(({ tool }) => tool),
      ...messages.slice(first).flatMap(calledTools),
    ]),
    tools: request.tools ?? (isTextForm ? describedTools(system) : []),
    isTextForm,
    system,
    schema:
      request.responseSchema?.schema ??
      inPrompt.schema ??
      (isTextForm ? undefined : takeSchema(system).schema),
  };
}

const AUTHOR = /^([^\s:][^:\n]{0,63}): /;

/** Marks a conversation in which every text of another speaker begins with a name, even with a single speaker. */
const IN_GROUP = /^Your name in this conversation is .*begins with their names/m;

/** Removes the authors' names before their words in a conversation of several people: names answer no ask. */
function withoutAuthors(messages: readonly Message[], fewest: 1 | 2): readonly Message[] {
  const authors = new Set(
    messages.flatMap(({ role, content }) =>
      role === "user" ? (AUTHOR.exec(textOfContent(content))?.[1] ?? []) : [],
    ),
  );
  if (authors.size < fewest) return messages;
  return messages.map((message) =>
    message.role === "user" && typeof message.content === "string"
      ? { ...message, content: message.content.replace(AUTHOR, "") }
      : message,
  );
}

function textOf(messages: readonly Message[]): string {
  return messages.map((message) => textOfContent(message.content)).join("\n\n");
}

function opensTurn(messages: readonly Message[], index: number): boolean {
  if (messages[index]?.role !== "user") return false;
  const before = messages[index - 1];
  if (before?.role === "tool") return false;
  if (before?.role !== "assistant") return true;
  if ((before.toolCalls?.length ?? 0) > 0 || before.content.includes(`\n${OBSERVATION}`))
    return false;
  return !textOfContent(messages[index]?.content ?? "").startsWith(OBSERVATION);
}

function nativeResult(message: Message): ToolResult[] {
  return message.role === "tool"
    ? [{ tool: message.toolName, content: withoutNotice(message.content) }]
    : [];
}

function calledTools(message: Message): string[] {
  return message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.name) : [];
}

const OBSERVATION = "Observation:";

/** Results in the text form: `Action: name …` of the model, then `Observation: result` of the user's, or in the same message. */
function observedResults(message: Message, index: number, all: readonly Message[]): ToolResult[] {
  if (message.role !== "assistant") return [];
  const tool = /^Action: *(.+)$/m.exec(message.content)?.[1]?.trim();
  if (tool === undefined) return [];
  const at = message.content.indexOf(`\n${OBSERVATION}`);
  // The reminder to continue is the last paragraph of the user's message.
  const next = textOfContent(all[index + 1]?.content ?? "").replace(/\n\n(?:(?!\n\n)[^])*$/, "");
  const result = at >= 0 ? message.content.slice(at + 1) : next;
  if (!result.startsWith(OBSERVATION)) return [];
  const content = result.slice(OBSERVATION.length).trim();
  return [{ tool, content }];
}

function earlier(messages: readonly Message[]): string[] {
  return messages
    .flatMap(({ role, content }) =>
      role === "user" || role === "assistant" ? [textOfContent(content)] : [],
    )
    .toReversed();
}

function withoutNotice(text: string): string {
  return text.replaceAll(NOTICE, "").trim();
}

function clean(texts: readonly string[]): string[] {
  return texts
    .map((text) =>
      withoutNoAnswer(withoutNotice(text))
        .replaceAll(/^(?:User|Assistant): /gm, "")
        .trim(),
    )
    .filter((text) => text !== "");
}

/** Returns the statements of the system text; its instructions about the model's role and work answer no ask. */
function background(system: string): string {
  const [head = "", ...rest] = system.split(/^Your goal:/m);
  const isPersona = rest.length > 0;
  return sentences(head)
    .map((sentence) => (/^You\b/i.test(sentence) ? afterColon(sentence) : sentence))
    .filter((sentence) => sentence !== "" && !isAsking(sentence))
    .filter((sentence) => isPersona || !/\byour?\b/i.test(sentence))
    .join("\n");
}

function afterColon(sentence: string): string {
  return sentence.split(/:\s+/).slice(1).join(": ");
}

/** The tools of a system text in the form `Tool:`, `Arguments:`, `Purpose:`. */
function describedTools(system: string): ToolSpec[] {
  return Array.from(
    system.matchAll(/^Tool: (.+)\nArguments: (\{.*\})\nPurpose: (.+)$/gm),
    ([, name = "", schema = "", description = ""]) => ({
      name,
      description,
      parameters: parsedObject(schema) ?? { type: "object" },
    }),
  );
}

const POINTER = /^[^\n]{0,200}\bwith the tool (\w+):\n((?:- [^\n]*(?:\n|$))+)/m;

function takePointer(text: string): {
  readonly pointer: ToolPointer | undefined;
  readonly rest: string;
} {
  const [whole = "", tool = "", list = ""] = POINTER.exec(text) ?? [];
  if (whole === "") return { pointer: undefined, rest: text };
  const options = list
    .trim()
    .split("\n")
    .map((line) => line.slice(2).replace(/ \(.*\)$/, ""));
  return { pointer: { tool, options }, rest: text.replace(whole, "") };
}

const MAX_SCHEMA_STARTS = 20;

/** Returns a JSON Schema announced in the text, and the text without it. */
function takeSchema(text: string): {
  readonly schema: JsonObject | undefined;
  readonly rest: string;
} {
  const mention = /json.{0,20}schema|schema.{0,40}json/i.exec(text);
  let start = mention === null ? -1 : text.indexOf("{", mention.index);
  for (let tries = 0; start >= 0 && tries < MAX_SCHEMA_STARTS; tries++) {
    const end = endOfObject(text, start);
    const schema = end === undefined ? undefined : parsedObject(text.slice(start, end));
    if (
      schema !== undefined &&
      ["type", "properties", "anyOf", "oneOf", "allOf", "$ref", "enum"].some((key) => key in schema)
    ) {
      return { schema, rest: text.slice(0, start) + text.slice(end) };
    }
    start = text.indexOf("{", start + 1);
  }
  return { schema: undefined, rest: text };
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isInText && character === "\\") index++;
    else if (character === '"') isInText = !isInText;
    else if (!isInText && character === "{") depth++;
    else if (!isInText && character === "}" && --depth === 0) return index + 1;
  }
  return undefined;
}
