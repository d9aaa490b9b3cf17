import { cut, MAX_EVENT_TEXT } from "../base/cut.ts";
import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { fingerprintField } from "../security/security-config.ts";
import { runAdapter } from "./agent-adapter.ts";
import { initialProgress, runAgentLoop, type ReviewProgress } from "./agent-loop.ts";
import type { AgentWork } from "./agent-work.ts";
import { planAndExecute } from "./planning/plan-and-execute.ts";
import { addSkills } from "./skills/add-skills.ts";

/** Failures of one execution that a fresh one may not meet again. All others end the task at once. */
const WORTH_RETRYING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_failed",
  "model_rate_limited",
  "timeout",
  "tool_failed",
  "agent_failed",
  "internal",
]);

/**
 * Has an agent do a piece of work; answers its text. A failure that may pass begins it anew, up to `maxRetryLimit`
 * times: from what a reviewer last said of an answer, if one did. `timeout` when `maxExecutionTime` is over: counted over all executions, and not retried.
 */
export async function executeAgent(scope: RunScope, assigned: AgentWork): Promise<string> {
  const work = addSkills(scope, assigned);
  const { agent, identity, taskName } = work;
  for (const [index, message] of agent.warnings.entries())
    scope.emit("agent_warning", { agentRole: identity.role, message }, index);
  const named = {
    agentRole: identity.role,
    ...(taskName === undefined ? undefined : { taskName }),
  };
  const progress = initialProgress();
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
      const output = await doWork(inner, work, progress);
      place.emit("agent_execution_completed", { ...named, output: cut(output, MAX_EVENT_TEXT) });
      return output;
    } catch (error) {
      const outOfTime = isOutOfTime(place, work, error);
      const failure = outOfTime ? overTime(work) : error;
      place.emit("agent_execution_error", {
        ...named,
        error: errorMessage(failure),
        attempt: retry + 1,
      });
      const mayPass = EngineError.is(failure) ? WORTH_RETRYING.has(failure.code) : true;
      if (outOfTime || !mayPass || retry >= agent.maxRetryLimit) throw failure;
    }
  }
}

function doWork(scope: RunScope, work: AgentWork, progress: ReviewProgress): Promise<string> {
  const { adapter, planningConfig } = work.agent;
  if (adapter !== undefined) return runAdapter(scope, work, progress);
  // Once an answer was reviewed, the conversation about it goes on, and nothing is planned anew.
  return planningConfig === undefined || progress.messages !== undefined
    ? runAgentLoop(scope, work, progress)
    : planAndExecute(scope, work, progress);
}

/** Whether it was the time for the whole task that ran out, not that for one call. */
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
