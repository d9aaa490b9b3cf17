// Makes a flow one that converses. A flow that does not carries none of this: it comes in with what `conversational()` gives.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { markConversing } from "../decorators.ts";
import type { FlowDefinition } from "../flow-definition.ts";
import type { RunnableFlow } from "../run-flow.ts";
import { BUILT_IN_METHODS, ROUTE_CONVERSATION } from "./built-in-methods.ts";
import { Conversation } from "./conversation.ts";
import { checkConversation, type ConversationConfig } from "./conversation-config.ts";
import { conversationState } from "./conversation-state.ts";

type FlowParts = Omit<RunnableFlow, "graph">;

/** What makes a flow converse: a decorator of its class, the class's field `conversational`, or an option of `defineFlow`. */
export interface Conversational {
  (flowClass: abstract new () => object, context: ClassDecoratorContext): void;
  readonly config: ConversationConfig;
  /** The flow with the state and the methods of a conversation. */
  readonly extend: (flow: FlowParts) => FlowParts;
  /** What can be done with the flow then. */
  readonly open: (flow: RunnableFlow, owns: (method: string) => boolean) => Conversation;
}

/**
 * Makes a flow take turns: `@conversational({ llm: "openai/gpt-5-mini" }) class Help extends Flow() { ... }`.
 * Throws `invalid_definition` that names the field.
 */
export function conversational(config: ConversationConfig = {}): Conversational {
  checkConversation(config);
  const decorate = (flowClass: abstract new () => object): void => markConversing(flowClass, made);
  const made: Conversational = Object.assign(decorate, {
    config,
    extend: extended,
    open: (flow: RunnableFlow, owns: (method: string) => boolean) =>
      new Conversation(flow, { config, owns }),
  });
  return made;
}

function extended(flow: FlowParts): FlowParts {
  const { persist: _, methods, ...definition } = flow.definition;
  return {
    ...flow,
    definition: { ...definition, conversational: true, methods: withBuiltIn(methods) },
    schema: schemaWith(flow.definition.name, flow.schema),
  };
}

/** The choice of the route comes last: other starts come before it. */
function withBuiltIn(methods: FlowDefinition["methods"]): FlowDefinition["methods"] {
  const all = { ...methods, ...missing(methods) };
  const { [ROUTE_CONVERSATION]: route = {}, ...others } = all;
  return { ...others, [ROUTE_CONVERSATION]: route };
}

function missing(methods: FlowDefinition["methods"]): FlowDefinition["methods"] {
  return Object.fromEntries(
    Object.entries(BUILT_IN_METHODS).filter(([name]) => !Object.hasOwn(methods, name)),
  );
}

const openState = z.looseObject(conversationState.shape);

function schemaWith(flow: string, schema: FlowParts["schema"]): z.ZodType<object> {
  if (schema === undefined) return openState;
  const { error } = schema.safeParse(conversationState.parse({}));
  const refusesMore = error?.issues.some(
    (issue) => issue.code === "unrecognized_keys" && issue.keys.includes("messages"),
  );
  if (refusesMore === true)
    throw new EngineError(
      "invalid_definition",
      `flow "${flow}": the state of a conversational flow has additional fields, so its schema must not be strict: use z.object(), or conversationState.extend()`,
    );
  return z.intersection(conversationState, schema);
}
