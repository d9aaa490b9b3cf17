import type { FinishReason } from "../language-model.ts";

/** Why the model stopped. Some providers say `stop` beside tool calls, so the calls decide. */
export function finishReasonOf(reason: unknown, hasToolCalls: boolean): FinishReason {
  switch (reason) {
    case "stop":
      return hasToolCalls ? "tool_calls" : "stop";
    case "tool_calls":
    case "function_call":
      return "tool_calls";
    case "length":
      return "length";
    case "content_filter":
      return "content_filter";
    default:
      return hasToolCalls ? "tool_calls" : "other";
  }
}
