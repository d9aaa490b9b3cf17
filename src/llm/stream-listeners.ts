import type { StreamListeners } from "./language-model.ts";

/** True when somebody hears the answer as it comes. */
export function hasListeners({ onDelta, onThinking, onToolDelta }: StreamListeners): boolean {
  return onDelta !== undefined || onThinking !== undefined || onToolDelta !== undefined;
}
