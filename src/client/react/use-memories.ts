import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toErrorRecord, type ErrorRecord } from "../../base/error.ts";
import type { MemoryRecord } from "../../memory/memory-record.ts";
import type { ChangeMemoryBody, SaveBody } from "../../memory/operations/schemas.ts";
import type { ListMemoriesOptions } from "../memory-api.ts";
import { useEdgecrew, type HookOptions } from "./provider.ts";

/** Memories in a component, newest first, with their actions. */
export type UseMemories = {
  readonly items: readonly MemoryRecord[];
  readonly isLoading: boolean;
  /** Error of the last request. */
  readonly error: ErrorRecord | undefined;
  /** Saves a memory, and reads the list again. Never rejects: see `error`. */
  readonly remember: (content: string, options?: Omit<SaveBody, "content">) => Promise<void>;
  readonly update: (id: string, changes: ChangeMemoryBody) => Promise<void>;
  readonly forget: (id: string) => Promise<void>;
  readonly reload: () => Promise<void>;
};

type State = Pick<UseMemories, "items" | "isLoading" | "error">;

const LOADING: State = { items: [], isLoading: true, error: undefined };

/** Lists memories, such as those of a token's person, and saves, changes and deletes them. */
export function useMemories(
  filter: ListMemoriesOptions = {},
  options: HookOptions = {},
): UseMemories {
  const { memory } = useEdgecrew(options);
  const name = JSON.stringify(filter);
  const [state, setState] = useState(LOADING);
  const asked = useRef(0);
  const run = useCallback(
    async (change: (viewer: ListMemoriesOptions) => Promise<unknown>): Promise<void> => {
      const turn = ++asked.current;
      const isLast = (): boolean => turn === asked.current;
      const list = JSON.parse(name) as ListMemoriesOptions;
      try {
        await change(list);
        const { items } = await memory.list(list);
        if (isLast()) setState({ items, isLoading: false, error: undefined });
      } catch (error) {
        if (isLast())
          setState(({ items }) => ({
            items,
            isLoading: false,
            error: toErrorRecord(error, "unavailable"),
          }));
      }
    },
    [memory, name],
  );
  const actions = useMemo(
    () => ({
      remember: (content: string, fields: Omit<SaveBody, "content"> = {}) =>
        run(({ person, source }) =>
          memory.remember(content, { ...only({ person, source }), ...fields }),
        ),
      update: (id: string, changes: ChangeMemoryBody) =>
        run((viewer) => memory.update(id, changes, viewerOf(viewer))),
      forget: (id: string) => run((viewer) => memory.delete(id, viewerOf(viewer))),
      reload: () => run(async () => undefined),
    }),
    [memory, run],
  );
  useEffect(() => {
    void actions.reload();
    return () => void asked.current++;
  }, [actions]);
  return { ...state, ...actions };
}

function viewerOf({ person, source, includePrivate }: ListMemoriesOptions) {
  return only({ person, source, includePrivate });
}

/** Returns the defined fields. */
function only<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}
