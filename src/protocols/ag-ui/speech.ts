// Texts and thoughts of a run's models, as messages.
//
//   UW1. A message has the text of one model call. Text voided by a later attempt is withdrawn: the message ends, a
//        snapshot of all messages leaves it out, and it begins again under the same id.
//   UW2. An unstreamed call is one message with its whole text.
//   UW3. A thought ends before the text begins. Thoughts are sent live only.
import { sha256Hex } from "../../base/sha256.ts";
import { foldCall, type CallWords } from "../../wire/call-words.ts";
import { messageIdOf, reasoningIdOf } from "./ids.ts";
import type { AgUiEvent } from "./wire.ts";

type Said = {
  words: CallWords | undefined;
  /** Text sent so far. */
  text: string;
  isOpen: boolean;
  /** Thoughts sent so far. */
  thought: string;
  isThinking: boolean;
  /** Number of thoughts in the call so far. */
  spans: number;
};

/** Length of a message at the client, for a stream that continues another. */
export type SpokenMark = {
  readonly messageId: string;
  readonly length: number;
  /** Hash of the text so far. */
  readonly hash: string;
  readonly thoughtLength: number;
  readonly spans: number;
  readonly isOpen: boolean;
  readonly isThinking: boolean;
};

/** Speaking subagent, if there is one. */
export type Speaker = { readonly subagentRunId?: string; readonly name?: string };

type SpokenEvent = { readonly type: string };

/**
 * Turns of agents, and replies of conversations. Other calls, such as those of guardrails and planners, are not
 * messages.
 */
const SPOKEN = /(?:^|\/)(?:turn:\d+|final-answer|synthesis|reply)\/llm$/;

/** True for model calls with text for people. */
export function isSpoken(callId: string): boolean {
  return SPOKEN.test(callId);
}

export class Speech {
  readonly #runId: string;
  /** Returns the event for a voided message: a snapshot without it. */
  readonly #withdraw: (messageId: string) => AgUiEvent;
  readonly #calls = new Map<string, Said>();
  readonly #marks = new Map<string, SpokenMark>();
  /** Text of the last message outside of subagents. */
  lastText = "";

  constructor(runId: string, withdraw: (messageId: string) => AgUiEvent) {
    this.#runId = runId;
    this.#withdraw = withdraw;
  }

  /** Returns the message id of a started call. */
  messageOf(callId: string): string | undefined {
    return this.#calls.has(callId) ? messageIdOf(this.#runId, callId) : undefined;
  }

  read(callId: string, event: SpokenEvent, speaker: Speaker): readonly AgUiEvent[] {
    const said = this.#of(callId);
    const messageId = messageIdOf(this.#runId, callId);
    const mark = this.#marks.get(messageId);
    const before = said.words ?? (mark && silentCall(callId));
    const words = foldCall(before, event);
    if (words === undefined || words === before) return [];
    said.words = words;
    if (mark !== undefined) {
      this.#marks.delete(messageId);
      continueFrom(said, mark, words);
    }
    const about =
      speaker.subagentRunId === undefined ? {} : { subagentRunId: speaker.subagentRunId };
    const events: AgUiEvent[] = [];
    if (!words.text.startsWith(said.text)) {
      if (said.isOpen) events.push({ type: "TEXT_MESSAGE_END", messageId, ...about });
      events.push(...this.#endThought(said, callId, about), this.#withdraw(messageId));
      said.text = "";
      said.isOpen = false;
    }
    events.push(...this.#think(said, { words, callId, about }));
    const delta = words.text.slice(said.text.length);
    if (delta !== "" && (said.isOpen || words.text.trim() !== "")) {
      events.push(...this.#endThought(said, callId, about));
      if (!said.isOpen) {
        const name = speaker.name === undefined ? {} : { name: speaker.name };
        events.push({
          type: "TEXT_MESSAGE_START",
          messageId,
          role: "assistant",
          ...name,
          ...about,
        });
      }
      events.push({ type: "TEXT_MESSAGE_CONTENT", messageId, delta, ...about });
      said.isOpen = true;
      said.text = words.text;
    }
    if (words.done) {
      events.push(...this.#endThought(said, callId, about));
      if (said.isOpen) events.push({ type: "TEXT_MESSAGE_END", messageId, ...about });
      if (said.text !== "" && speaker.subagentRunId === undefined) this.lastText = said.text;
      said.isOpen = false;
    }
    return events;
  }

  /** Ends every open message and thought. */
  close(speakerOf: (callId: string) => Speaker): readonly AgUiEvent[] {
    return [...this.#calls].flatMap(([callId, said]) => {
      const { subagentRunId } = speakerOf(callId);
      const about = subagentRunId === undefined ? {} : { subagentRunId };
      const messageId = messageIdOf(this.#runId, callId);
      const mark = this.#marks.get(messageId);
      if (mark !== undefined) Object.assign(said, mark);
      this.#marks.delete(messageId);
      const events: AgUiEvent[] = [...this.#endThought(said, callId, about)];
      if (said.isOpen) events.push({ type: "TEXT_MESSAGE_END", messageId, ...about });
      said.isOpen = false;
      return events;
    });
  }

  /** Lengths of open messages at the client. */
  get marks(): readonly SpokenMark[] {
    const open = [...this.#calls].flatMap(([callId, said]): SpokenMark[] => {
      const { text, thought, spans, isOpen, isThinking } = said;
      if (!isOpen && !isThinking) return [];
      const about = { spans, isOpen, isThinking, thoughtLength: thought.length };
      const messageId = messageIdOf(this.#runId, callId);
      return [{ messageId, length: text.length, hash: hashOf(text), ...about }];
    });
    return [...open, ...this.#marks.values()];
  }

  /** Continues for a client with these lengths. */
  set marks(marks: readonly SpokenMark[]) {
    for (const mark of marks) this.#marks.set(mark.messageId, mark);
  }

  #of(callId: string): Said {
    let said = this.#calls.get(callId);
    if (said === undefined) {
      const nothing = { text: "", isOpen: false, thought: "", isThinking: false, spans: 0 };
      this.#calls.set(callId, (said = { words: undefined, ...nothing }));
    }
    return said;
  }

  #think(
    said: Said,
    { words, callId, about }: { words: CallWords; callId: string; about: Speaker },
  ): readonly AgUiEvent[] {
    const { thinking, text } = words;
    const isNext = thinking.startsWith(said.thought);
    const delta = isNext ? thinking.slice(said.thought.length) : thinking;
    const ended = isNext ? [] : this.#endThought(said, callId, about);
    said.thought = thinking;
    // Late thoughts are dropped, because they would come after the text.
    if (delta === "" || (text !== "" && said.isOpen)) return ended;
    const events: AgUiEvent[] = [...ended];
    const messageId = reasoningIdOf(this.#runId, callId, said.spans);
    if (!said.isThinking)
      events.push(
        { type: "REASONING_START", messageId, ...about },
        { type: "REASONING_MESSAGE_START", messageId, role: "reasoning", ...about },
      );
    said.isThinking = true;
    events.push({ type: "REASONING_MESSAGE_CONTENT", messageId, delta, ...about });
    return events;
  }

  #endThought(said: Said, callId: string, about: Speaker): readonly AgUiEvent[] {
    if (!said.isThinking) return [];
    const messageId = reasoningIdOf(this.#runId, callId, said.spans);
    said.isThinking = false;
    said.spans += 1;
    return [
      { type: "REASONING_MESSAGE_END", messageId, ...about },
      { type: "REASONING_END", messageId, ...about },
    ];
  }
}

/** Stands for unknown text at the client. No text begins with it. */
const UNKNOWN = "\u0000";

function silentCall(callId: string): CallWords {
  return { callId, attempt: 1, text: "", thinking: "", toolCalls: [], done: false };
}

function continueFrom(said: Said, mark: SpokenMark, words: CallWords): void {
  const { length, hash, thoughtLength, spans, isOpen, isThinking } = mark;
  const text = words.text.slice(0, length);
  said.text = isOpen ? (hashOf(text) === hash ? text : UNKNOWN) : "";
  said.isOpen = isOpen;
  said.isThinking = isThinking;
  said.spans = spans;
  said.thought = words.thinking.slice(0, thoughtLength);
}

function hashOf(text: string): string {
  return sha256Hex(text).slice(0, 8);
}
