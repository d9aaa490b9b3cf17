import type { TargetKind } from "../../api-types.ts";

export type TemplateName = "chat-of-two" | "group-chat" | "queue-of-chats" | "nested-chats";

type Template = { readonly id: TemplateName; readonly label: string; readonly help: string };

/** Templates of new definitions, beside the example of each kind. */
export const TEMPLATE_NAMES: Readonly<Record<TargetKind, readonly Template[]>> = {
  crew: [],
  flow: [],
  agent: [],
  conversation: [
    { id: "chat-of-two", label: "Chat of two", help: "Two answer each other." },
    { id: "group-chat", label: "Group chat", help: "A manager selects the speakers." },
    { id: "queue-of-chats", label: "Queue of chats", help: "Each gets the summaries so far." },
    { id: "nested-chats", label: "Nested chats", help: "An agent may consult others." },
  ],
};
