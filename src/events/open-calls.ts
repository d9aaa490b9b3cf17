import { callIdOf, foldCall, type CallWords } from "../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "./run-event.ts";

/** Maximum text stored for one open call, in UTF-16 units. The rest arrives with its response. */
const MAX_LENGTH = 512 * 1024;

type OpenCall = {
  readonly words: CallWords;
  /** First chunk of the call. */
  readonly first: LiveEvent;
};

/** Text of open model calls so far, for late subscribers. Freed at the end of each call. */
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

  /** Returns one event for each call with output, with all of its text at once. */
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
