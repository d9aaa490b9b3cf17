// The progress of an answer through its reviews, so another execution of the work continues it.
import type { Message } from "../../llm/language-model.ts";
import type { FailureMark } from "../../tools/tool-failure.ts";
import type { AgentWork } from "../agent-work.ts";

/** The progress of an answer through its reviews. */
export type ReviewProgress = {
  round: number;
  /** Conversation at the start of the round; undefined for the first round. */
  messages: readonly Message[] | undefined;
  /** The tool failures before the round. */
  failures?: FailureMark | undefined;
  /** True if an execution without a resumable conversation has recorded tool calls. */
  hasActed?: boolean | undefined;
  /** Conversation up to the failure. */
  reached?: readonly Message[] | undefined;
};

/** The progress before the first round. */
export function initialProgress(): ReviewProgress {
  return { round: 1, messages: undefined };
}

/** The answer was sent back: another execution of the work continues with `messages`. */
export function beginRound(
  progress: ReviewProgress,
  { failures }: AgentWork,
  messages: readonly Message[],
): void {
  progress.messages = messages;
  progress.failures = failures?.mark();
  progress.round++;
}

/**
 * Lets the next execution continue from the failure of this one, after `message`. Returns false if the point of failure
 * is unknown.
 */
export function goOn(progress: ReviewProgress, message: string): boolean {
  const { reached } = progress;
  if (reached === undefined) return false;
  progress.messages = [...reached, { role: "user", content: message }];
  progress.reached = undefined;
  return true;
}
