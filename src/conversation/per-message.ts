import type { ConversationMessage } from "./messages.ts";

/** Caches a function of a message: computed once per message, and collected with it. */
export function perMessage<Result>(
  make: (message: ConversationMessage) => Result,
): (message: ConversationMessage) => Result {
  const known = new WeakMap<ConversationMessage, { readonly result: Result }>();
  return (message) => {
    let entry = known.get(message);
    if (entry === undefined) known.set(message, (entry = { result: make(message) }));
    return entry.result;
  };
}
