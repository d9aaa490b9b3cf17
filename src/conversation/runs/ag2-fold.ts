import { TERMINAL_EVENTS, type LiveEvent, type RunEvent } from "../../events/run-event.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversationMessage } from "../messages.ts";
import { UsageViews } from "../../model-calls/usage-summary.ts";

type ChatFold = {
  /** Who opened it. */
  readonly initiator: string;
  readonly messages: ConversationMessage[];
  readonly lastSpeaker: string;
};

/** The chat, below which is a turn, below which is the nth call of a tool. */
const TOOL_PLACE = /^(.*)\/[^/]*\/tool:([^/]*)#(\d+)$/;

/** What later events of a run need to know of earlier ones. */
export class Ag2Fold {
  readonly usage = new UsageViews();
  readonly #chats = new Map<string, ChatFold>();
  /** Whom a person was last asked to choose from. */
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

  /** What was said in the chat of a path, if anything, as its initiator sees it; texts are as long as events have them. */
  chat(path: string): ChatFold | undefined {
    return this.#chats.get(path);
  }

  /** The id of the call that the event of a tool is about, where a message of its chat made it. */
  callId(path: string): string | undefined {
    const [, chat = "", name, place] = TOOL_PLACE.exec(path) ?? [];
    const last = this.#chats.get(chat)?.messages.findLast(({ toolCalls }) => toolCalls);
    return last?.toolCalls?.filter((call) => keySegment(call.name) === name)[Number(place)]?.id;
  }
}

/** Whether an event is of a chat, or ends the run that the chat is in. */
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
