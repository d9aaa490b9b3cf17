// Messages as the members of a group see them.
//
//   GTK1. The transcript has every message, with the name of its author. Each member sees its own messages as its own,
//         and those of others as theirs.
//   GTK2. Calls that only hand over, and their results, are in the transcript. Members see them only if the group shows
//         transfers.
//   GTK3. In a group with visibility rules, a member sees only messages, calls and results that may reach it.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Talk } from "../chats/talk.ts";
import { TransferFilter } from "../targets/handoff-messages.ts";
import { handoffToolName } from "../targets/handoffs.ts";
import { isToolResult, readMessage, type ConversationMessage } from "../messages.ts";
import type { Group } from "./group.ts";

/** The messages of a group, and the views of its members. */
export class GroupTalk {
  readonly #talk: Talk;
  readonly #group: Group;
  readonly #filter: TransferFilter;

  constructor(talk: Talk, group: Group) {
    this.#talk = talk;
    this.#group = group;
    this.#filter = new TransferFilter(transferTools(group));
  }

  get transcript(): readonly ConversationMessage[] {
    return this.#talk.transcript(this.#group.manager);
  }

  /** Clears earlier messages and counters. */
  prepare(clearHistory: boolean): void {
    const { members, manager } = this.#group;
    for (const member of members) this.#talk.prepare(member, manager, clearHistory);
    if (!clearHistory) return;
    this.#talk.forget(manager, manager, 0);
    this.#talk.keepTranscript(manager, 0);
  }

  /**
   * Adds a message to the transcript and to all members' views. Throws `invalid_input` for a value that is not a
   * message.
   */
  say(
    speaker: string,
    input: unknown,
    received: Readonly<Record<string, ConversationMessage>> = {},
  ): ConversationMessage {
    const { manager, members } = this.#group;
    const own = readMessage(input, { name: speaker, role: "assistant" });
    const author = isToolResult(own) ? (this.transcript.at(-1)?.name ?? speaker) : speaker;
    const isPerson = (input as { readonly role?: unknown } | null)?.role === "user";
    const entry = { ...own, name: own.role === "function" ? (own.name ?? speaker) : speaker };
    const message =
      isPerson && entry.role === "assistant" && entry.toolCalls === undefined
        ? ({ ...entry, role: "user" } as const)
        : entry;
    this.#talk.addToTranscript(manager, message);
    const seen = this.#seen(own);
    if (seen === undefined) return message;
    const others = asReceived(seen);
    for (const member of members) {
      const copy = received[member.name];
      if (member.name === speaker) this.#talk.tell(member, manager, seen);
      else if (this.#reaches(author, member.name))
        this.#talk.tell(member, manager, copy === undefined ? others : asReceived(copy));
    }
    this.#talk.tell(manager, manager, others);
    return message;
  }

  /** Results of calls reach the members that saw the calls. */
  #reaches(author: string, name: string): boolean {
    return author === name || (this.#group.reaches?.(author, name) ?? true);
  }

  /** Sends one member a message outside of the transcript. */
  note(name: string, message: ConversationMessage): void {
    const member = this.#group.members.find((each) => each.name === name);
    if (member !== undefined) this.#talk.tell(member, this.#group.manager, message);
  }

  /** Sends every member a message outside of the transcript. */
  introduce(content: string): void {
    const { manager, members } = this.#group;
    const message: ConversationMessage = { role: "user", content, name: manager.name };
    for (const member of members) this.#talk.tell(member, manager, message);
  }

  /** Drops all but the last messages: in one member's view, or everywhere. */
  forget({ keep, agent }: { readonly keep: number; readonly agent?: string }): void {
    const { manager, members } = this.#group;
    for (const member of members)
      if (agent === undefined || agent === member.name) this.#talk.forget(member, manager, keep);
    if (agent !== undefined) return;
    this.#talk.forget(manager, manager, keep);
    this.#talk.keepTranscript(manager, keep);
  }

  #seen(message: ConversationMessage): ConversationMessage | undefined {
    return this.#group.showsTransfers === true ? message : this.#filter.next(message);
  }

  /** Returns the member of a name. */
  member(name: string): ConversableAgent | undefined {
    return this.#group.members.find((each) => each.name === name);
  }
}

/** Converts messages of others to the user's, except calls and their results. */
function asReceived(message: ConversationMessage): ConversationMessage {
  const { role, toolCalls, functionCall } = message;
  const isPlain = role === "assistant" && toolCalls === undefined && functionCall === undefined;
  return isPlain ? { ...message, role: "user" } : message;
}

/** Returns names of the hand-over tools of a group's members. */
export function transferTools({ handoffs }: Pick<Group, "handoffs">): ReadonlySet<string> {
  return new Set(
    [...(handoffs?.values() ?? [])].flatMap(({ llmConditions }) =>
      llmConditions.map(handoffToolName),
    ),
  );
}
