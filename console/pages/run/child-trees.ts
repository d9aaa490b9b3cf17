// Journals of child runs that are open in their parent's timeline. They load when the reader opens them, and again
// after changes.
import { useEffect, useReducer, useRef } from "react";
import { onChange } from "../../shell/changes.ts";
import { JournalReader } from "./journal-reader.ts";
import { StepTree } from "./step-tree.ts";

type Child = { readonly tree: StepTree; readonly reader: JournalReader };

export type ChildTrees = {
  readonly get: (runId: string) => StepTree | undefined;
  /** Increases with every change of a child. */
  readonly version: number;
};

export function useChildTrees(runIds: readonly string[]): ChildTrees {
  const children = useRef(new Map<string, Child>());
  const [version, grow] = useReducer((now: number) => now + 1, 0);
  const opened = runIds.join(" ");
  useEffect(() => {
    if (opened === "") return undefined;
    const ended = new AbortController();
    for (const id of opened.split(" ")) {
      if (children.current.has(id)) continue;
      const tree = new StepTree();
      const reader = new JournalReader(id, tree, grow);
      children.current.set(id, { tree, reader });
      // An unreadable child, such as a deleted one, is not shown.
      reader.readAll("asc", ended.signal).catch(() => children.current.delete(id));
    }
    const stop = onChange((change) => {
      const child = change.type === "run" ? children.current.get(change.run.id) : undefined;
      if (child === undefined) return;
      const open = child.tree.steps.filter(({ endedAt }) => endedAt === undefined);
      child.reader
        .readNews(new Set(open.map(({ key }) => key)), ended.signal)
        .catch(() => undefined);
    });
    return () => {
      stop();
      ended.abort();
    };
  }, [opened]);
  return { get: (runId) => children.current.get(runId)?.tree, version };
}
