// Targets and conditions under the names that AG2 gives them, for code that is ported. They are called without `new`.
import { onCondition, onContextCondition } from "./handoffs.ts";
import type {
  OnCondition as ModelCondition,
  OnContextCondition as VariablesCondition,
} from "./handoffs.ts";

export {
  agentTarget as AgentNameTarget,
  agentTarget as AgentTarget,
  askUserTarget as AskUserTarget,
  functionTarget as FunctionTarget,
  groupChatTarget as GroupChatTarget,
  groupManagerTarget as GroupManagerTarget,
  nestedChatTarget as NestedChatTarget,
  randomAgentTarget as RandomAgentTarget,
  revertToUserTarget as RevertToUserTarget,
  stayTarget as StayTarget,
  terminateTarget as TerminateTarget,
} from "./targets.ts";

/** As `onCondition`; as a type, what it makes. */
export const OnCondition = onCondition;
export type OnCondition = ModelCondition;

/** As `onContextCondition`; as a type, what it makes. */
export const OnContextCondition = onContextCondition;
export type OnContextCondition = VariablesCondition;
