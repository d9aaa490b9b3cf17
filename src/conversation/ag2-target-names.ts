// The targets under the names that AG2 gives them, for code that is ported. They are called without `new`.
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
export {
  onCondition as OnCondition,
  onContextCondition as OnContextCondition,
} from "./handoffs.ts";
