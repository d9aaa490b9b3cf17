// Converts bodies of callbacks, of A2A 1.0 and 0.3, to ProtoJSON of 1.0.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { TaskSoFar } from "./remote-task.ts";

/** One update of a task: `{ task }`, `{ message }`, `{ statusUpdate }` or `{ artifactUpdate }`. */
export type WireUpdate = JsonObject;

/** Returns the update in a callback's body; undefined for any other body. */
export function updateOf(body: JsonObject | undefined): WireUpdate | undefined {
  if (body === undefined) return undefined;
  const update = wrapped(body);
  try {
    new TaskSoFar().take(update);
    return update;
  } catch {
    return undefined;
  }
}

/** A2A 0.3 sends a bare task, message or event, distinguished by `kind`. */
function wrapped(body: JsonObject): JsonObject {
  const { kind, ...rest } = body;
  if (kind === "message") return { message: message(rest) };
  if (kind === "status-update")
    return { statusUpdate: { ...rest, status: status(rest["status"]) } };
  if (kind === "artifact-update")
    return { artifactUpdate: { ...rest, artifact: withParts(rest["artifact"]) } };
  const isTask =
    kind === "task" || (typeof body["id"] === "string" && isJsonObject(body["status"]));
  if (!isTask) return body;
  return {
    task: {
      ...rest,
      status: status(rest["status"]),
      artifacts: listOf(rest["artifacts"]).map(withParts),
      history: listOf(rest["history"]).map(message),
    },
  };
}

function status(value: JsonValue | undefined): JsonValue {
  if (!isJsonObject(value)) return value ?? null;
  const { message: said } = value;
  return isJsonObject(said) ? { ...value, message: message(said) } : value;
}

function message(value: JsonValue): JsonValue {
  return withParts(value);
}

function withParts(value: JsonValue | undefined): JsonValue {
  if (!isJsonObject(value)) return value ?? null;
  const { kind: _, ...rest } = value;
  return { ...rest, parts: listOf(rest["parts"]).map(part) };
}

function part(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value["file"])) return value;
  const { bytes, uri, name, mimeType } = value["file"];
  return {
    ...(bytes === undefined ? undefined : { raw: bytes }),
    ...(uri === undefined ? undefined : { url: uri }),
    ...(name === undefined ? undefined : { filename: name }),
    ...(mimeType === undefined ? undefined : { mediaType: mimeType }),
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
