// Finds an agent that calls the same tool in the same way again and again.
//
//   OBL1. Equal calls in a row are a loop: one alert when they are as many as that, and no further one for more of them.
//   OBL2. Arguments are equal as JSON, whatever the order of their fields. Calls beyond the window are forgotten.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { canonicalJson, preview, type JsonValue } from "../../base/json.ts";
import type { AlertSeverity, ConversationObserver } from "./observer.ts";

/** Raises an alert when an agent makes the same call so often in a row. Throws `invalid_definition` for numbers that find nothing. */
export function loopDetector({
  window = 10,
  repeat = 3,
  severity = "warning",
}: {
  /** How many of the last calls are looked at. @default 10 */
  readonly window?: number;
  /** @default 3 */
  readonly repeat?: number;
  /** `fatal` stops the conversation before the call is executed. @default "warning" */
  readonly severity?: AlertSeverity;
} = {}): ConversationObserver {
  if (!Number.isInteger(repeat) || repeat < 2 || !Number.isInteger(window) || window < repeat)
    throw invalidDefinition(
      `a loop is at least 2 calls, and a window at least as many as those: got repeat ${preview(repeat)}, window ${preview(window)}`,
    );
  return {
    name: "loop_detector",
    observe: ({ agent, messages }) => {
      const calls = messages.flatMap(({ role, toolCalls = [] }) =>
        role === "assistant" ? toolCalls : [],
      );
      const now = messages.at(-1)?.toolCalls?.length ?? 0;
      const alerts: string[] = [];
      for (let end = calls.length - now + 1; end <= calls.length; end++) {
        const seen = calls.slice(Math.max(0, end - window), end).map(signature);
        const last = seen.at(-1);
        const before = seen.findLastIndex((each) => each !== last);
        if (seen.length - 1 - before === repeat) alerts.push(calls[end - 1]?.name ?? "");
      }
      return alerts.map((tool) => ({
        severity,
        message: `${agent} called ${tool} ${repeat} times in a row with the same arguments`,
      }));
    },
  };
}

function signature({
  name,
  arguments: input,
}: {
  readonly name: string;
  readonly arguments: string;
}): string {
  try {
    return `${name} ${canonicalJson(JSON.parse(input) as JsonValue)}`;
  } catch {
    return `${name} ${input}`;
  }
}
