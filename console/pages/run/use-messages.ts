// Messages of a conversation's run. They are read page by page, and the last page again after each change.
import { useEffect, useRef, useState } from "react";
import type { MessageView } from "../../../src/client/index.ts";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import type { LiveRun } from "./use-run.ts";

const PAGE = 100;
/** A step's end is known a moment before its message. */
const SETTLE_MS = 300;

export type Messages = {
  readonly messages: readonly MessageView[];
  /** True once all messages so far are read. */
  readonly isWhole: boolean;
  /** Reason why later messages are missing. */
  readonly error: unknown;
  readonly again: () => void;
};

/** Messages read so far, and the beginning of the last page. */
type Read = { readonly messages: readonly MessageView[]; readonly last: string | undefined };

export function useMessages(run: RunView, { tree, version }: LiveRun): Messages {
  const known = useRef<Read>({ messages: [], last: undefined });
  const [state, setState] = useState<Omit<Messages, "again">>({
    messages: [],
    isWhole: false,
    error: undefined,
  });
  const [tries, setTries] = useState(0);
  // The stream of words changes no message.
  const ended = useEnded(tree, version);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const timer = setTimeout(
      () => {
        readOn().catch((error: unknown) => {
          if (!signal.aborted) setState((now) => ({ ...now, error }));
        });
      },
      known.current.messages.length === 0 ? 0 : SETTLE_MS,
    );
    return () => {
      left.abort();
      clearTimeout(timer);
    };

    async function readOn(): Promise<void> {
      for (let isWhole = false; !isWhole && !signal.aborted;) {
        const { last } = known.current;
        const page = await client.conversations.messages(run.id, {
          limit: PAGE,
          ...(last === undefined ? undefined : { cursor: last }),
        });
        if (signal.aborted) return;
        isWhole = page.nextCursor === undefined;
        const messages = joined(known.current.messages, page.items);
        known.current = { messages, last: page.nextCursor ?? last };
        setState({ messages, isWhole, error: undefined });
      }
    }
  }, [run.id, run.status, ended, tries]);
  return { ...state, again: () => setTries(tries + 1) };
}

/** The messages with those of a page, which begins among them or right behind. Unchanged ones stay the same objects. */
export function joined(
  messages: readonly MessageView[],
  page: readonly MessageView[],
): readonly MessageView[] {
  const news = page.filter(({ index }) => index >= messages.length);
  return news.length === 0 ? messages : [...messages, ...news];
}

function useEnded({ steps }: LiveRun["tree"], version: number): number {
  const counted = useRef({ version: -1, count: 0 });
  if (counted.current.version !== version)
    counted.current = {
      version,
      count: steps.filter(({ endedAt }) => endedAt !== undefined).length,
    };
  return counted.current.count;
}
