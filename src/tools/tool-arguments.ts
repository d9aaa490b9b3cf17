// Tool arguments: from the text that a model wrote to an object.
//
//   TA1. Only objects count. What cannot be read as one is an error result for the model, never a throw.
//   TA2. Strict JSON first; then JSON5 and Python literals; then repair of cut or broken JSON.
//   TA3. Repair invents no arguments: text without a single `key: value` pair stays an error.
//   TA4. In the text form the first object counts, whatever stands around it. A native call is the object alone.
import { jsonrepair } from "jsonrepair";
import { isJsonObject, preview, typeName } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { readLenientObject } from "./lenient-json.ts";

export type ToolArguments =
  | { readonly kind: "ok"; readonly value: JsonObject }
  | { readonly kind: "error"; readonly message: string };

// Repair of broken JSON is not linear; what is longer is refused.
const MAX_REPAIRED = 100_000;
const CODE_FENCE = /^```[a-z0-9]*[ \t]*\n([^]*?)\n?```$/i;

/** `native`: arguments of a tool call made by the provider's own means; `text`: an `Action Input:` (see react-parser.ts). */
export function parseToolArguments(text: string, mode: "native" | "text"): ToolArguments {
  const trimmed = text.trim();
  if (trimmed === "" && mode === "native") return { kind: "ok", value: {} };
  if (trimmed === "") return failure("nothing");
  const parsed = parseJson(trimmed);
  if (isJsonObject(parsed)) return { kind: "ok", value: parsed };
  if (parsed === null) return { kind: "ok", value: {} };
  const source =
    typeof parsed === "string" ? parsed.trim() : (CODE_FENCE.exec(trimmed)?.[1] ?? trimmed);
  const value = Array.isArray(parsed) ? undefined : readObject(source, mode);
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
  if (!candidate.includes(":") || candidate.length > MAX_REPAIRED) return undefined;
  try {
    const value = parseJson(jsonrepair(candidate));
    return isJsonObject(value) && Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
