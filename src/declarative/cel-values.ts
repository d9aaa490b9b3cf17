// JSON as CEL has it, and back. JSON knows one kind of number, CEL two: whole ones are CEL's int, as in Python.
import { toBase64 } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Room } from "./cel-meter.ts";

/** A JSON value for an expression. */
export function toCel(value: JsonValue): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(toCel);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
}

/**
 * Converts the value of an expression to JSON: times and durations to texts, bytes to base64. Throws `invalid_input`
 * for a value JSON cannot express, `limit_exceeded` for one larger than the room.
 */
export function fromCel(value: unknown, room: Room): JsonValue {
  room.take(typeof value === "string" ? value.length + 1 : 1);
  switch (typeof value) {
    case "bigint":
      return wholeNumber(value);
    case "number":
      if (Number.isFinite(value)) return value;
      throw unfit(`the number ${value}`);
    case "string":
    case "boolean":
      return value;
    case "object":
      return value === null ? null : fromObject(value, room);
    default:
      throw unfit(`a ${typeof value}`);
  }
}

/**
 * Adds the names of CrewAI's files to a result of a crew, an agent or a person: `outputs.x.json_dict` for `object`,
 * `tasks_output`, `token_usage`, `agent_role`, `method_name`.
 */
export function withForeignNames(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  if (isFeedback(value))
    return {
      ...value,
      output: withForeignNames(value["output"] ?? null),
      method_name: value["methodName"] ?? "",
    };
  const { raw, object = null, tasks, agentRole, usage = null } = value;
  if (typeof raw !== "string" || (tasks === undefined && agentRole === undefined)) return value;
  const shaped = { pydantic: object, json_dict: object };
  return agentRole === undefined
    ? { ...value, ...shaped, tasks_output: tasks ?? null, token_usage: usage }
    : { ...value, ...shaped, agent_role: agentRole, usage_metrics: usage };
}

/** Adds CrewAI's field names to the state of a conversation. The flow's own field of the same name stays. */
export function withForeignFields(state: JsonObject): JsonObject {
  const named = Object.entries(CONVERSATION_FIELDS).map(([foreign, own]): [string, JsonValue] => [
    foreign,
    state[own] ?? null,
  ]);
  return { ...Object.fromEntries(named), ...state };
}

const CONVERSATION_FIELDS = {
  current_user_message: "currentUserMessage",
  last_user_message: "lastUserMessage",
  last_intent: "lastIntent",
  agent_threads: "agentThreads",
  session_ready: "sessionReady",
} as const;

function isFeedback(value: JsonObject): boolean {
  return "output" in value && "feedback" in value && "outcome" in value && "methodName" in value;
}

function fromObject(value: object, room: Room): JsonValue {
  const fields = (entries: Iterable<readonly [unknown, unknown]>): JsonObject =>
    Object.fromEntries(
      Array.from(entries, ([key, item]) => [keyOf(key, room), fromCel(item, room)]),
    );
  if (Array.isArray(value)) return value.map((item) => fromCel(item, room));
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Uint8Array) {
    room.take(value.length);
    return toBase64(value);
  }
  if (value instanceof Map) return fields(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return fields(Object.entries(value));
  if ("seconds" in value && "nanos" in value)
    return duration(value as { seconds: bigint; nanos: number });
  const inner: unknown = value.valueOf();
  if (typeof inner === "bigint") return wholeNumber(inner);
  throw unfit(`a value of the type ${nameOf(value)}`);
}

/** Formats a duration like protocol buffers in JSON: `3600s`, `1.500s`. */
function duration({ seconds, nanos }: { seconds: bigint; nanos: number }): string {
  const isNegative = seconds < 0n || nanos < 0;
  const whole = seconds < 0n ? -seconds : seconds;
  const part = String(Math.abs(nanos))
    .padStart(9, "0")
    .replace(/(000)+$/, "");
  return `${isNegative ? "-" : ""}${whole}${part === "" ? "" : `.${part}`}s`;
}

function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw unfit(
    `the number ${value}, which JSON does not carry exactly: make it a text with string()`,
  );
}

function keyOf(key: unknown, room: Room): string {
  const value = fromCel(key, room);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function nameOf(value: object): string {
  return preview((value as { name?: unknown }).name ?? value.constructor?.name ?? "unknown");
}

function unfit(what: string): EngineError {
  return new EngineError("invalid_input", `it returned ${what}; expected a JSON value`);
}
