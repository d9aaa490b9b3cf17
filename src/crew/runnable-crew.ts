import type { AgentDescription } from "../agent/description/agent-description.ts";
import type { Agent } from "../agent/description/agent.ts";
import type { Prompts } from "../agent/prompts/prompts.ts";
import type { SecurityConfig } from "../security/security-config.ts";
import type { CrewIteration } from "./actions/crew-iteration.ts";
import type { CrewOptions } from "./crew-options.ts";
import type { Task } from "./tasks/task.ts";

/** Fields of a crew for a run. */
export type RunnableCrew = {
  readonly name: string;
  /** The agents without the manager. */
  readonly agents: readonly Agent[];
  readonly manager: Agent | undefined;
  readonly tasks: readonly Task[];
  readonly taskKeys: readonly string[];
  readonly prompts: Prompts;
  readonly securityConfig?: SecurityConfig;
  readonly options: CrewOptions;
  /** Lessons for this run, in place of the crew's stored training. */
  readonly lessons?: Lessons;
  /** Present while the crew is trained or tested. */
  readonly iteration?: CrewIteration;
  /** Name by which child runs find this crew; absent for a crew inside another run. */
  readonly foundAs?: string;
};

/** Lessons of the agents of a crew. */
export interface Lessons {
  /** The text at the end of an agent's prompts. */
  textFor(agent: Pick<AgentDescription, "role">, prompts: Prompts): string | undefined;
}
