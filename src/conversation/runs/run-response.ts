// A started conversation.
//
//   RRS1. Any number of readers can read its events, each from the first one on. The last is `run_completion`.
//   RRS2. A failed run yields `error`, then its error is thrown.
import type { JsonValue } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Ag2Event } from "./ag2-contents.ts";
import { ag2Events } from "./ag2-events.ts";
import { answerable, ConversationValues } from "./conversation-values.ts";

/** The chat of a run behind a response. */
export type ChatOfRun = {
  /** Path of the chat. */
  readonly path: string;
  /** Its result; rejects with the run's error if there is none. */
  readonly result: () => Promise<JsonValue>;
};

/** A running conversation: its events in AG2's envelopes, and its result. */
export class RunResponse extends ConversationValues {
  /** The run's id. */
  readonly uuid: string;
  /** The run itself: its events, status and waits, and methods to control it. */
  readonly handle: RunHandle;
  readonly #chat: ChatOfRun | undefined;

  /** `chat`: the only selected chat of the run. @default the whole run */
  constructor(handle: RunHandle, chat?: ChatOfRun) {
    super();
    this.uuid = handle.id;
    this.handle = handle;
    this.#chat = chat;
  }

  /** Events from the first one on. */
  get events(): AsyncIterable<Ag2Event> {
    return this;
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<Ag2Event> {
    const { handle } = this;
    const chat = this.#chat === undefined ? {} : { chat: this.#chat.path };
    let last: Ag2Event | undefined;
    for await (const event of ag2Events(handle.events({ words: "receive" }), chat))
      yield answerable((last = event), handle);
    if (last?.type === "error") await handle.output();
  }

  protected override result(): Promise<JsonValue> {
    return this.#chat === undefined ? this.handle.output() : this.#chat.result();
  }
}
