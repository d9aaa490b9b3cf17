import type { JsonObject } from "../../base/json.ts";
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Member } from "../agents/conversation-member.ts";
import type { SummaryArgs, SummaryMethod } from "../chats/summary-method.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { TransitionTarget } from "../targets/targets.ts";

/** Options of a pattern. `initialAgent` and `agents` are required. */
export type PatternOptions = {
  /** First speaker: one of `agents`, or the user agent. */
  readonly initialAgent: Member;
  /** Agents without the user agent. */
  readonly agents: readonly Member[];
  /** Agent that speaks for a person. */
  readonly userAgent?: ConversableAgent;
  /** Options of the manager: its model selects speakers, its `isTerminationMsg` ends the conversation. */
  readonly groupManager?: Omit<ConversableAgentOptions, "name" | "tools">;
  /** Initial context variables of the members. @default no variables */
  readonly contextVariables?: ContextVariables | JsonObject;
  /** Next target without a matching hand-over; some patterns have their own. @default the end */
  readonly groupAfterWork?: TransitionTarget;
  /** Hides calls that only hand over from members. @default true */
  readonly excludeTransitMessage?: boolean;
  /** Introduces all members to each other first. @default false */
  readonly sendIntroductions?: boolean;
  /** @default "last_msg" */
  readonly summaryMethod?: SummaryMethod | null;
  readonly summaryArgs?: SummaryArgs;
};
