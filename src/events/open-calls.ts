import { callIdOf, foldCall, type CallWords } from "./call-words.ts";
import type { LiveEvent, RunEvent } from "./run-event.ts";

/** How much of one call is held for latecomers, in UTF-16 units. What it says beyond comes with its response. */
const MAX_LENGTH = 512 * 1024;

type OpenCall = {
  readonly words: CallWords;
  /** The chunk that it spoke first. */
  readonly first: LiveEvent;
};

/** What the model calls that are under way have said so far, for those who come late. Freed at the end of each call. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Takes the next event of the run. */
  take(event: RunEvent | LiveEvent): void {
    const callId = callIdOf(event);
    if (callId === undefined) return;
    const open = this.#calls.get(callId);
    if (open === undefined && "seq" in event) return;
    const words = foldCall(open?.words, event);
    if (words === undefined || words.done) this.#calls.delete(callId);
    else if (lengthOf(words) <= MAX_LENGTH)
      this.#calls.set(callId, { words, first: open?.first ?? (event as LiveEvent) });
  }

  clear(): void {
    this.#calls.clear();
  }

  /** One event for each call that has said something, as if it had said all of it just now. */
  snapshots(at: string): LiveEvent[] {
    return [...this.#calls.values()].flatMap(({ words, first }) => {
      if (lengthOf(words) === 0 && words.toolCalls.length === 0) return [];
      const { done: _, thinking, toolCalls, ...said } = words;
      const { runId, path, parentId, listenerScope } = first;
      return {
        id: `${path}:llm_stream_snapshot`,
        type: "llm_stream_snapshot",
        at,
        runId,
        path,
        ...(parentId === undefined ? undefined : { parentId }),
        ...(listenerScope === undefined ? undefined : { listenerScope }),
        ...said,
        ...(thinking === "" ? undefined : { thinking }),
        ...(toolCalls.length === 0 ? undefined : { toolCalls }),
      } satisfies LiveEvent;
    });
  }
}

function lengthOf({ text, thinking, toolCalls }: CallWords): number {
  return toolCalls.reduce(
    (sum, call) => sum + call.arguments.length,
    text.length + thinking.length,
  );
}
