import type { RunScope } from "../../events/run-scope.ts";

/** An agent's answer before it counts. */
export type ReviewedAnswer = {
  /** Place of the agent in the run; the review works below it. */
  readonly scope: RunScope;
  readonly answer: string;
  /** 1 for the first answer. */
  readonly round: number;
};

/**
 * Reviews an agent's answer before it counts. Returns a message for the agent, which then continues in the same
 * conversation with its full number of turns; undefined accepts the answer. Its effects pass through `scope`.
 */
export type AnswerReview = (reviewed: ReviewedAnswer) => Promise<string | undefined>;
