/** Flows: methods that wake each other, over a state. */

/** Joins triggers. */
export { and, or, race, type Condition } from "./condition.ts";
/** The decorators of flow classes. */
export { humanFeedback, listen, router, start } from "./decorators.ts";
/** What a person said about what a method gave. */
export type { FeedbackDefinition, HumanFeedbackResult } from "./feedback.ts";
/** Flows as classes, and as plain objects of methods. */
export {
  defineFlow,
  Flow,
  type AskOptions,
  type BuiltFlow,
  type FlowContext,
  type FlowKickoff,
  type FlowMethod,
  type FlowObject,
  type FlowOptions,
  type FlowOutput,
  type PlotOptions,
} from "./flow.ts";
/** The forms that pictures of flows have. */
export type { PlotFormat } from "./plot/picture.ts";
/** What `defineApp` takes as a flow. */
export type { FlowLike } from "./flow-like.ts";
