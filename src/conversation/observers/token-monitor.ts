// Monitors the token usage of a run.
//
//   OBT1. One alert when a limit is exceeded, in the turn that exceeds it.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { Alert, AlertSeverity, ConversationObserver } from "./observer.ts";

type TokenMonitorOptions = {
  /** Tokens of all models in the run. @default 50_000 */
  readonly warnAt?: number;
  /** @default 100_000 */
  readonly alertAt?: number;
  /** Severity of the second alert; `fatal` stops the conversation. @default "critical" */
  readonly severity?: AlertSeverity;
};

const OPTIONS = definitionOptions<TokenMonitorOptions>("tokenMonitor()", {
  warnAt: true,
  alertAt: true,
  severity: true,
});

/**
 * Raises an alert when the tokens of the run exceed a limit. Throws `invalid_definition` unless `alertAt` is at least
 * `warnAt`.
 */
export function tokenMonitor(options: TokenMonitorOptions = {}): ConversationObserver {
  refuseUnknownOptions(options, OPTIONS);
  const { warnAt = 50_000, alertAt = 100_000, severity = "critical" } = options;
  if (!(warnAt > 0 && alertAt >= warnAt))
    throw invalidDefinition(
      `a token monitor warns before it alerts, got warnAt ${warnAt}, alertAt ${alertAt}`,
    );
  const limits: ReadonlyArray<readonly [number, AlertSeverity]> = [
    [warnAt, "warning"],
    [alertAt, severity],
  ];
  return {
    name: "token_monitor",
    observe: ({ tokens: { before, after } }) =>
      limits.flatMap(([limit, each]): readonly Alert[] =>
        before < limit && limit <= after
          ? [
              {
                severity: each,
                message: `the run has consumed ${after} tokens, the limit is ${limit}`,
              },
            ]
          : [],
      ),
  };
}
