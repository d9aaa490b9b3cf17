// Questions of a run to people as interrupts, and their answers.
//
//   UQ1. All answers of a request are checked before the first is sent.
//   UQ2. `cancelled` refuses a tool call. Any other question has no such answer, and the run is cancelled.
//   UQ3. An interrupt does not repeat the draft that its question is about, if the thread shows it as a message.
import { EngineError, unreachable } from "../../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { validateJsonSchema } from "../../base/json-schema.ts";
import type { ResumeRequest } from "../../runtime/handle/run-handle.ts";
import type { Wait } from "../../runtime/run.ts";
import { promptAlone, promptTexts } from "../run-state.ts";
import { callPathOf, interruptIdOf, toolCallIdOf } from "./ids.ts";
import type { AgUiInterrupt, AgUiMessage } from "./wire.ts";

const APPROVAL: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    editedArgs: { type: "object", description: "Take the place of all arguments." },
    reason: { type: "string" },
  },
  required: ["approved"],
};

const REVIEW: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, feedback: { type: "string" } },
};

/** Kind of answer to a wait. */
type Asked = "approval" | "review" | "data" | "choice" | "text";

function askedBy({ key, kind, schema, choices, subject, data }: Wait): Asked {
  if (schema !== undefined) return "data";
  if (choices !== undefined) return "choice";
  if (kind === "human" && typeof data?.["tool"] === "string") return "approval";
  if (/(?:^|\/)approval:[^/]+$/.test(key)) return "approval"; // already settled: only its place is known
  return kind === "human" && subject !== undefined ? "review" : "text";
}

/** Returns the interrupt for an open wait of a thread with these messages. */
export function interruptOf(
  runId: string,
  wait: Wait,
  messages: readonly AgUiMessage[],
): AgUiInterrupt {
  const { key, schema, choices, expiresAt, data } = wait;
  const asked = askedBy(wait);
  const path = callPathOf(key);
  const id = interruptIdOf(runId, key);
  const message = questionAbout(wait, messages);
  const shared = {
    id,
    ...(message === "" ? undefined : { message }),
    ...(expiresAt === undefined ? undefined : { expiresAt }),
  };
  switch (asked) {
    case "approval": {
      const toolCallId = path === undefined ? {} : { toolCallId: toolCallIdOf(runId, path) };
      const { tool, arguments: input } = data ?? {};
      const about = tool === undefined ? {} : { metadata: { tool, arguments: input } };
      return { ...shared, reason: "tool_call", ...toolCallId, responseSchema: APPROVAL, ...about };
    }
    case "review":
      return { ...shared, reason: "confirmation", responseSchema: REVIEW };
    case "data":
      return { ...shared, reason: "input_required", responseSchema: schema ?? {} };
    case "choice":
      return {
        ...shared,
        reason: "input_required",
        responseSchema: { type: "string", enum: [...(choices ?? [])] },
      };
    case "text":
      return { ...shared, reason: "input_required", responseSchema: { type: "string" } };
    default:
      return unreachable(asked);
  }
}

function questionAbout({ prompt, subject }: Wait, messages: readonly AgUiMessage[]): string {
  const draft = subject?.trim() ?? "";
  const isShown = messages.some(
    (each) => each.role === "assistant" && draft !== "" && each.content?.trim().endsWith(draft),
  );
  const text = isShown ? promptAlone({ ...(prompt && { prompt }), subject: draft }) : "";
  return text || promptTexts({ prompt, subject }).join("\n\n");
}

/** Returns the answer to a wait. Fails with `invalid_input` for an invalid payload. */
export function resumeOf(wait: Wait, payload: JsonValue | undefined): ResumeRequest {
  const { key, schema } = wait;
  const asked = askedBy(wait);
  switch (asked) {
    case "approval": {
      const { approved, editedArgs, reason } = fieldsOf(payload) ?? { approved: payload ?? null };
      if (typeof approved !== "boolean") throw unfit(key, "{ approved: true or false }", payload);
      if (editedArgs !== undefined && !isJsonObject(editedArgs))
        throw unfit(key, "an object as editedArgs", editedArgs);
      if (reason !== undefined && typeof reason !== "string")
        throw unfit(key, "a text as reason", reason);
      return {
        key,
        approve: approved,
        ...(editedArgs === undefined ? undefined : { value: editedArgs }),
        ...(reason === undefined ? undefined : { feedback: reason }),
      };
    }
    case "review": {
      if (typeof payload === "boolean") return { key, approve: payload };
      if (typeof payload === "string") return { key, feedback: payload };
      const { approved, feedback } = fieldsOf(payload) ?? {};
      const fits =
        (typeof approved === "boolean" || approved === undefined) &&
        (typeof feedback === "string" || feedback === undefined) &&
        (approved !== undefined || feedback !== undefined);
      if (!fits) throw unfit(key, "{ approved, feedback }, or one of both", payload);
      return {
        key,
        ...(approved === undefined ? undefined : { approve: approved }),
        ...(feedback === undefined ? undefined : { feedback }),
      };
    }
    case "data": {
      if (payload === undefined) throw unfit(key, "data that fits responseSchema", payload);
      const issues = validateJsonSchema(schema ?? {}, payload);
      if (issues.length === 0) return { key, value: payload };
      const details = issues.map(({ path, message }) => `${path || "/"}: ${message}`).join("; ");
      throw new EngineError(
        "invalid_input",
        `the payload does not fit responseSchema: ${details}`,
        {
          issues,
        },
      );
    }
    case "choice":
    case "text": {
      if (typeof payload === "string" && wait.choices === undefined && wait.kind === "human")
        return { key, feedback: payload };
      if (typeof payload === "string") return { key, value: payload };
      if (wait.choices !== undefined || payload === undefined) throw unfit(key, "a text", payload);
      return { key, value: payload };
    }
    default:
      return unreachable(asked);
  }
}

/** Returns the answer for a cancelled interrupt; undefined if the wait has none. */
export function abandonedOf(wait: Wait): ResumeRequest | undefined {
  if (askedBy(wait) !== "approval") return undefined;
  return { key: wait.key, approve: false, feedback: "Nobody answered." };
}

function fieldsOf(payload: JsonValue | undefined): JsonObject | undefined {
  return payload !== undefined && isJsonObject(payload) ? payload : undefined;
}

function unfit(key: string, expected: string, payload: JsonValue | undefined): EngineError {
  return new EngineError(
    "invalid_input",
    `the payload for ${key} must be ${expected}, got ${payload === undefined ? "none" : preview(payload)}`,
  );
}
