// Events of a run, read over HTTP, as a page or a dashboard reads them.
import { StatedFailure, type Heard } from "./door.ts";

export type WireEvent = {
  readonly type: string;
  readonly seq?: number;
  readonly callId?: string;
  readonly attempt?: number;
  readonly offset?: number;
  readonly reset?: true;
  readonly chunk?: string;
  readonly text?: string;
  readonly toolCall?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
};

type Words = { attempt: number; text: string };

/** Joins the words of each call, and throws where an event or a piece of text is missing or doubled. */
export class EventReader {
  readonly #calls = new Map<string, Words>();
  #seq = 0;
  #last: Words | undefined;
  #end: WireEvent | undefined;

  read(event: WireEvent): void {
    const { type, seq } = event;
    if (seq !== undefined) {
      if (seq !== this.#seq + 1) throw new Error(`event ${seq} came after ${this.#seq}`);
      this.#seq = seq;
    }
    if (/^run_(?:completed|failed|cancelled)$/.test(type)) this.#end = event;
    if (type === "llm_stream_snapshot") this.#say(event).text = event.text ?? "";
    if (type === "llm_stream_chunk" && event.toolCall === undefined) this.#add(event);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Words of the last call that said any. Throws where the run has failed, or its end did not come. */
  end({ isStreamed }: { readonly isStreamed: boolean }): Heard {
    if (this.#end === undefined) throw new Error("the stream ended before its run");
    if (this.#end.error !== undefined) throw new StatedFailure(this.#end.error);
    return isStreamed ? { streamed: this.#last?.text } : {};
  }

  #add(event: WireEvent): void {
    const { chunk = "", offset = 0 } = event;
    const words = this.#say(event);
    if (words.text.length !== offset)
      throw new Error(`a chunk for ${offset} came after ${words.text.length} characters`);
    words.text += chunk;
  }

  #say({ callId = "", attempt = 1, reset }: WireEvent): Words {
    const known = this.#calls.get(callId);
    if (known !== undefined && known.attempt === attempt && reset === undefined) {
      this.#last = known;
      return known;
    }
    const words = { attempt, text: "" };
    this.#calls.set(callId, words);
    this.#last = words;
    return words;
  }
}
