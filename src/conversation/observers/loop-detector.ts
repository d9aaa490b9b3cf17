// Detects an agent that repeats the same tool call.
//
//   OBL1. `repeat` equal calls in a row are a loop: one alert at that number, and no further alert for more of them.
//   OBL2. Arguments are compared as JSON, independent of the order of fields. Calls beyond the window are forgotten.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { canonicalJson, preview, type JsonValue } from "../../base/json.ts";
import type { AlertSeverity, ConversationObserver } from "./observer.ts";

type LoopDetectorOptions = {
  /** Number of last calls to compare. @default 10 */
  readonly window?: number;
  /** @default 3 */
  readonly repeat?: number;
  /** `fatal` stops the conversation before the call is executed. @default "warning" */
  readonly severity?: AlertSeverity;
};

const OPTIONS = definitionOptions<LoopDetectorOptions>("loopDetector()", {
  window: true,
  repeat: true,
  severity: true,
});

/**
 * Raises an alert when an agent makes the same call `repeat` times in a row. Throws `invalid_definition` for numbers
 * that can detect no loop.
 */
export function loopDetector(options: LoopDetectorOptions = {}): ConversationObserver {
  refuseUnknownOptions(options, OPTIONS);
  const { window = 10, repeat = 3, severity = "warning" } = options;
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
