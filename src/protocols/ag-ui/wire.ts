// The protocol's own types, without its values: those would load validators not needed in a Worker.
import type { Event, Interrupt, Message, RunAgentInput, RunFinishedOutcome } from "@ag-ui/core";

/** Makes the type a plain text: the package's is an enum, which is a value. */
type Plain<Any> = Any extends { readonly type: infer Type extends string }
  ? Omit<Any, "type"> & { readonly type: `${Type}` }
  : never;

/** An event to send. */
export type AgUiEvent = Plain<Event>;
export type AgUiMessage = Message;
export type AgUiInterrupt = Interrupt;
export type AgUiOutcome = RunFinishedOutcome;
export type AgUiInput = RunAgentInput;

/** Supported version. */
export const AG_UI_VERSION = "1.0";

/**
 * Returns the end of a part with calls of front-end tools. Front ends older than 1.0 send no version, parse strictly,
 * and refuse the list of these calls; they know them from their events. An empty list is omitted.
 */
export function successOf(
  protocolVersion: string | undefined,
  pending: readonly string[],
): AgUiOutcome {
  return protocolVersion === undefined || pending.length === 0
    ? { type: "success" }
    : { type: "success", pendingToolCallIds: [...pending] };
}
