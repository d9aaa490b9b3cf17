// A conversation that has been started.
//
//   RRS1. Its events can be read by any number of readers, each from the first one on. The last is `run_completion`.
//   RRS2. A run that fails yields `error`, then its error is thrown.
import type { JsonValue } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Ag2Event } from "./ag2-contents.ts";
import { ag2Events } from "./ag2-events.ts";
import { answerable, ConversationValues } from "./conversation-values.ts";

/** Which chat of a run a response is about. */
export type ChatOfRun = {
  /** Its path. */
  readonly path: string;
  /** What it came to; rejects with the run's error where it came to nothing. */
  readonly result: () => Promise<JsonValue>;
};

/** A conversation that goes on by itself: its events in AG2's envelopes, and what it comes to. */
export class RunResponse extends ConversationValues {
  /** The run's id. */
  readonly uuid: string;
  /** The run itself: its own events, status, waits, and the ways to steer it. */
  readonly handle: RunHandle;
  readonly #chat: ChatOfRun | undefined;

  /** `chat`: the only chat of the run that it is about. @default the whole run */
  constructor(handle: RunHandle, chat?: ChatOfRun) {
    super();
    this.uuid = handle.id;
    this.handle = handle;
    this.#chat = chat;
  }

  /** What happens, from the first event on. */
  get events(): AsyncIterable<Ag2Event> {
    return this;
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<Ag2Event> {
    const { handle } = this;
    const chat = this.#chat === undefined ? {} : { chat: this.#chat.path };
    let last: Ag2Event | undefined;
    for await (const event of ag2Events(handle.events(), chat))
      yield answerable((last = event), handle);
    if (last?.type === "error") await handle.output();
  }

  protected override result(): Promise<JsonValue> {
    return this.#chat === undefined ? this.handle.output() : this.#chat.result();
  }
}
