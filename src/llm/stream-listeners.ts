import type { StreamListeners } from "./language-model.ts";

/** True if any callback wants the answer while it is generated. */
export function hasListeners({ onDelta, onThinking, onToolDelta }: StreamListeners): boolean {
  return onDelta !== undefined || onThinking !== undefined || onToolDelta !== undefined;
}
