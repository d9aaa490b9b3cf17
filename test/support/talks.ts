// Conversations as tests hold them.
import type * as z from "zod";
import type { JsonValue } from "../../src/base/json.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import { conversational, type ConversationConfig, type TurnOutput } from "../../src/flow/index.ts";
import type { BuiltFlow } from "../../src/flow/built-flow.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import type { FlowMethod, FlowOptions } from "../../src/flow/flow-options.ts";

type State = Record<string, JsonValue>;
export type Talk = BuiltFlow<State>;

/** A flow that takes turns. */
export function talkOf(
  config: ConversationConfig,
  methods: Readonly<Record<string, FlowMethod<State>>> = {},
  options: Partial<FlowOptions<z.ZodType<State>>> = {},
): Talk {
  return defineFlow({ name: "help", methods, conversational: conversational(config), ...options });
}

export type RecordedTurn = TurnOutput & {
  /** Types of the conversation's events, with what they tell that differs. */
  readonly published: readonly string[];
  readonly events: readonly RunEvent[];
};

/** Takes a turn of session `s`. */
export async function turnOf(
  talk: { readonly startTurn: Talk["startTurn"] },
  message: string,
  options: Parameters<Talk["startTurn"]>[1] = {},
): Promise<RecordedTurn> {
  const run = talk.startTurn(message, { sessionId: "s", ...options });
  const events: RunEvent[] = [];
  for await (const event of run.events()) if ("seq" in event) events.push(event);
  const output = await run.output();
  return { ...output, events, published: events.flatMap(publishedOf) };
}

function publishedOf(event: RunEvent): readonly string[] {
  switch (event.type) {
    case "conversation_turn_started":
      return ["started"];
    case "conversation_turn_completed":
      return ["completed"];
    case "conversation_turn_failed":
      return [`failed: ${event.error}`];
    case "conversation_message_added":
      return [`${event.messageIndex} ${event.role}: ${event.content}`];
    case "conversation_route_selected":
      return [`route ${event.route} after ${event.previousIntent ?? "nothing"}`];
    default:
      return [];
  }
}
