/** Flows: methods connected by triggers, over a state. */

/** Stores for states of flows. */
export {
  InMemoryFlowStore,
  type FlowSnapshot,
  type FlowSnapshotSummary,
  type FlowStore,
} from "./flow-store.ts";
export type { FlowPersistence } from "./own-store.ts";
/** Lessons from people's feedback. */
export { InMemoryLessons, type LessonStore } from "./lesson-store.ts";
/** Joins triggers. */
export { and, or, race, type Condition } from "./condition.ts";
/** The decorators of flow classes. */
export { humanFeedback, listen, persist, router, start } from "./decorators.ts";
/** Feedback of a person on a method's result. */
export type { FeedbackDefinition, HumanFeedbackResult } from "./feedback.ts";
/** Flows as classes, and as plain objects of methods. */
export { Flow, type FlowObject } from "./flow.ts";
export { type FlowMethod, type FlowOptions } from "./flow-options.ts";
export { defineFlow } from "./define-flow.ts";
export type { FlowContext } from "./method-context.ts";
export type { AskOptions } from "./method-tools.ts";
/** A runnable flow, its options and its output. */
export type { BuiltFlow, FlowKickoff, FlowOutput, PlotOptions } from "./built-flow.ts";
/** Waits of methods, and code to answer them. */
export type { EventWait } from "./flow-waits.ts";
export type { InputProvider, InputRequest } from "./input-provider.ts";
/** Replays of other runs. */
export type { FlowCheckpoint, FlowReplay } from "./flow-replay.ts";
/** Formats of flow pictures. */
export type { PlotFormat } from "./plot/picture.ts";
/** Values for `flows` of `defineApp`. */
export type { FlowLike } from "./flow-like.ts";
/** Conversational flows. */
export type { ConversationConfig, RouterConfig } from "./conversational/conversation-config.ts";
export {
  conversationState,
  type ConversationEvent,
  type ConversationMessage,
  type ConversationState,
} from "./conversational/conversation-state.ts";
export type { AgentResultOptions, ConversationTools } from "./conversational/conversation-tools.ts";
export { conversationalFromDefinition } from "./conversational/declaration.ts";
export { type Conversational } from "./conversational/conversational-decorator.ts";
export { conversational } from "./conversational/conversational.ts";
export type { SessionView, TurnOptions, TurnStream } from "./conversational/conversation.ts";
export type { TurnOutput } from "./conversational/run-turn.ts";
