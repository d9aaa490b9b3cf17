import type { RunScope } from "../../events/run-scope.ts";
import { callModel } from "../../model-calls/model-call.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import type { AgentWork } from "../agent-work.ts";
import type { PlanHands } from "../planning/planner.ts";
import { AgentLoop, runAgentLoop } from "./agent-loop.ts";
import { beginRound, type ReviewProgress } from "./review-progress.ts";
import { readAnswer } from "./read-answer.ts";
import { notifyStep } from "./step-callback.ts";

/**
 * Functions of the loop for planning. Planning is loaded late and imports none of them: a bundle without chunks would wrap
 * the whole loop.
 */
const HANDS: PlanHands = {
  converse: (place, work, frame) => new AgentLoop(place, work, { frame }),
  readAnswer,
  ask: (place, work, { purpose = "plan", ...asked }) => {
    const transcript = new Transcript(asked.messages);
    const request = { ...asked, messages: transcript.messages };
    return callModel(place, work, { request, inputHash: transcript.hash, purpose });
  },
};

/** Does a piece of work by a plan. A refused answer is mended in a conversation, without a new plan. */
export async function planned(
  scope: RunScope,
  work: AgentWork,
  progress: ReviewProgress,
): Promise<string> {
  const { planAndExecute } = await scope.load(() => import("../planning/plan-and-execute.ts"));
  const done = await planAndExecute(scope, work, HANDS);
  if (typeof done !== "string") return runAgentLoop(scope, done, progress);
  const message = await work.review?.({ scope, answer: done, round: progress.round });
  if (message !== undefined) {
    beginRound(progress, work, [
      ...new AgentLoop(scope, work).messages,
      { role: "assistant", content: done },
      { role: "user", content: message },
    ]);
    return runAgentLoop(scope, work, progress);
  }
  await notifyStep(scope.at("step-callback"), work, {
    kind: "finish",
    agentRole: work.identity.role,
    output: done,
  });
  return done;
}
