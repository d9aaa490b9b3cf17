// AG2's names for targets and conditions, for ported code. Call them without `new`.
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

/** Same as `onCondition`. The type is its result. */
export const OnCondition = onCondition;
export type OnCondition = ModelCondition;

/** Same as `onContextCondition`. The type is its result. */
export const OnContextCondition = onContextCondition;
export type OnContextCondition = VariablesCondition;
