// A saved run that can be shown to others.
//
//   RDT1. No text that a person, a model or a tool wrote is left: each is replaced by its length. What is left are keys, kinds, times, numbers, hashes, and the names of tasks, methods and tools.
//   RDT2. Shapes stay: what was an object, a list or JSON in a text still is.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { ExportedRun } from "../client/index.ts";

/** Fields that say what a thing is, not what was said. */
const STRUCTURE: ReadonlySet<string> = new Set(
  [
    "format exportedAt id tenant kind type state status mark at createdAt startedAt finishedAt expiresAt",
    "runId path parentId startedId triggeredByEventId listenerScope key parent callId taskId childRunId",
    "inputHash hash code codeVersion definitionVersion toolName taskName methodName flowName crewName",
    "name label role finishReason model responseId after recorded event event_id",
  ].flatMap((line) => line.split(" ")),
);

/** Below these, names are a caller's own words. */
const OWN_WORDS: ReadonlySet<string> = new Set(["inputs", "arguments", "meta", "context", "state"]);

export function redactTrace(trace: ExportedRun): ExportedRun {
  const redacted = redact(trace, false) as unknown as ExportedRun;
  return { ...redacted, redacted: true };
}

/** The same without what the steps were asked and gave. */
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
