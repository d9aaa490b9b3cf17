import type { FinishReason } from "../language-model.ts";

export function finishReasonOf(reason: unknown, hasCalls: boolean): FinishReason {
  switch (reason) {
    case "STOP":
      return hasCalls ? "tool_calls" : "stop";
    case "MAX_TOKENS":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
      return "content_filter";
    default:
      return "other";
  }
}
