// Signatures of thoughts, which Gemini requires back with its calls and texts. A call keeps its signature in the form
// of Gemini's endpoint in OpenAI's dialect, which may have made it or may read it next.
import type { JsonObject } from "../base/json.ts";
import { fieldsOf, textOf } from "./wire.ts";

/** Replaces the signature of another model's call: ai.google.dev/gemini-api/docs/thought-signatures#faqs. */
export const UNSIGNED_CALL = "skip_thought_signature_validator";

/** Returns the part to keep of a signed call. */
export function signedCall(id: string, signature: string): JsonObject {
  const fields = { extra_content: { google: { thought_signature: signature } } };
  return { type: "openai.tool_call", id, fields };
}

/** Returns the signature of a call; empty without one. */
export function signatureOf(parts: readonly JsonObject[], id: string): string {
  const kept = parts.find((part) => part["type"] === "openai.tool_call" && part["id"] === id);
  const google = fieldsOf(fieldsOf(fieldsOf(kept?.["fields"])["extra_content"])["google"]);
  return textOf(google["thought_signature"]);
}
