// Messages of people to a conversation under way.
//
//   PMS1. A message is a round of its own, in the words of its speaker. It counts towards no limit of rounds.
//   PMS2. A message never stands between calls and their results: it waits for the results.
//   PMS3. A message that is pending at the end continues the conversation, with a new count of rounds.
//   PMS4. An interruption ends the round under way without a message of its speaker. The message follows as a round.
import { EngineError } from "../../base/error.ts";
import type { MailReceiver, ReceivedMail } from "../../events/mail.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { isSameName } from "../../text/fold.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { RoundResult } from "../groups/round-result.ts";
import { hasCalls } from "../turns/tool-reply.ts";
import type { ConversationMessage } from "../messages.ts";
import type { ChatPlace } from "./chat-place.ts";

/** Name of a speaker without one. */
const NAMELESS = "user";

/** The messages for the members of one conversation. */
export class ChatInbox {
  readonly #place: ChatPlace;
  readonly #members: readonly ConversationMember[];
  /** Received messages whose rounds have not begun. */
  readonly #received: ReceivedMail[] = [];
  /** The last round that was asked about, which has received all it can. */
  #asked = 0;

  constructor(place: ChatPlace, members: readonly ConversationMember[]) {
    this.#place = place;
    this.#members = members;
  }

  /**
   * Returns the message that the next round says, if there is one. `last` is the last message of the conversation, and
   * `isOver` is set at its end.
   */
  next(last: ConversationMessage | undefined, isOver: boolean): ReceivedMail | undefined {
    if (last !== undefined && hasCalls(last)) return undefined;
    if (this.#received.length === 0) this.#received.push(...this.#receive(isOver));
    return this.#received.shift();
  }

  /** The member that a message names. */
  addressee({ to }: ReceivedMail): ConversationMember | undefined {
    return to === undefined ? undefined : this.#members.find(({ name }) => isSameName(name, to));
  }

  #receive(isOver: boolean): readonly ReceivedMail[] {
    const { turns } = this.#place;
    if (turns + 1 === this.#asked) return [];
    this.#asked = turns + 1;
    const receiver: MailReceiver = {
      names: this.#members.map(({ name }) => name),
      ...(isOver ? { queue: "turn" } : undefined),
    };
    const after = turns > 0 ? this.#place.round(turns) : undefined;
    return this.#place.round(turns + 1).mail(receiver, { step: "self", ...(after && { after }) });
  }
}

/** Returns a person's message in the form of a conversation's. */
export function messageOf({ content, speaker }: ReceivedMail): ConversationMessage {
  return { role: "user", content, name: speaker?.name ?? speaker?.id ?? NAMELESS };
}

/** Makes the code of a round that a person's message may interrupt (PMS4). */
export function interruptible(
  play: (below: RunScope) => Promise<RoundResult>,
): (below: RunScope) => Promise<RoundResult> {
  return async (below) => {
    try {
      return await play(below);
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "interrupted") throw error;
      return { changes: [], usage: {}, interrupted: true };
    }
  };
}
