import { fingerprint } from "../base/hash.ts";
import type { Message } from "../llm/language-model.ts";

/**
 * The conversation of one task, growing at its end. Computes its fingerprint from the new messages alone, and passes
 * models the same array every time, so they convert only new messages.
 */
export class Transcript {
  #messages: Message[] = [];
  #hash = "";

  constructor(messages: readonly Message[]) {
    for (const message of messages) this.add(message);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Fingerprint of all messages. */
  get hash(): string {
    return this.#hash;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#hash = fingerprint(JSON.stringify(message), this.#hash);
  }

  /** Starts again with other messages. */
  replace(messages: readonly Message[]): void {
    this.#messages = [];
    this.#hash = "";
    for (const message of messages) this.add(message);
  }
}
