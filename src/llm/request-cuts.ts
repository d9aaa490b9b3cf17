// Requests without a refused part, in the forms of chat completions, of Gemini and of Bedrock's Converse. Each function
// returns undefined for a request without the part.
import { camelCase } from "../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { UNSIGNED_CALL } from "./thought-signatures.ts";
import { fieldsOf, listOf, textOf } from "./wire.ts";

type Cut = (body: JsonObject) => JsonObject | undefined;

/** Fields of a request with settings, beside the request itself. */
const PLACES = [
  "generationConfig",
  "inferenceConfig",
  "additionalModelRequestFields",
  "outputConfig",
  "output_config",
  "toolConfig",
];

/** Leaves settings out, wherever they are and however they are spelled. */
export function left(...settings: readonly string[]): Cut {
  const names = settings.flatMap((name) => [name, camelCase(name)]);
  return (body) => {
    let rest = outOf(body, names);
    for (const place of PLACES) {
      const inner = body[place];
      const less = isJsonObject(inner) ? outOf(inner, names) : undefined;
      if (less !== undefined) rest = { ...(rest ?? body), [place]: less };
    }
    return rest;
  };
}

function outOf(fields: JsonObject, names: readonly string[]): JsonObject | undefined {
  if (!names.some((name) => name in fields)) return undefined;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Lowers settings to a number, wherever they are and however they are spelled. */
export function limited(settings: readonly string[], most: number): Cut {
  const names = settings.flatMap((name) => [name, camelCase(name)]);
  const lowered = (fields: JsonObject): JsonObject | undefined => {
    const name = names.find((each) => Number(fields[each]) > most);
    return name === undefined ? undefined : { ...fields, [name]: most };
  };
  return (body) => {
    for (const place of PLACES) {
      const inner = body[place];
      const less = isJsonObject(inner) ? lowered(inner) : undefined;
      if (less !== undefined) return { ...body, [place]: less };
    }
    return lowered(body);
  };
}

export function renamed(from: string, to: string): Cut {
  return (body) => {
    const { [from]: value, ...rest } = body;
    return value === undefined ? undefined : { ...rest, [to]: value };
  };
}

export function looseFormat(body: JsonObject): JsonObject | undefined {
  const format = body["response_format"];
  const schema = isJsonObject(format) ? format["json_schema"] : undefined;
  if (!isJsonObject(format) || !isJsonObject(schema) || schema["strict"] !== true) return undefined;
  return {
    ...body,
    response_format: { ...format, json_schema: { ...schema, strict: false } },
  };
}

/** Requests JSON of any shape instead of a schema. Converse has no such form: it takes a schema as a tool. */
export function jsonMode(body: JsonObject): JsonObject | undefined {
  const format = body["response_format"];
  if (isJsonObject(format) && format["type"] === "json_schema")
    return { ...body, response_format: { type: "json_object" } };
  return left("response_json_schema", "text_format")(body);
}

export const withoutFormat = left("response_format", "response_mime_type", "response_json_schema");

/** Removes the form of the answer from a request with tools. */
export function withToolsAlone(body: JsonObject): JsonObject | undefined {
  return "tools" in body ? withoutFormat(body) : undefined;
}

/** Removes the tools if their only use is the form of the answer. */
export function withoutToolConfig(body: JsonObject): JsonObject | undefined {
  const { toolConfig, ...rest } = body;
  const tools = listOf(fieldsOf(toolConfig)["tools"]);
  return tools.length > 0 && tools.every(isAnswerTool) ? rest : undefined;
}

/** True for the Converse tool whose input is the answer. */
export function isAnswerTool(tool: unknown): boolean {
  return fieldsOf(fieldsOf(tool)["toolSpec"])["name"] === "structured_output";
}

export function withoutCachePoints(body: JsonObject): JsonObject | undefined {
  if (!JSON.stringify(body).includes('"cachePoint"')) return undefined;
  const messages = (listOf(body["messages"]) as readonly JsonObject[]).map((message) => ({
    ...message,
    content: uncached(message["content"]),
  }));
  return {
    ...body,
    messages,
    ...("system" in body ? { system: uncached(body["system"]) } : undefined),
  };
}

function uncached(blocks: JsonValue | undefined): JsonValue {
  return (listOf(blocks) as readonly JsonObject[]).filter((block) => !("cachePoint" in block));
}

/** Moves the system prompt to the beginning of the first user message. */
export function systemAsUser(body: JsonObject): JsonObject | undefined {
  if ("systemInstruction" in body) {
    const { systemInstruction, contents, ...rest } = body;
    const [first, ...more] = listOf(contents) as readonly JsonObject[];
    const said = listOf(fieldsOf(systemInstruction)["parts"]) as readonly JsonObject[];
    const parts = [...said, ...(listOf(first?.["parts"]) as readonly JsonObject[])];
    return { ...rest, contents: [{ role: "user", parts }, ...more] };
  }
  const messages = listOf(body["messages"]) as readonly JsonObject[];
  if ("system" in body) {
    const { system, ...rest } = body;
    const [first, ...more] = messages;
    const content = [...listOf(system), ...listOf(first?.["content"])] as JsonValue[];
    return { ...rest, messages: [{ role: "user", content }, ...more] };
  }
  const system = messages.filter(isSystem);
  if (system.length === 0) return undefined;
  const text = system.map(({ content }) => textOf(content)).join("\n\n");
  const [first, ...rest] = messages.filter((message) => !isSystem(message));
  if (first?.["role"] !== "user")
    return {
      ...body,
      messages: [{ role: "user", content: text }, ...(first ? [first] : []), ...rest],
    };
  const { content } = first;
  const said: JsonValue = Array.isArray(content)
    ? [{ type: "text", text }, ...content]
    : `${text}\n\n${textOf(content)}`;
  return { ...body, messages: [{ ...first, content: said }, ...rest] };
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

export function withCalledTools(body: JsonObject): JsonObject | undefined {
  if (listOf(body["tools"]).length > 0) return undefined;
  const names = new Set(
    listOf(body["messages"])
      .flatMap((message) => listOf(fieldsOf(message)["tool_calls"]))
      .map((call) => textOf(fieldsOf(fieldsOf(call)["function"])["name"])),
  );
  if (names.size === 0) return undefined;
  const tools = Array.from(names, (name) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: {} } },
  }));
  return { ...body, tools, tool_choice: "none" };
}

/** Marks Gemini's calls as made by another model. */
export function withoutSignatures(body: JsonObject): JsonObject | undefined {
  const contents = listOf(body["contents"]) as readonly JsonObject[];
  const signed = contents.map((content) => ({
    ...content,
    parts: (listOf(content["parts"]) as readonly JsonObject[]).map((part) => {
      const { thoughtSignature: _, ...rest } = part;
      return "functionCall" in rest ? { ...rest, thoughtSignature: UNSIGNED_CALL } : rest;
    }),
  }));
  return JSON.stringify(signed) === JSON.stringify(contents)
    ? undefined
    : { ...body, contents: signed };
}
