import type { JsonValue } from "../../base/json.ts";
import type { EventOf, RunEvent } from "../../events/run-event.ts";
import type { Traced } from "../../events/traced-event.ts";

/** Returns the agent of a conversation's turn from its path. */
export function turnOf(path: string): string | undefined {
  const segment = path.split("/").findLast((each) => /^turn:\d+:/.test(each));
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment.replace(/^turn:\d+:/, ""));
  } catch {
    return undefined; // a cut name
  }
}

/** Returns `openai` for `openai/gpt-5-mini`. */
export function providerOf(model: string): string {
  const cut = model.indexOf("/");
  return cut < 1 ? model : model.slice(0, cut);
}

/** Returns the result of a model call. */
export function answerOf(end: EventOf<"llm_call_completed" | "llm_call_failed">): object {
  if (end.type === "llm_call_failed") return { error: end.error };
  const { response: content, toolCalls, finishReason, responseId: id, usage } = end;
  return { id, content, toolCalls, finishReason, usage };
}

/** Returns the agent or sender that the event names. */
export function sourceOf(event: Traced<RunEvent>): string | undefined {
  const named = event as { readonly [name: string]: unknown };
  const names = [event.agentRole, ...NAMING.map((field) => named[field])];
  return names.find((name) => typeof name === "string");
}

/** Fields of chat events with the name of an agent. */
const NAMING = ["sender", "agent", "source", "speaker", "lastSpeaker"] as const;

/** Returns the event's fields without the envelope. */
export function stateOf(event: RunEvent): JsonValue {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !ENVELOPE.has(name)));
}

const ENVELOPE: ReadonlySet<string> = new Set([
  "seq",
  "id",
  "type",
  "at",
  "runId",
  "parentId",
  "startedId",
  "triggeredByEventId",
  "listenerScope",
  "previousEventId",
]);

/** Returns a time in AG2's form, in UTC: `2026-01-31 12:00:00.000000`. */
export function timeOf({ at }: RunEvent): string {
  return at.replace("T", " ").replace(/Z$/, "000");
}
