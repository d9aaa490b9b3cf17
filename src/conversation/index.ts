/** Agents that talk with each other and with people: chats of two, groups, hand-overs. */

export { ConversableAgent } from "./agents/conversable-agent.ts";
export { AssistantAgent, UserProxyAgent } from "./agents/presets.ts";
export { registerFunction, Toolkit } from "./agents/toolkit.ts";
export { MultimodalConversableAgent } from "./capabilities/multimodal-agent.ts";
export { ReasoningAgent } from "./capabilities/reasoning/reasoning-agent.ts";
export {
  preferenceDataset,
  sftDataset,
  treeMermaid,
  treeText,
} from "./capabilities/reasoning/think-node.ts";
export { RetrieveAssistantAgent, RetrieveUserProxyAgent } from "./capabilities/retrieve-agents.ts";
export { Teachability } from "./capabilities/teachability.ts";
export { TransformMessages } from "./capabilities/transform-messages.ts";
export { UpdateSystemMessage } from "./capabilities/update-system-message.ts";
export { chatAdapter } from "./chats/chat-adapter.ts";
export { chatTool } from "./chats/chat-tool.ts";
export { initiateChats, initiateParallelChats } from "./chats/initiate-chats.ts";
export { ContextVariables } from "./context-variables.ts";
export { GroupChat } from "./groups/group-chat.ts";
export { GroupChatManager } from "./groups/group-chat-manager.ts";
export {
  AutoPattern,
  DefaultPattern,
  GraphPattern,
  GroupPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
} from "./groups/patterns.ts";
export { initiateGroupChat, startGroupChat } from "./groups/initiate-group-chat.ts";
export { ag2Events, Ag2View } from "./runs/ag2-events.ts";
export { consoleProcessor } from "./runs/console-processor.ts";
export { sequentialRun } from "./runs/sequential-run.ts";
export { applySafeguardPolicy, resetSafeguardPolicy } from "./safeguards/active-policy.ts";
export { modelGuardrail, regexGuardrail } from "./safeguards/guardrails.ts";
export { contextCondition, Handoffs, onCondition, onContextCondition } from "./handoffs.ts";
export {
  agentTarget,
  askUserTarget,
  functionTarget,
  groupChatTarget,
  groupManagerTarget,
  nestedChatTarget,
  randomAgentTarget,
  revertToUserTarget,
  stayTarget,
  terminateTarget,
} from "./targets.ts";
export * from "./ag2-target-names.ts";
export { ReplyResult } from "./tool-results.ts";
export { roundRobinGraph, sequenceGraph } from "./transition-graph.ts";
export { containsTermination, isExactTermination } from "./termination.ts";
export {
  messageHistoryLimiter,
  messageNames,
  messageTokenLimiter,
  textCompressor,
} from "./transforms.ts";
export { chatContext, contextVariables } from "./turns/tool-injections.ts";

export type { Member } from "./agents/conversable-agent.ts";
export type { ConversableAgentOptions } from "./agents/conversable-agent-options.ts";
export type { ConversationHookName, ConversationHooks } from "./agents/conversation-hooks.ts";
export type { Carryover } from "./carryover.ts";
export type { ChatCost } from "./chats/chat-place.ts";
export type { PrerequisiteChat, QueuedChat } from "./chats/chat-queue.ts";
export type { SummaryArgs, SummaryMethod } from "./chats/chat-summary.ts";
export type { ChatRunOptions } from "./chats/conversation-run.ts";
export type { HostedTalk } from "./chats/group-host.ts";
export type { OpeningMessage } from "./chats/opening.ts";
export type { ChatOptions, ChatResult } from "./chats/two-agent-chat.ts";
export type { GroupChatOptions } from "./groups/group-chat.ts";
export type { GroupChatManagerOptions } from "./groups/group-chat-manager.ts";
export type { GroupChatRequest } from "./groups/initiate-group-chat.ts";
export type { PatternOptions } from "./groups/patterns.ts";
export type { GroupChatResult } from "./groups/run-pattern.ts";
export type { SelectionAbout, SelectionFunction } from "./groups/selection/classic-selection.ts";
export type { ConversationGuardrail } from "./safeguards/guardrails.ts";
export type { ContextCondition } from "./handoffs.ts";
export type { ConversationMessage, MessagePart } from "./messages.ts";
export type { ResumedMessages } from "./resumed-messages.ts";
export type { EligibilityContext, EligibilityPolicy } from "./speaker-candidates.ts";
export type { FunctionTargetResult, TargetFunction, TransitionTarget } from "./targets.ts";
export type { HumanInputMode } from "./termination.ts";
export type { TransitionGraph } from "./transition-graph.ts";
export type { InnerChat } from "./turns/nested-reply.ts";
export type {
  ReplyFunction,
  ReplyRequest,
  ReplyResponse,
  ReplyTrigger,
} from "./turns/reply-function.ts";
