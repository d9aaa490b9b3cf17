import type { Message } from "./language-model.ts";

type Converted<State> = { readonly sources: Message[]; state: State };

/**
 * Converts a conversation to a provider's form and remembers the result for each array: if the same array returns with
 * more messages, only the new ones are converted. An array with replaced or removed messages is converted from the
 * beginning.
 */
export class IncrementalConversion<State> {
  readonly #start: () => State;
  readonly #append: (state: State, message: Message) => void;
  readonly #known = new WeakMap<readonly Message[], Converted<State>>();

  constructor(start: () => State, append: (state: State, message: Message) => void) {
    this.#start = start;
    this.#append = append;
  }

  convert(messages: readonly Message[]): State {
    let known = this.#known.get(messages);
    if (known === undefined || !startsWith(messages, known.sources)) {
      known = { sources: [], state: this.#start() };
      this.#known.set(messages, known);
    }
    for (let index = known.sources.length; index < messages.length; index++) {
      const message = messages[index];
      if (message === undefined) continue;
      this.#append(known.state, message);
      known.sources.push(message);
    }
    return known.state;
  }
}

function startsWith(messages: readonly Message[], start: readonly Message[]): boolean {
  if (messages.length < start.length) return false;
  for (let index = 0; index < start.length; index++) {
    if (messages[index] !== start[index]) return false;
  }
  return true;
}
