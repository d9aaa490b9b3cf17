// Quirks of endpoints. After such a refusal the model is asked again at once in the required form, and from then on
// only in this form. The refusal costs no tokens, so the repetition belongs to the same attempt.
import type { EngineError } from "../../base/error.ts";

export type Quirk =
  /** The model is reached by the Responses API only. */
  | "responses"
  /** Tools go with no reasoning effort but `none`. */
  | "no-effort-with-tools"
  /** Stop words are refused. */
  | "no-stop"
  /** User and assistant must take turns. */
  | "alternate"
  /** Answers are streamed only. */
  | "streams"
  /** The stored response to continue from is gone. Holds for one call only. */
  | "chain-lost";

/** Returns the quirk behind a refusal; undefined without one. */
export function quirkOf({ code, message }: EngineError): Quirk | undefined {
  if (code !== "model_rejected") return undefined;
  const text = message.toLowerCase();
  // "Function tools with reasoning_effort are not supported for … in /v1/chat/completions. To use function tools, use …"
  if (/\btools?\b/.test(text) && text.includes("reasoning_effort")) return "no-effort-with-tools";
  if (
    /\bonly (?:\w+ ){0,4}(?:in|with|by|via|through|on) (?:the )?(?:\/?v1\/)?responses\b/.test(text)
  )
    return "responses";
  if (/previous[ _]response/.test(text) && /not[ _]found|expired|no longer/.test(text))
    return "chain-lost";
  if (
    /\bstop\b/.test(text) &&
    /unsupported|not supported|not support|unknown|unrecognized/.test(text)
  )
    return "no-stop";
  // "This model only support stream mode", "enable_thinking must be set to false for non-streaming calls"
  if (/only supports? stream|non-streaming calls/.test(text)) return "streams";
  return /roles? must alternate|after the (?:optional )?system message/.test(text)
    ? "alternate"
    : undefined;
}

/** True when the refusal names the Responses API as the way out. */
export function namesResponses({ message }: EngineError): boolean {
  return message.includes("v1/responses");
}
