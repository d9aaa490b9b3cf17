import type { AgentIdentity } from "../agent/agent-work.ts";
import type { Agent } from "../agent/description/agent.ts";
import type { LanguageModel } from "../llm/language-model.ts";

/** An agent with the run's inputs in its texts, and its model. */
export type PreparedAgent = {
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};
