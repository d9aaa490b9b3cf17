// Removes private texts from a saved run.
//
//   RDT1. Every text of a person, a model or a tool is replaced by its length. Keys, kinds, times, numbers, hashes, and
//         the names of tasks, methods and tools stay.
//   RDT2. Shapes stay: an object, a list or JSON in a text keeps its form.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { ExportedRun } from "../client/index.ts";

/** Fields with structure instead of private text. */
const STRUCTURE: ReadonlySet<string> = new Set(
  [
    "format exportedAt id tenant kind type state status mark at createdAt startedAt finishedAt expiresAt",
    "runId path parentId startedId triggeredByEventId listenerScope key parent callId taskId childRunId",
    "inputHash hash code codeVersion definitionVersion toolName taskName methodName flowName crewName",
    "name label role finishReason model responseId after recorded event event_id",
  ].flatMap((line) => line.split(" ")),
);

/** Fields with the caller's own names below them. */
const OWN_WORDS: ReadonlySet<string> = new Set(["inputs", "arguments", "meta", "context", "state"]);

export function redactTrace(trace: ExportedRun): ExportedRun {
  const redacted = redact(trace, false) as unknown as ExportedRun;
  return { ...redacted, redacted: true };
}

/** Removes the inputs and results of steps. */
export function withoutValues(trace: ExportedRun): ExportedRun {
  const steps = trace.steps.map((step) => {
    const { value, request, ...rest } = step;
    void [value, request];
    return rest;
  });
  return { ...trace, steps };
}

function redact(value: JsonValue, isOwn: boolean): JsonValue {
  if (typeof value === "string") return hidden(value, isOwn);
  if (Array.isArray(value)) return value.map((each) => redact(each, isOwn));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const keeps = !isOwn && typeof each === "string" && STRUCTURE.has(name);
      return [name, keeps ? each : redact(each, isOwn || OWN_WORDS.has(name))];
    }),
  );
}

function hidden(text: string, isOwn: boolean): string {
  if (text === "") return text;
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(redact(JSON.parse(text) as JsonValue, isOwn));
    } catch {}
  }
  return `«${text.length} characters»`;
}
