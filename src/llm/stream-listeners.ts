import type { StreamListeners } from "./language-model.ts";

/** True if any callback receives the answer during its generation. */
export function hasListeners({ onDelta, onThinking, onToolDelta }: StreamListeners): boolean {
  return onDelta !== undefined || onThinking !== undefined || onToolDelta !== undefined;
}
