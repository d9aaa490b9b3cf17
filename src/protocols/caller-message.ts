// Messages of callers as the inputs of a run, and as answers to a waiting one.
//
//   CY1. Data is inputs by name. A text is the message of a subject of messages. For other subjects it fills the app's
//        input for texts, else the only missing required input; a JSON object as text is data.
//   CY2. An answer must match its wait: a choice by its text, in any case; data or JSON text for a schema; yes or no
//        for an approval, with the rest as the reason.
import { EngineError } from "../base/error.ts";
import { isJsonObject, jsonOrText, type JsonObject, type JsonValue } from "../base/json.ts";
import type { AgentMessage } from "../agent/agent-messages.ts";
import { textOfContent } from "../llm/content.ts";
import type { ResumeRequest } from "../runtime/handle/run-handle.ts";
import type { RunStart, Wait } from "../runtime/run.ts";
import { sameNameIn } from "../text/index.ts";
import type { ExposedSubject } from "./exposed-subject.ts";

/** Message of a caller to a subject. */
export type CallerMessage = {
  /** The conversation so far, the newest last: a user's message, or empty for data alone. */
  readonly messages: readonly AgentMessage[];
  /** Inputs by name. */
  readonly data?: JsonObject;
  /** Its thread, for subjects with conversations of their own. */
  readonly threadId?: string | undefined;
};

/** Returns the start of a run. Fails with `invalid_input`, with the names of the needed inputs. */
export function startFor(
  exposed: ExposedSubject,
  { messages, data = {}, threadId }: CallerMessage,
): Pick<RunStart, "kind" | "name" | "inputs" | "definition" | "entry"> {
  const { subject } = exposed;
  const last = messages.at(-1);
  const text = last === undefined ? "" : textOfContent(last.content).trim();
  if (subject.messagesInput !== undefined) {
    const said = messages.length > 0 ? messages : [{ role: "user", content: JSON.stringify(data) }];
    return subject.start({ ...data, [subject.messagesInput]: said });
  }
  if (subject.turn !== undefined && threadId !== undefined && text !== "")
    return subject.turn({ message: text, sessionId: threadId, inputs: data });
  return subject.start({ ...inputsOf(exposed, text, data), ...historyOf(exposed, messages) });
}

function inputsOf(
  { subject, info, options }: ExposedSubject,
  text: string,
  data: JsonObject,
): JsonObject {
  if (text === "") return data;
  const { input } = options;
  const known = new Set(
    Object.keys(
      isJsonObject(info.inputSchema["properties"] ?? null)
        ? (info.inputSchema["properties"] as JsonObject)
        : {},
    ),
  );
  const written = objectIn(text);
  const isInputs =
    written !== undefined &&
    (known.size === 0 || Object.keys(written).some((name) => known.has(name)));
  if (isInputs) return { ...written, ...data };
  if (input !== undefined) return Object.hasOwn(data, input) ? data : { ...data, [input]: text };
  const missing = needed(subject.requiredInputs, info.inputSchema).filter(
    (name) => !Object.hasOwn(data, name),
  );
  const [only] = missing;
  if (only !== undefined && missing.length === 1) return { ...data, [only]: text };
  if (missing.length > 1)
    throw new EngineError(
      "invalid_input",
      `missing inputs: ${missing.join(", ")}; send them as data, or as a JSON object in the text`,
      {
        issues: missing.map((name) => ({ path: `/${name}`, message: "is required, got nothing" })),
      },
    );
  const free = ["message", "input", "query", "prompt", "text"].find((name) => known.has(name));
  return free === undefined || Object.hasOwn(data, free) ? data : { ...data, [free]: text };
}

/** Inputs without a default, from the subject or else from its schema. */
function needed(required: readonly string[], schema: JsonObject): readonly string[] {
  if (required.length > 0) return required;
  const { required: names } = schema;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

function historyOf(
  { options: { history } }: ExposedSubject,
  messages: readonly AgentMessage[],
): JsonObject {
  if (history === undefined) return {};
  const before = messages.slice(0, -1);
  return {
    [history]: before.map(({ role, content }) => `${role}: ${textOfContent(content)}`).join("\n"),
  };
}

/** Converts a caller's message to the answer to an open wait. */
export function answerFor(
  { key, kind, choices, schema, data: about }: Wait,
  { text = "", data }: { readonly text?: string; readonly data?: JsonValue | undefined },
): ResumeRequest {
  const said = text.trim();
  if (data !== undefined && isResume(data)) return { key, ...data };
  if (schema !== undefined) return { key, value: data ?? jsonOrText(said) };
  if (choices !== undefined) {
    const wanted = typeof data === "string" ? data : said;
    const choice = sameNameIn(wanted, choices);
    return { key, value: choice ?? wanted };
  }
  if (kind !== "human") return { key, value: data ?? said };
  const approve = typeof data === "boolean" ? data : approvalIn(said);
  const isApproval = about?.["tool"] !== undefined;
  return {
    key,
    feedback: said,
    ...(isApproval
      ? { approve: approve ?? false }
      : approve === undefined
        ? undefined
        : { approve }),
    ...(data === undefined || typeof data === "boolean" ? undefined : { value: data }),
  };
}

const YES = /^(?:y|yes|ok(?:ay)?|approved?|accept(?:ed)?|true|confirm(?:ed)?|go(?: ahead)?)\b/i;
const NO = /^(?:n|no|reject(?:ed)?|refused?|deny|denied|decline[d]?|false|cancel|stop)\b/i;

function approvalIn(text: string): boolean | undefined {
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}

/** True for an answer in the form of our own API. */
function isResume(data: JsonValue): data is JsonObject & Omit<ResumeRequest, "key"> {
  if (!isJsonObject(data)) return false;
  const names = Object.keys(data);
  return (
    names.length > 0 &&
    names.every((name) => ["feedback", "approve", "value", "by"].includes(name)) &&
    (data["approve"] === undefined || typeof data["approve"] === "boolean") &&
    (data["feedback"] === undefined || typeof data["feedback"] === "string") &&
    (data["by"] === undefined || typeof data["by"] === "string")
  );
}

function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith("{")) return undefined;
  const value = jsonOrText(text);
  return isJsonObject(value) ? value : undefined;
}
