// Refused messages and schemas, and the request with them in an accepted form (rules RFP1 and RFP2).
//
// Wordings are from public reports, each with its address in test/unit/llm/public-reports.test.ts.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RefusedPart } from "./refused-part.ts";
import { listOf, textOf } from "./wire.ts";

export const MESSAGE_PARTS: readonly RefusedPart[] = [
  // LM Studio, Ollama: calls without text need an empty text there, and no text elsewhere.
  {
    name: "content null",
    refused: (message) =>
      /content' field must be a string|invalid message content type: <nil>/.test(message),
    without: (body) =>
      changed(body, "messages", (message) =>
        message["content"] === null ? { ...message, content: "" } : message,
      ),
  },
  // "Unsupported value: 'messages[0].role' does not support 'system' with this model."
  {
    name: "a system in the middle",
    refused: (message) => /system message must be at the beginning/.test(message),
    without: systemFirst,
  },
  // llama.cpp's templates of gpt-oss
  {
    name: "thoughts beside words and calls",
    refused: (message) => /cannot pass both content and thinking/.test(message),
    without: (body) => changed(body, "messages", withoutThoughts),
  },
  {
    name: "thoughts of before",
    refused: (message) =>
      /invalid `?signature`? in `?thinking|`thinking` or `redacted_thinking` blocks .*cannot be modified/.test(
        message,
      ),
    without: withoutThinkingBlocks,
    once: true,
  },
  {
    name: "reasoning of before",
    refused: (message) => /without its required (?:following|'reasoning') item/.test(message),
    without: withoutReasoningItems,
    once: true,
  },
];

/** Name of the lesson that schemas of tools must not have a keyword. */
const KEYWORD = "the keyword ";

/** 'Unknown name "additionalProperties" at 'tools[0].…': Cannot find field.', of a message in lower case. */
export function unknownKeyword(message: string): string | undefined {
  const name = /unknown name "([$\w]+)" at 'tools/.exec(message)?.[1];
  return name === undefined ? undefined : KEYWORD + name;
}

/** Returns the request part for such a lesson. */
export function keywordPart(lesson: string): Pick<RefusedPart, "without"> | undefined {
  if (!lesson.startsWith(KEYWORD)) return undefined;
  const keyword = lesson.slice(KEYWORD.length);
  return { without: (body) => changed(body, "tools", (tool) => withoutKeyword(tool, keyword)) };
}

/** Returns the request with the entries of a list changed; undefined without a change. */
function changed(
  body: JsonObject,
  list: string,
  change: (entry: JsonObject) => JsonObject,
): JsonObject | undefined {
  const entries = listOf(body[list]) as readonly JsonObject[];
  const next = entries.map(change);
  return next.some((entry, index) => entry !== entries[index])
    ? { ...body, [list]: next }
    : undefined;
}

function systemFirst(body: JsonObject): JsonObject | undefined {
  const messages = listOf(body["messages"]) as readonly JsonObject[];
  const system = messages.filter(({ role }) => role === "system");
  if (messages.slice(0, system.length).every(({ role }) => role === "system") && system.length < 2)
    return undefined;
  const content = system.map((message) => textOf(message["content"])).join("\n\n");
  return {
    ...body,
    messages: [{ role: "system", content }, ...messages.filter(({ role }) => role !== "system")],
  };
}

function withoutThoughts(message: JsonObject): JsonObject {
  const { reasoning_content: thoughts, reasoning_details: details, ...rest } = message;
  return thoughts === undefined && details === undefined ? message : rest;
}

function isThought(block: JsonValue): boolean {
  return (
    isJsonObject(block) &&
    (/^(?:redacted_)?thinking$/.test(textOf(block["type"])) || "reasoningContent" in block)
  );
}

/**
 * Removes thinking blocks and the budget for thinking, because after results of calls the API refuses to continue
 * thinking without the earlier blocks.
 */
function withoutThinkingBlocks(body: JsonObject): JsonObject | undefined {
  const next = changed(body, "messages", (message) => {
    const { content } = message;
    if (!Array.isArray(content) || !content.some(isThought)) return message;
    return { ...message, content: content.filter((block: JsonValue) => !isThought(block)) };
  });
  if (next === undefined) return undefined;
  return withoutThinking(next) ?? withoutThinking(next, "additionalModelRequestFields") ?? next;
}

/** The request without a budget for thoughts, in it or in one of its fields. */
function withoutThinking(body: JsonObject, field?: string): JsonObject | undefined {
  const holder = field === undefined ? body : body[field];
  if (!isJsonObject(holder)) return undefined;
  const { thinking, ...rest } = holder;
  if (!isJsonObject(thinking) || thinking["type"] !== "enabled") return undefined;
  return field === undefined ? rest : { ...body, [field]: rest };
}

/** Removes the ids of the remaining items: they would require the reasoning they came with. */
function withoutReasoningItems(body: JsonObject): JsonObject | undefined {
  const items = listOf(body["input"]) as readonly JsonObject[];
  if (!items.some(({ type }) => type === "reasoning")) return undefined;
  return {
    ...body,
    input: items.filter(({ type }) => type !== "reasoning").map(withoutId),
  };
}

function withoutId(item: JsonObject): JsonObject {
  const rest = { ...item };
  delete rest["id"];
  return rest;
}

/** Returns the schema without a keyword, named in lower case; a field of this name stays. */
function withoutKeyword<Value extends JsonValue>(
  schema: Value,
  keyword: string,
  isField = false,
): Value {
  if (Array.isArray(schema)) {
    const list: readonly JsonValue[] = schema;
    return list.map((each) => withoutKeyword(each, keyword)) as unknown as Value;
  }
  if (!isJsonObject(schema)) return schema;
  const next: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (isField || name.toLowerCase() !== keyword)
      next[name] = withoutKeyword(value, keyword, name === "properties" && !isField);
    // A single value is a list of one.
    else if (keyword === "const") next["enum"] = [value];
  }
  return (JSON.stringify(next) === JSON.stringify(schema) ? schema : next) as Value;
}
