// Lookup of the coworker a model names: people write roles freely, and models copy them loosely.
import { isJsonObject, type JsonObject, type JsonValue, parsedJson } from "../../base/json.ts";
import { parseToolArguments } from "../../tools/tool-arguments.ts";
import { nameForm } from "../../text/fold.ts";
import { isUnspaced } from "../../text/mentions.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";

/** A model's request to a coworker. */
export type CoworkerRequest = {
  /** Undefined if the model named no work. */
  readonly work: string | undefined;
  readonly context: string;
  /** As written by the model. */
  readonly coworker: JsonValue | undefined;
};

const WORK_KEYS = ["task", "question"];

/** Reads the arguments of a delegation, in any spelling of their names and also when they stand inside another argument. */
export function readCoworkerRequest(input: JsonObject): CoworkerRequest {
  const fields = unwrapped(input) ?? new Map<string, JsonValue>();
  const work = WORK_KEYS.map((key) => fields.get(key)).find((value) => value !== undefined);
  return {
    work: work === undefined || asText(work).trim() === "" ? undefined : asText(work),
    context: asText(fields.get("context") ?? ""),
    coworker: fields.get("coworker"),
  };
}

/**
 * Finds the index of the named role: equal in the form of names without quotes; else equal as a slug
 * (`senior_researcher`); else the only one that begins with these words. Of a list the first entry counts.
 */
export function findCoworker(coworker: JsonValue | undefined, roles: readonly string[]): number {
  for (const name of namesIn(coworker)) {
    const found = findRole(name, roles);
    if (found >= 0) return found;
  }
  return -1;
}

function findRole(name: string, roles: readonly string[]): number {
  const wanted = folded(name);
  if (wanted === "") return -1;
  const equal = roles.findIndex((role) => folded(role) === wanted);
  if (equal >= 0) return equal;
  const slug = sanitizeToolName(name);
  const sameSlug = roles.findIndex((role) => sanitizeToolName(role) === slug);
  if (sameSlug >= 0) return sameSlug;
  const beginning = roles.flatMap((role, index) =>
    folded(role).startsWith(isUnspaced(wanted) ? wanted : `${wanted} `) ? [index] : [],
  );
  return beginning.length === 1 ? (beginning[0] ?? -1) : -1;
}

/** Returns the possible names in the value, the most literal reading first. */
function namesIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return namesIn(value[0] as JsonValue | undefined);
  if (isJsonObject(value)) return namesIn(value["role"] ?? value["name"] ?? value["coworker"]);
  if (typeof value !== "string") return [];
  const text = value.trim();
  if (text.startsWith("{")) {
    const parsed = parseToolArguments(text, "text");
    return parsed.kind === "ok" ? [text, ...namesIn(parsed.value)] : [text];
  }
  if (!text.startsWith("[")) return [text];
  const [first = ""] = text.replace(/^\[|\]$/g, "").split(",");
  return [text, ...namesIn(parsedJson(text)), first];
}

/** Returns the arguments by their names in lower case without separators; undefined if all names are unknown. */
function unwrapped(input: JsonObject): ReadonlyMap<string, JsonValue> | undefined {
  const fields = new Map(
    Object.entries(input).map(([key, value]) => [key.toLowerCase().replace(/[^a-z]/g, ""), value]),
  );
  if ([...WORK_KEYS, "coworker"].some((key) => fields.has(key) && !isWrapper(fields, key)))
    return fields;
  for (const value of fields.values()) {
    const inner = asObject(value);
    const found = inner === undefined ? undefined : unwrapped(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True if all arguments stand inside one of their own names: `{ "task": "{\"task\": …, \"coworker\": …}" }`. */
function isWrapper(fields: ReadonlyMap<string, JsonValue>, key: string): boolean {
  const inner =
    fields.has("coworker") && key !== "coworker" ? undefined : asObject(fields.get(key));
  return inner !== undefined && Object.keys(inner).some((name) => WORK_KEYS.includes(name));
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string" || !value.trim().startsWith("{")) return undefined;
  const parsed = parseToolArguments(value, "text");
  return parsed.kind === "ok" ? parsed.value : undefined;
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function folded(text: string): string {
  return nameForm(text.replaceAll(/["'`“”‘’„«»‹›「」『』《》〈〉]/g, ""));
}
