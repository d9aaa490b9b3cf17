import { workerModel } from "../../agent/worker-model.ts";
import type { AgentWork } from "../../agent/agent-work.ts";
import { mergePrompts } from "../../agent/prompts/prompts.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { activeHooks } from "../../hooks/dispatch.ts";
import { callerStreams } from "../../model-calls/caller-stream.ts";
import type { Budget } from "../../model-calls/model-caller.ts";
import { RateLimiter } from "../../model-calls/rate-limiter.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { ToolFailureLog } from "../../tools/tool-failure.ts";
import type { ConversationMember } from "./conversation-member.ts";

/** Returns an agent's work in one drive of a run: its model, hooks and meter. */
export function memberWork(scope: RunScope, agent: ConversationMember, budget: Budget): AgentWork {
  const { inner, name, description, systemMessage } = agent;
  return {
    agent: inner,
    identity: { role: name, goal: description, backstory: systemMessage },
    model: workerModel(scope, inner.llm),
    prompts: mergePrompts(inner.prompts),
    prompt: "",
    tools: agent.offeredTools,
    hooks: activeHooks(scope, inner.hooks, { agentRole: name, roles: [name] }),
    toolFailurePolicy: inner.toolFailurePolicy,
    failures: new ToolFailureLog(),
    limiter: inner.maxRpm === undefined ? undefined : new RateLimiter(inner.maxRpm),
    budget,
    stream: inner.stream ?? callerStreams(scope.services),
    meter: new UsageMeter(),
    security: {
      get agentFingerprint() {
        return inner.fingerprint;
      },
    },
    toolUses: new Map(),
  };
}
