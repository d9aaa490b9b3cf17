/** Agents that talk with each other and with people: chats of two, groups, hand-overs. */

export { ConversableAgent } from "./agents/conversable-agent.ts";
export type { CodeExecutionOptions } from "./agents/code-execution.ts";
export { AssistantAgent, UserProxyAgent } from "./agents/presets.ts";
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
export { Conversation, defineConversation } from "./conversation.ts";
export { conversationFromDefinition } from "./definition/conversation-from-definition.ts";
export { conversations } from "./conversations.ts";
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
export {
  initiateGroupChat,
  runGroupChatIter,
  startGroupChat,
} from "./groups/initiate-group-chat.ts";
export { Network } from "./network/network.ts";
export { summarizedHistory, tailWindow } from "./compaction.ts";
export { loopDetector } from "./observers/loop-detector.ts";
export { tokenMonitor } from "./observers/token-monitor.ts";
export { ag2Events, Ag2View } from "./runs/ag2-events.ts";
export { consoleLines, consoleProcessor } from "./runs/console-processor.ts";
export { RunResponse } from "./runs/run-response.ts";
export { RunSteps } from "./runs/run-steps.ts";
export { sequentialRun } from "./runs/sequential-run.ts";
export { applySafeguardPolicy, resetSafeguardPolicy } from "./safeguards/active-policy.ts";
export { modelGuardrail, regexGuardrail } from "./safeguards/guardrails.ts";
export { contextCondition, Handoffs, onCondition, onContextCondition } from "./targets/handoffs.ts";
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
} from "./targets/targets.ts";
export * from "./targets/ag2-target-names.ts";
export { CaptainAgent } from "./capabilities/captain/captain-agent.ts";
export { DocumentAgent } from "./capabilities/documents/document-agent.ts";
export { contentText } from "./messages.ts";
export { ReplyResult } from "./tool-results.ts";
export { roundRobinGraph, sequenceGraph } from "./targets/transition-graph.ts";
export {
  messageHistoryLimiter,
  messageTokenLimiter,
  messageNames,
  textCompressor,
} from "./transforms.ts";
export { chatContext, contextVariables } from "./turns/tool-injections.ts";
export { registerFunction, Toolkit } from "./agents/toolkit.ts";
export { containsTermination, isExactTermination } from "./termination.ts";

export type { ToolRegistration } from "./agents/registered-tools.ts";
export type { ConversationMember, Member } from "./agents/conversation-member.ts";
export type { TalkingMember } from "./agents/talking-member.ts";
export type { MultimodalAgentOptions } from "./capabilities/multimodal-agent.ts";
export type { RetrieveConfig, RetrieveUserProxyOptions } from "./capabilities/retrieve-agents.ts";
export type { TeachabilityOptions } from "./capabilities/teachability.ts";
export type { ChatOutcome, ChatToolOptions } from "./chats/chat-tool.ts";
export type { Ag2Event, Ag2Type } from "./runs/ag2-contents.ts";
export type { AgentRunOptions } from "./runs/agent-run.ts";
export type { ConsoleProcessorOptions, EventProcessor } from "./runs/console-processor.ts";
export type { StepOptions } from "./runs/run-steps.ts";
export type { SafeguardOptions } from "./safeguards/safeguard-options.ts";
export type { MessageTransform, Remember } from "./transforms.ts";
export type { ChatContext } from "./turns/tool-injections.ts";
export type { ReplySteps, StepsReply, StepsRequest } from "./turns/reply-function.ts";
export type { ConversableAgentOptions } from "./agents/conversable-agent-options.ts";
export type { ConversationHookName, ConversationHooks } from "./agents/conversation-hooks.ts";
export type { CaptainAgentOptions, NestedConfig } from "./capabilities/captain/captain-options.ts";
export type { Expert, ExpertGroup } from "./capabilities/captain/expert-group.ts";
export type { DocumentAgentOptions } from "./capabilities/documents/document-agent.ts";
export type { Carryover } from "./carryover.ts";
export type { ChatCost } from "./chats/chat-cost.ts";
export type { ConversationRegistry } from "./definition/conversation-from-definition.ts";
export type { ConversationRequest } from "./conversation-request.ts";
export type { Conversations } from "./conversations.ts";
export type { PrerequisiteChat, QueuedChat } from "./chats/queued-chat.ts";
export type { SummaryArgs, SummaryMethod } from "./chats/summary-method.ts";
export type { ChatRunOptions } from "./chats/conversation-run.ts";
export type { HostedTalk } from "./chats/group-host.ts";
export type { OpeningMessage } from "./chats/opening-message.ts";
export type { ChatOptions } from "./chats/chat-options.ts";
export type { ChatResult } from "./chats/chat-result.ts";
export type { GroupChatOptions } from "./groups/group-chat.ts";
export type { GroupChatManagerOptions } from "./groups/group-chat-manager.ts";
export type { GroupChatRequest } from "./groups/initiate-group-chat.ts";
export type { PatternOptions } from "./groups/pattern-options.ts";
export type { GroupChatResult } from "./groups/group-chat-result.ts";
export type { SelectionAbout, SelectionFunction } from "./groups/selection/classic-selection.ts";
export type { ConversationGuardrail } from "./safeguards/guardrails.ts";
export type { ContextCondition } from "./targets/handoffs.ts";
export type { ConversationMessage, MessagePart } from "./messages.ts";
export type { ResumedMessages } from "./resumed-messages.ts";
export type { CompactionLimits } from "./compaction.ts";
export type { NetworkMember } from "./network/network.ts";
export type {
  ChannelOpening,
  ChannelOptions,
  ChannelResult,
  NetworkChannel,
} from "./network/network-channel.ts";
export type { TaskRecord } from "./network/task-record.ts";
export type { RunningTask, TaskOptions, TaskWork } from "./network/network-task.ts";
export type { ObservedCapability, Passport, PassportOptions } from "./network/passport.ts";
export type { ExpectationOptions } from "./network/expectations.ts";
export type { ChannelViolation } from "./network/timed-round.ts";
export type { ChannelWatch, WatchTrigger } from "./network/watches.ts";
export type {
  Alert,
  AlertSeverity,
  ConversationObserver,
  ObservedTurn,
} from "./observers/observer.ts";
export type { ExchangeOptions } from "./exchange/exchange-of.ts";
export type {
  ConversationOptions,
  ConversationOutput,
  OutputMessage,
} from "./runnable-conversation.ts";
export type { EligibilityContext, EligibilityPolicy } from "./speaker-candidates.ts";
export type { FunctionTargetResult, TargetFunction, TransitionTarget } from "./targets/targets.ts";
export type { HumanInputMode } from "./termination.ts";
export type { TransitionGraph } from "./targets/transition-graph.ts";
export type { InnerChat } from "./chats/inner-chat.ts";
export type {
  ReplyFunction,
  ReplyRequest,
  ReplyResponse,
  ReplyTrigger,
} from "./turns/reply-function.ts";
