import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import { toldFingerprint } from "../security/security-config.ts";
import { cut } from "../tools/call-tool.ts";
import { firstRound, runAgentLoop } from "./agent-loop.ts";
import type { AgentWork } from "./agent-work.ts";

/** Failures of one execution that a fresh one may not meet again. All others end the task at once. */
const WORTH_RETRYING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_failed",
  "model_rate_limited",
  "timeout",
  "tool_failed",
  "agent_failed",
  "internal",
]);

const MAX_EVENT_TEXT = 16_384;

/**
 * Has an agent do a piece of work; answers its text. A failure that may pass begins it anew, up to `maxRetryLimit`
 * times: from what a reviewer last said of an answer, if one did. `timeout` when `maxExecutionTime` is over: counted over all executions, and not retried.
 */
export async function executeAgent(scope: RunScope, work: AgentWork): Promise<string> {
  const { agent, identity, taskName } = work;
  const named = {
    agentRole: identity.role,
    ...(taskName === undefined ? undefined : { taskName }),
  };
  const rounds = firstRound();
  for (let retry = 0; ; retry++) {
    const place = retry === 0 ? scope : scope.at(`retry:${retry}`);
    const started = {
      ...named,
      tools: work.tools.map((tool) => tool.safeName),
      taskPrompt: cut(work.prompt, MAX_EVENT_TEXT),
      ...toldFingerprint(agent),
    };
    const inner = place.open("agent_execution_started", started);
    try {
      const output = await runAgentLoop(inner, work, rounds);
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
