import { EngineError, errorMessage, type ErrorCode, type ErrorRecord } from "../base/error.ts";
import type { Usage } from "../base/usage.ts";
import type { ToolAccountFields } from "./tool-accounts.ts";
import type { ToolFailureRecord } from "./tool-failure.ts";

/** What a tool call did besides returning text. It is stored with the call, so that replay has it without the call's own steps. */
export type ToolWork = ToolAccountFields & {
  /** Of the model calls that were made on the way. */
  readonly usage: Usage;
  /** Roles of the agents that received work, one entry for each delegation. */
  readonly delegatedTo: readonly string[];
  /** What tools failed at on the way. */
  readonly failures?: readonly ToolFailureRecord[];
  /** What ended the agents' work and ends that of their caller, too, as no model may get round it. */
  readonly raised?: Pick<ErrorRecord, "code" | "message">;
};

/** The result of a tool that delegates to agents: the text for the model, and the work that counts for its caller. */
export class ToolReport {
  readonly text: string;
  readonly work: ToolWork;

  constructor(text: string, work: ToolWork) {
    this.text = text;
    this.work = work;
  }
}

/** Errors of hooks and failure policies, which end the caller's work instead of being a text for its model. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "hook_aborted",
  "tool_failure_raised",
]);

/** What an error on the way ends beyond the tool call; undefined for one that is a text for the caller. */
export function raisedBy(error: unknown): ToolWork["raised"] {
  return EngineError.is(error) && ENDS_ALL.has(error.code)
    ? { code: error.code, message: errorMessage(error) }
    : undefined;
}
