// Stop words for models that refuse them: the text is cut locally, before the earliest of them.
import type { ModelResponse, StreamListeners } from "./language-model.ts";

/** Returns the text up to the earliest stop word, trimmed; the whole text without one. */
export function cutAtStop(text: string, stops: readonly string[]): string {
  const end = firstStop(text, stops);
  return end < 0 ? text : text.slice(0, end).trim();
}

/**
 * Cuts a complete answer at stop words. The usage stays unchanged, because the provider charges for the removed text
 * too.
 */
export function stopResponse(response: ModelResponse, stops: readonly string[]): ModelResponse {
  const text = cutAtStop(response.text, stops);
  if (text === response.text) return response;
  // Up to a stop word an answer is whole, even if a limit cut it later.
  const { end: _, ...rest } = response;
  return { ...rest, text, finishReason: response.toolCalls.length > 0 ? "tool_calls" : "stop" };
}

/**
 * Returns listeners that receive no text after a stop word. A possible start of one is held back until it is decided;
 * call `end` at the end of the stream.
 */
export function stopListeners(
  listeners: StreamListeners,
  stops: readonly string[],
): { readonly listeners: StreamListeners; readonly end: () => void } {
  const { onDelta } = listeners;
  if (onDelta === undefined) return { listeners, end: () => undefined };
  let held = "";
  let stopped = false;
  return {
    listeners: {
      ...listeners,
      onDelta: (text) => {
        if (stopped) return;
        held += text;
        const at = firstStop(held, stops);
        // A found one does not count yet while another may have begun before it.
        const open = held.length - openEnd(held, stops);
        stopped = at >= 0 && at <= open;
        const clear = stopped ? at : open;
        if (clear > 0) onDelta(held.slice(0, clear));
        held = stopped ? "" : held.slice(clear);
      },
    },
    end: () => {
      const at = firstStop(held, stops);
      const rest = at < 0 ? held : held.slice(0, at);
      if (rest !== "") onDelta(rest);
      held = "";
    },
  };
}

function firstStop(text: string, stops: readonly string[]): number {
  let first = -1;
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  return first;
}

/** Returns the number of characters at the end that could start a stop word. */
function openEnd(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
