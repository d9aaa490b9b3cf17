// Tool arguments: from a model's text to an object.
//
//   TA1. Only objects count. A text without an object is an error result for the model, never a throw.
//   TA2. Strict JSON comes first; then JSON5 and Python literals; then repair of cut or broken JSON.
//   TA3. Repair invents no arguments: no name, no value, no end of a number. Text needing such a repair is an error.
//   TA4. In the text form the first object counts, with any text around it. A native call is the object alone.
import { jsonrepair } from "jsonrepair";
import { isJsonObject, preview, typeName, parsedJson } from "../base/json.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { readKeywordArguments, readLenientObject } from "./lenient-json.ts";
import type { Tool } from "./tool.ts";

export type ToolArguments =
  | { readonly kind: "ok"; readonly value: JsonObject }
  | { readonly kind: "error"; readonly message: string };

// Maximum length for repair, as the repair of broken JSON is not linear. Longer text is rejected.
const MAX_REPAIRED = 100_000;
const HALF_A_NUMBER = /[\s:,[](?:-|-?\d+\.|-?\d+(?:\.\d+)?[eE][+-]?)\s*$/;
const EMPTY = {
  null: /\b(?:null|None|undefined|NaN|nil)\b/g,
  text: /""|''|“”|``/g,
  list: /\[\s*\]/g,
  object: /\{\s*\}/g,
};
const CODE_FENCE = /^```[a-z0-9]*[ \t]*\n([^]*?)\n?```$/i;

/**
 * Parses arguments. `native`: from a provider's own tool call; `text`: from an `Action Input:` (see react-parser.ts).
 */
export function parseToolArguments(text: string, mode: "native" | "text"): ToolArguments {
  const trimmed = text.trim();
  if (trimmed === "" && mode === "native") return { kind: "ok", value: {} };
  if (trimmed === "") return failure("nothing");
  const parsed = parsedJson(trimmed);
  if (isJsonObject(parsed)) return { kind: "ok", value: parsed };
  if (parsed === null) return { kind: "ok", value: {} };
  const source =
    typeof parsed === "string" ? parsed.trim() : (CODE_FENCE.exec(trimmed)?.[1] ?? trimmed);
  const value = Array.isArray(parsed)
    ? undefined
    : (readObject(source, mode) ?? readNamed(source, mode));
  return value === undefined ? failure(describe(trimmed, parsed)) : { kind: "ok", value };
}

function failure(came: string): ToolArguments {
  return {
    kind: "error",
    message: `expected the arguments as one JSON object like {"name": "value"}, got ${came}`,
  };
}

function describe(text: string, parsed: unknown): string {
  const type = parsed === undefined ? "text that is not JSON" : typeName(parsed);
  return `${type}: ${preview(text, 200)}`;
}

function readObject(source: string, mode: "native" | "text"): JsonObject | undefined {
  const start = source.indexOf("{");
  if (start < 0 || (mode === "native" && start > 0)) return undefined;
  const candidate = source.slice(start);
  const lenient = readLenientObject(candidate);
  if (lenient !== undefined && (mode === "text" || lenient.end === candidate.length))
    return lenient.value;
  return repair(candidate);
}

function repair(candidate: string): JsonObject | undefined {
  if (!candidate.includes(":")) return undefined;
  const repaired = repairJson(candidate);
  const value = repaired === undefined ? undefined : parsedJson(repaired);
  return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
}

/** Reads `query="x", limit=3`, which some models write in the text form. */
function readNamed(source: string, mode: "native" | "text"): JsonObject | undefined {
  return mode === "text" && /^\w+ ?=/.test(source) ? readKeywordArguments(`${source})`) : undefined;
}

/** Repairs broken JSON. Returns undefined if a repair would invent values, and for text above the maximum length. */
export function repairJson(text: string): string | undefined {
  if (text.length > MAX_REPAIRED || HALF_A_NUMBER.test(text)) return undefined;
  try {
    const repaired = jsonrepair(text);
    return invents(text, JSON.parse(repaired) as JsonValue) ? undefined : repaired;
  } catch {
    return undefined;
  }
}

/** True if a value has more empty parts than its source. Repair inserts these for missing parts. */
function invents(source: string, value: JsonValue): boolean {
  const found = { null: 0, text: 0, list: 0, object: 0 };
  const count = (each: JsonValue): void => {
    if (each === null) found.null++;
    else if (each === "") found.text++;
    else if (Array.isArray(each)) {
      if (each.length === 0) found.list++;
      for (const item of each) count(item);
    } else if (isJsonObject(each)) {
      const entries = Object.entries(each);
      if (entries.length === 0) found.object++;
      for (const [key, item] of entries) {
        if (key === "") found.text++;
        count(item);
      }
    }
  };
  count(value);
  return Object.entries(found).some(
    ([kind, times]) => times > (source.match(EMPTY[kind as keyof typeof EMPTY])?.length ?? 0),
  );
}

/** Removes arguments unknown to the tool, which text-form models tend to invent. */
export function knownArguments(
  input: JsonObject,
  { parameters, readsAnyName }: Pick<Tool, "parameters" | "readsAnyName">,
): JsonObject {
  const { properties, additionalProperties, patternProperties } = parameters;
  const isOpen =
    readsAnyName === true ||
    patternProperties !== undefined ||
    additionalProperties === true ||
    isJsonObject(additionalProperties);
  if (isOpen || !isJsonObject(properties)) return input;
  return Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(properties, name)),
  );
}
