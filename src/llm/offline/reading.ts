// What a request asks, and what it gives to answer from.
//
//   - The ask is the last user message that opens a turn; messages after a tool's result are reminders.
//   - Tagged and fenced blocks, and text after a line that ends in a colon, are material; sentences that ask
//     or order are instructions.
//   - Our own notice at the end of an earlier answer is no material.
import type { JsonObject } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { textOfContent } from "../content.ts";
import type { Message, ModelRequest, ToolSpec } from "../language-model.ts";

/** Closes every text answer. */
export const NOTICE =
  "(Written by offline/demo, which is not a language model: it only picks and rearranges given text.)";

export type ToolResult = { readonly tool: string; readonly content: string };

export type Reading = {
  /** The sentences that ask for something. */
  readonly instructions: readonly string[];
  /** Texts to answer from, the closest to the ask first; results of tools are not among them. */
  readonly material: readonly string[];
  readonly toolResults: readonly ToolResult[];
  readonly usedTools: ReadonlySet<string>;
  readonly tools: readonly ToolSpec[];
  /** Tools are described in the system text and called in the form of `Action:` lines. */
  readonly isTextForm: boolean;
  readonly system: string;
  /** What the answer must be valid against. */
  readonly schema: JsonObject | undefined;
};

export function readRequest(request: ModelRequest): Reading {
  const { messages } = request;
  const system = textOf(messages.filter((message) => message.role === "system"));
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
  const parts = splitPrompt(inPrompt.rest);
  const results = [
    ...messages.slice(first).flatMap(nativeResult),
    ...messages.slice(first).flatMap(observedResults),
  ];
  return {
    instructions: parts.instructions,
    material: [...parts.material, ...earlier(messages.slice(0, first))]
      .map(withoutNotice)
      .filter((text) => text !== ""),
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
  return message.role === "tool" ? [{ tool: message.toolName, content: message.content }] : [];
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
  // The request to go on is the last paragraph of the user's message.
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

/** The tools of a system text in the form `Tool:`, `Arguments:`, `Purpose:`. */
function describedTools(system: string): ToolSpec[] {
  return Array.from(
    system.matchAll(/^Tool: (.+)\nArguments: (\{.*\})\nPurpose: (.+)$/gm),
    ([, name = "", schema = "", description = ""]) => ({
      name,
      description,
      parameters: parseObject(schema) ?? { type: "object" },
    }),
  );
}

const MAX_SCHEMA_STARTS = 20;

/** A JSON Schema that the text shows after speaking of one, and the text without it. */
function takeSchema(text: string): {
  readonly schema: JsonObject | undefined;
  readonly rest: string;
} {
  const mention = /json.{0,20}schema|schema.{0,40}json/i.exec(text);
  let start = mention === null ? -1 : text.indexOf("{", mention.index);
  for (let tries = 0; start >= 0 && tries < MAX_SCHEMA_STARTS; tries++) {
    const end = endOfObject(text, start);
    const schema = end === undefined ? undefined : parseObject(text.slice(start, end));
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

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type SplitPrompt = { readonly instructions: string[]; readonly material: string[] };

const TAGS_THAT_ASK: ReadonlySet<string> = new Set(["feedback", "reason", "task", "instructions"]);
const CONTEXT_SEPARATOR = /\n-{10}\n/;

/** Sorts the lines of a prompt: tagged and fenced blocks first, then what stands between them. */
function splitPrompt(text: string): SplitPrompt {
  const blocks: string[] = [];
  const loose: string[] = [];
  const asking: string[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const tag = /^<([a-z][\w-]*)>$/.exec(line)?.[1];
    const close = tag === undefined ? (line.startsWith("```") ? "```" : undefined) : `</${tag}>`;
    const end = close === undefined ? -1 : lines.indexOf(close, index + 1);
    if (end < 0) {
      loose.push(line);
      continue;
    }
    const block = lines.slice(index + 1, end).join("\n");
    const heading = loose.at(-1) ?? "";
    if (heading.endsWith(":"))
      loose.splice(-1, 1, ...(isAsking(heading) ? [heading.slice(0, -1)] : []));
    if (tag !== undefined && TAGS_THAT_ASK.has(tag)) asking.push(block);
    else blocks.push(...block.split(CONTEXT_SEPARATOR));
    index = end;
  }
  const parts = splitLoose(loose.join("\n"));
  return {
    instructions: [...parts.instructions, ...asking.flatMap(sentences)],
    material: [...parts.material, ...blocks],
  };
}

const EXPECTED = /^[ \t]*expected (?:result|output|answer)\b[^:\n]{0,40}:[ \t]*/im;

function splitLoose(text: string): SplitPrompt {
  const expectedAt = text.search(EXPECTED);
  const expected = expectedAt < 0 ? "" : text.slice(expectedAt).replace(EXPECTED, "");
  const main = expectedAt < 0 ? text : text.slice(0, expectedAt);
  const parts = splitParagraphs(main.replace(/^\s*(?:current )?task:\s*/i, ""));
  return {
    instructions: [...parts.instructions, ...sentences(expected)],
    material: parts.material,
  };
}

/** Material starts after the first line that ends in a colon, or with the first paragraph that does not ask. */
function splitParagraphs(text: string): SplitPrompt {
  const colon = /:[ \t]*\n\s*(?=\S)/.exec(text);
  if (colon !== null && !isOutline(text, colon.index)) {
    const head = splitSentences(text.slice(0, colon.index));
    return {
      instructions: head.instructions,
      material: [text.slice(colon.index + 1).trim(), ...head.material],
    };
  }
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== "");
  if (paragraphs.length < 2 && !text.trim().includes("\n")) return splitSentences(text);
  const units = paragraphs.length < 2 ? text.trim().split("\n") : paragraphs;
  const asks = units.map((unit) => isAsking(sentences(unit)[0] ?? ""));
  const first = asks.indexOf(false);
  if (first < 0) return { instructions: units.flatMap(sentences), material: [] };
  const last =
    asks.at(-1) === true && units.at(-1)?.includes("\n") === false
      ? units.length - 1
      : units.length;
  return {
    instructions: [...units.slice(0, first), ...units.slice(last)].flatMap(sentences),
    material: [units.slice(first, last).join(paragraphs.length < 2 ? "\n" : "\n\n")],
  };
}

/** `Write notes with:` and a list is a wish for the answer's form; `Group these:` and a list is material. */
function isOutline(text: string, colonAt: number): boolean {
  const before = text.slice(0, colonAt).split("\n").at(-1) ?? "";
  const after = text
    .slice(colonAt + 1)
    .trim()
    .split("\n");
  const isList = after.every(
    (line) => line.trim() === "" || (/^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(line) && line.length < 80),
  );
  return isList && !/\b(?:this|these|following|below|here|given)\b/i.test(before);
}

function splitSentences(text: string): SplitPrompt {
  const all = sentences(text);
  const instructions = all.filter(isAsking);
  const rest = all.filter((sentence) => !instructions.includes(sentence)).join(" ");
  return instructions.length === 0
    ? { instructions: all, material: [] }
    : { instructions, material: rest === "" ? [] : [rest] };
}

function sentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+(?=["'(\p{Lu}\d])/u)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, "").trim())
    .filter((sentence) => sentence !== "");
}

const ORDERS: ReadonlySet<string> = new Set(
  (
    "add analyse analyze answer ask assess be brainstorm build calculate check choose classify collect compare compile compose " +
    "compute convert count create decide define describe design determine develop do draft edit ensure estimate evaluate examine " +
    "explain extract fetch fill find format gather generate get give group help identify improve include investigate keep list " +
    "look make name note organize outline parse perform pick plan prepare present prioritize produce propose provide rank read " +
    "recommend reply report research respond return review revise rewrite say search select send show sort state suggest summarise " +
    "summarize take tell think translate turn update use verify wait work write please format compose transform"
  ).split(" "),
);
const LEAD_INS =
  /^(?:based|using|given|from|for|with|in|if|when|to|then|now|first|finally|carefully|your|you)\b/i;

/** A question, or a sentence that starts with an order, perhaps after a lead-in. */
function isAsking(sentence: string): boolean {
  if (sentence.endsWith("?")) return true;
  const words = sentence.toLowerCase().match(/[a-z]+/g) ?? [];
  return (
    ORDERS.has(words[0] ?? "") ||
    (LEAD_INS.test(sentence) && words.slice(1, 25).some((word) => ORDERS.has(word)))
  );
}
