import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { fingerprintField } from "../../security/security-config.ts";
import { runAdapter } from "./run-adapter.ts";
import { runAgentLoop } from "./agent-loop.ts";
import { goOn, initialProgress, type ReviewProgress } from "./review-progress.ts";
import { changedWork, type AgentWork } from "../agent-work.ts";
import { fill } from "../prompts/prompts.ts";
import { mayPass } from "./may-pass.ts";
import { planned } from "./planned-work.ts";
import { asJsonText } from "./structured-output.ts";

/**
 * Lets an agent do a piece of work and returns its text. After a transient failure the work continues, up to
 * `maxRetryLimit` times, in the conversation so far. That conversation contains the failure, so no ended tool call is
 * repeated. Work without such a conversation starts from the beginning, unless tools have run. Fails with `timeout`
 * after `maxExecutionTime`, counted over all executions and not retried.
 */
export async function executeAgent(scope: RunScope, assigned: AgentWork): Promise<string> {
  const { toolUses = new Map() } = assigned;
  const counted = assigned.toolUses === undefined ? changedWork(assigned, { toolUses }) : assigned;
  const work = hasSkills(counted) ? await withSkills(scope, counted) : counted;
  const { agent, identity, taskName } = work;
  const named = {
    agentRole: identity.role,
    ...(taskName === undefined ? undefined : { taskName }),
  };
  const progress: ReviewProgress = {
    ...initialProgress(),
    messages: work.goesOn,
    failures: work.failures?.mark(),
  };
  const usesBefore = sumOf(toolUses);
  for (let retry = 0; ; retry++) {
    const place = retry === 0 ? scope : scope.at(`retry:${retry}`);
    const started = {
      ...named,
      tools: work.tools.map((tool) => tool.safeName),
      taskPrompt: cut(work.prompt, MAX_EVENT_TEXT),
      ...fingerprintField(agent),
    };
    const inner = place.open("agent_execution_started", started);
    try {
      const answer = await doWork(inner, work, progress);
      const output = work.answerSchema === undefined ? answer : asJsonText(answer);
      place.emit("agent_execution_completed", { ...named, output: cut(output, MAX_EVENT_TEXT) });
      return output;
    } catch (error) {
      const outOfTime = isOutOfTime(place, work, error);
      const failure = outOfTime ? overTime(work) : error;
      const message = errorMessage(failure);
      place.emit("agent_execution_error", { ...named, error: message, attempt: retry + 1 });
      if (outOfTime || !mayPass(failure) || retry >= agent.maxRetryLimit) throw failure;
      if (goOn(progress, fill(work.prompts.errors.goOnAfterFailure, { error: message }))) continue;
      if (progress.hasActed === true || sumOf(toolUses) > usesBefore) throw failure;
      if (progress.failures !== undefined) work.failures?.returnTo(progress.failures);
    }
  }
}

function sumOf(uses: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const count of uses.values()) sum += count;
  return sum;
}

function hasSkills({ agent, crewSkills }: AgentWork): boolean {
  return agent.skills !== undefined || crewSkills !== undefined;
}

// The first agent with skills loads their code.
async function withSkills(scope: RunScope, work: AgentWork): Promise<AgentWork> {
  const { addSkills } = await scope.load(() => import("../skills/add-skills.ts"));
  return addSkills(scope, work);
}

function doWork(scope: RunScope, work: AgentWork, progress: ReviewProgress): Promise<string> {
  const { around } = work;
  if (around === undefined) return doAlone(scope, work, progress);
  const alone = changedWork(work, { around: undefined });
  return around(scope, alone, (place, each) => doAlone(place, each, initialProgress()));
}

function doAlone(scope: RunScope, work: AgentWork, progress: ReviewProgress): Promise<string> {
  const { adapter, planningConfig } = work.agent;
  if (adapter !== undefined) return runAdapter(scope, work, progress);
  // Once an answer was reviewed, the conversation about it continues without a new plan.
  return planningConfig === undefined || progress.messages !== undefined
    ? runAgentLoop(scope, work, progress)
    : planned(scope, work, progress);
}

/** True if the time limit of the whole task expired, not the limit of one call. */
function isOutOfTime(place: RunScope, { deadlineAtMs }: AgentWork, error: unknown): boolean {
  return (
    deadlineAtMs !== undefined &&
    EngineError.is(error) &&
    error.code === "timeout" &&
    place.at("timeout").now() >= deadlineAtMs
  );
}

function overTime({ agent, identity, taskName }: AgentWork): EngineError {
  const what = taskName === undefined ? "its work" : `task "${taskName}"`;
  return new EngineError(
    "timeout",
    `agent "${identity.role}" did not finish ${what} within maxExecutionTime (${agent.maxExecutionTime} s)`,
  );
}
