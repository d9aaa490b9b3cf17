import type { RunScope } from "../events/run-scope.ts";

/** An agent's answer before it counts. */
export type ReviewedAnswer = {
  /** The agent's place in the run: what the review does goes below it. */
  readonly scope: RunScope;
  readonly answer: string;
  /** 1 for the first answer. */
  readonly round: number;
};

/**
 * Looks at an agent's answer before it counts. Answers what to tell the agent, which then goes on in the same
 * conversation with all its turns anew; undefined lets the answer stand. What it does passes through `scope`.
 */
export type AnswerReview = (reviewed: ReviewedAnswer) => Promise<string | undefined>;
