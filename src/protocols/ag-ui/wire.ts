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

/** The end of a part. `runId` is the id of the request. */
type End = Omit<Extract<AgUiEvent, { type: "RUN_FINISHED" }>, "type" | "outcome"> & {
  /** Version in the request; absent from front ends older than 1.0. */
  readonly protocolVersion: string | undefined;
  readonly outcome: AgUiOutcome;
};

/**
 * Returns the last event of a part. Front ends older than 1.0 send no version, parse strictly, and fail at an outcome
 * that they do not know: they get no list of calls, which they know from its events, and no outcome of a cancelled run.
 */
export function finishedEvent({ protocolVersion, outcome, ...end }: End): AgUiEvent {
  const { type } = outcome;
  if (protocolVersion !== undefined || type === "interrupt")
    return { type: "RUN_FINISHED", ...end, outcome };
  return { type: "RUN_FINISHED", ...end, ...(type === "success" ? { outcome: { type } } : {}) };
}

/** Returns the outcome of a part with these calls of front-end tools. */
export function successOf(pending: readonly string[]): AgUiOutcome {
  return pending.length === 0
    ? { type: "success" }
    : { type: "success", pendingToolCallIds: [...pending] };
}
