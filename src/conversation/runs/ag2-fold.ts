import { TERMINAL_EVENTS, type LiveEvent, type RunEvent } from "../../events/run-event.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversationMessage } from "../messages.ts";
import { UsageViews } from "../../model-calls/usage-summary.ts";

type ChatFold = {
  /** Name of the opener. */
  readonly initiator: string;
  readonly messages: ConversationMessage[];
  readonly lastSpeaker: string;
};

/** Path of a tool's nth call: the chat, its turn, the call. */
const TOOL_PLACE = /^(.*)\/[^/]*\/tool:([^/]*)#(\d+)$/;

/** State from earlier events of a run that later ones need. */
export class Ag2Fold {
  readonly usage = new UsageViews();
  readonly #chats = new Map<string, ChatFold>();
  /** Candidates in the last question to a person. */
  candidates: readonly string[] = [];

  add(event: RunEvent | LiveEvent): void {
    switch (event.type) {
      case "llm_call_completed":
        return this.usage.add(event);
      case "chat_speaker_asked":
        this.candidates = event.agents;
        return undefined;
      case "chat_message_sent": {
        const { path, sender, message } = event;
        const place = path.slice(0, path.lastIndexOf("/"));
        const known: ChatFold | undefined = this.#chats.get(place);
        const { initiator = sender, messages = [] } = known ?? {};
        messages.push(seenBy(initiator, sender, message));
        this.#chats.set(place, { initiator, messages, lastSpeaker: sender });
        return undefined;
      }
      default:
        return undefined;
    }
  }

  /**
   * Returns the chat of a path with its messages, as its initiator sees them; undefined without messages. Texts are as
   * long as in events.
   */
  chat(path: string): ChatFold | undefined {
    return this.#chats.get(path);
  }

  /** Returns the id of the call behind a tool's event, if a message of its chat made it. */
  callId(path: string): string | undefined {
    const [, chat = "", name, place] = TOOL_PLACE.exec(path) ?? [];
    const last = this.#chats.get(chat)?.messages.findLast(({ toolCalls }) => toolCalls);
    return last?.toolCalls?.filter((call) => keySegment(call.name) === name)[Number(place)]?.id;
  }
}

/** True if an event belongs to a chat, or ends the run around it. */
export function belongsTo(
  chat: string | undefined,
  { path, type }: Pick<RunEvent | LiveEvent, "path" | "type">,
): boolean {
  if (chat === undefined || path === chat || path.startsWith(`${chat}/`)) return true;
  return TERMINAL_EVENTS.has(type);
}

function seenBy(
  initiator: string,
  sender: string,
  message: ConversationMessage,
): ConversationMessage {
  if (message.role !== "assistant" && message.role !== "user") return message;
  if (message.toolCalls !== undefined || message.functionCall !== undefined) return message;
  return { ...message, role: sender === initiator ? "assistant" : "user" };
}
