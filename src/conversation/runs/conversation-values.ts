import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { ChatCost } from "../chats/chat-cost.ts";
import type { ConversationMessage } from "../messages.ts";
import type { Ag2Event } from "./ag2-contents.ts";
import { consoleProcessor, type EventProcessor } from "./console-processor.ts";
import { outcomeOf, type ConversationOutcome } from "./conversation-outcome.ts";

/**
 * Result values of a conversation. They are promises, independent of reading events. They reject with the run's error,
 * and with `run_cancelled` for a cancelled run.
 */
export abstract class ConversationValues implements AsyncIterable<Ag2Event> {
  abstract [Symbol.asyncIterator](): AsyncIterator<Ag2Event>;

  /** The run's result, as its program returned it. */
  protected abstract result(): Promise<JsonValue>;

  get summary(): Promise<string> {
    return this.#outcome().then(({ summary }) => summary);
  }

  /** Messages in the initiator's view; a group has one transcript. */
  get messages(): Promise<readonly ConversationMessage[]> {
    return this.#outcome().then(({ messages }) => messages);
  }

  /** Null without messages. */
  get lastSpeaker(): Promise<string | null> {
    return this.#outcome().then(({ lastSpeaker }) => lastSpeaker);
  }

  get contextVariables(): Promise<JsonObject> {
    return this.#outcome().then(({ contextVariables }) => contextVariables);
  }

  /** Usage of models: total and by agent. */
  get cost(): Promise<ChatCost> {
    return this.#outcome().then(({ cost }) => cost);
  }

  /** Passes each event to the processor, in sequence, and rejects with the run's error. @default prints them */
  async process(processor: EventProcessor = consoleProcessor()): Promise<void> {
    for await (const event of this) await processor(event);
  }

  async #outcome(): Promise<ConversationOutcome> {
    return outcomeOf(await this.result());
  }
}

/** Adds a function that answers the event, if it asks a person. */
export function answerable(event: Ag2Event, handle: RunHandle): Ag2Event {
  if (event.type !== "input_request") return event;
  const { id: key } = event.content;
  const respond = async (feedback: string): Promise<void> =>
    void (await handle.resume({ key, feedback }));
  return { ...event, content: { ...event.content, respond } };
}
