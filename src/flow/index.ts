/** Flows: methods that wake each other, over a state. */

/** Where flows keep their states. */
export {
  InMemoryFlowStore,
  type FlowSnapshot,
  type FlowSnapshotSummary,
  type FlowStore,
} from "./flow-store.ts";
export type { FlowPersistence } from "./own-store.ts";
/** What people's feedback taught. */
export { InMemoryLessons, type LessonStore } from "./lesson-store.ts";
/** Joins triggers. */
export { and, or, race, type Condition } from "./condition.ts";
/** The decorators of flow classes. */
export { humanFeedback, listen, persist, router, start } from "./decorators.ts";
/** What a person said about what a method gave. */
export type { FeedbackDefinition, HumanFeedbackResult } from "./feedback.ts";
/** Flows as classes, and as plain objects of methods. */
export { Flow, type FlowObject } from "./flow.ts";
export { defineFlow, type FlowMethod, type FlowOptions } from "./define-flow.ts";
export type { FlowContext } from "./method-context.ts";
export type { AskOptions } from "./method-tools.ts";
/** A flow that can be run, and what it takes and gives. */
export type { BuiltFlow, FlowKickoff, FlowOutput, PlotOptions } from "./built-flow.ts";
/** What methods can wait for, and who may answer them. */
export type { EventWait } from "./flow-waits.ts";
export type { InputProvider, InputRequest } from "./input-provider.ts";
/** Going on with another run. */
export type { FlowCheckpoint, FlowReplay } from "./flow-replay.ts";
/** The forms that pictures of flows have. */
export type { PlotFormat } from "./plot/picture.ts";
/** What `defineApp` takes as a flow. */
export type { FlowLike } from "./flow-like.ts";
/** Flows that take the turns of a conversation. */
export type { ConversationConfig, RouterConfig } from "./conversational/conversation-config.ts";
export {
  conversationState,
  type ConversationEvent,
  type ConversationMessage,
  type ConversationState,
} from "./conversational/conversation-state.ts";
export type { AgentResultOptions, ConversationTools } from "./conversational/conversation-tools.ts";
export { conversationalFromDefinition } from "./conversational/declaration.ts";
export { conversational, type Conversational } from "./conversational/conversational.ts";
export type { SessionView, TurnOptions, TurnStream } from "./conversational/conversation.ts";
export type { TurnOutput } from "./conversational/run-turn.ts";
