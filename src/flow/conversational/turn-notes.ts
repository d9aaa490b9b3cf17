// Notes of methods about their actions in a turn. Lists of the state may be trimmed, cleared and assigned meanwhile.
//
//   TX1. The messages of a turn are those its methods noted, and those they put into the state's messages without a
//        note. No index in a list stands for a message.
//   TX2. An agent's result is recognised by its content, and by its text.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import {
  conversationIn,
  type ConversationEvent,
  type ConversationMessage,
} from "./conversation-state.ts";

/** One note: a message, or an agent's result by its digests. */
export type TurnNote =
  | { readonly said: ConversationMessage }
  | { readonly result: readonly string[] };

/** Returns the text of a result: the text itself, or the text of an output. Returns undefined for anything else. */
export function textOf(result: JsonValue): string | undefined {
  if (typeof result === "string") return result;
  const raw = isJsonObject(result) ? result["raw"] : undefined;
  return typeof raw === "string" ? raw : undefined;
}

/** The digests by which a result is known again. */
export function digestsOf(result: JsonValue): readonly string[] {
  const text = textOf(result)?.trim();
  return [JSON.stringify(result), ...(text === undefined ? [] : [`text ${text}`])].map(sha256Hex);
}

/** Returns the number of noted messages. */
export function countSaid(notes: readonly JsonValue[]): number {
  return read(notes).filter((note) => "said" in note).length;
}

type Conversed = {
  readonly messages: readonly ConversationMessage[];
  readonly events: readonly ConversationEvent[];
};

/** Returns the actions of a turn that began with these lists, before the user's message was added. */
export function doneInTurn(
  before: Conversed,
  user: ConversationMessage,
  after: {
    readonly state: Parameters<typeof conversationIn>[0];
    readonly notes: readonly JsonValue[];
  },
): { readonly said: readonly ConversationMessage[]; readonly results: ReadonlySet<string> } {
  const { messages, events } = conversationIn(after.state);
  const notes = read(after.notes);
  const noted = notes.flatMap((note) => ("said" in note ? [note.said] : []));
  const place = messages.findLastIndex((message) => isSame(message, user));
  const inState = place < 0 ? without(messages, before.messages) : messages.slice(place + 1);
  const isAllThere = without(noted, inState).length === 0;
  const results = without(events, before.events)
    .filter(({ type }) => type === "agent_result")
    .flatMap(({ payload }) => digestsOf(payload["result"] ?? null));
  return {
    said: isAllThere ? inState : [...noted, ...without(inState, noted)],
    results: new Set([
      ...results,
      ...notes.flatMap((note) => ("result" in note ? note.result : [])),
    ]),
  };
}

function read(notes: readonly JsonValue[]): readonly TurnNote[] {
  return notes as unknown as readonly TurnNote[];
}

/** Returns the entries missing in another list; each entry there removes one equal entry. */
function without<Entry extends object>(list: readonly Entry[], others: readonly Entry[]): Entry[] {
  const left = new Map<string, number>();
  for (const other of others) {
    const text = JSON.stringify(other);
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  return list.filter((entry) => {
    const text = JSON.stringify(entry);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
