// Makes a flow conversational. Other flows do not contain this code: it comes with the value of `conversational()`.
import * as z from "zod";
import { EngineError } from "../../base/error.ts";
import { namesIn } from "../condition.ts";
import { markConversing } from "../decorators.ts";
import { isRouter, labelsFrom, type FlowDefinition } from "../flow-definition.ts";
import type { RunnableFlow } from "../run-flow.ts";
import { BUILT_IN_METHODS, ownName, ROUTE_CONVERSATION } from "./built-in-methods.ts";
import { Conversation } from "./conversation.ts";
import { checkConversation, type ConversationConfig } from "./conversation-config.ts";
import { conversationState } from "./conversation-state.ts";
import type { FlowParts, Conversational } from "./conversational-decorator.ts";

/**
 * Makes a flow take turns: `@conversational({ llm: "openai/gpt-5-mini" }) class Help extends Flow() { ... }`.
 * Throws `invalid_definition` and names the field.
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

/**
 * Adds the missing built-in methods, with the choice of the route after all other starts. If the flow chooses routes
 * itself and declares all its labels, built-ins for other labels are left out.
 */
function withBuiltIn(methods: FlowDefinition["methods"]): FlowDefinition["methods"] {
  const owns = (name: string): boolean => Object.hasOwn(methods, name);
  const hasRoute = ownName(owns, ROUTE_CONVERSATION) !== undefined;
  const labels = hasRoute ? labelsOf(methods) : undefined;
  const missing = Object.entries(BUILT_IN_METHODS).filter(
    ([name, { listen }]) =>
      ownName(owns, name) === undefined &&
      (labels === undefined ||
        listen === undefined ||
        [...namesIn(listen)].every((label) => labels.has(label))),
  );
  const all = [...Object.entries(methods), ...missing];
  const route = ownName(owns, ROUTE_CONVERSATION) ?? ROUTE_CONVERSATION;
  const isRoute = ([name]: readonly [string, unknown]): boolean => name === route;
  return Object.fromEntries([...all.filter((each) => !isRoute(each)), ...all.filter(isRoute)]);
}

/** Returns the labels of the flow's own routers; undefined if one of them declares no labels. */
function labelsOf(methods: FlowDefinition["methods"]): ReadonlySet<string> | undefined {
  const labels = Object.values(methods).filter(isRouter).map(labelsFrom);
  return labels.includes(undefined) ? undefined : new Set(labels.flatMap((each) => each ?? []));
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
