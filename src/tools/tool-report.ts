import { EngineError, errorMessage, type ErrorCode, type ErrorRecord } from "../base/error.ts";
import type { Usage } from "../base/usage.ts";
import type { ToolAccountFields } from "./tool-accounts.ts";
import type { ToolFailureRecord } from "./tool-failure.ts";

/**
 * Work of a tool call beside returning text. It is stored with the call, so replay has it without the call's own steps.
 */
export type ToolWork = ToolAccountFields & {
  /** Usage of the model calls within the tool call. */
  readonly usage: Usage;
  /** Roles of the agents that received work, one entry for each delegation. */
  readonly delegatedTo: readonly string[];
  /** Failures of tools within the tool call. */
  readonly failures?: readonly ToolFailureRecord[];
  /** Error that ended the agents' work and also ends their caller's, as no model may bypass it. */
  readonly raised?: Pick<ErrorRecord, "code" | "message">;
};

/** Result of a tool that delegates to agents: the text for the model, and the work counted for its caller. */
export class ToolReport {
  readonly text: string;
  readonly work: ToolWork;

  constructor(text: string, work: ToolWork) {
    this.text = text;
    this.work = work;
  }
}

/** Errors of hooks and failure policies. They end the caller's work and do not become a text for its model. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "hook_aborted",
  "tool_failure_raised",
]);

/** Returns the error if it ends more than the tool call; undefined for an error that is a text for the caller. */
export function raisedBy(error: unknown): ToolWork["raised"] {
  return EngineError.is(error) && ENDS_ALL.has(error.code)
    ? { code: error.code, message: errorMessage(error) }
    : undefined;
}
