import type { Usage } from "../../api-types.ts";
import type { StepTree } from "./step-tree.ts";

type StepEvent = {
  readonly type: string;
  readonly at?: string;
  readonly path?: string;
  readonly error?: unknown;
  /** Name of the called model. */
  readonly model?: string;
  readonly usage?: Usage;
};

const KIND_OF: Readonly<Record<string, string>> = {
  task: "task",
  llm_call: "model",
  tool_usage: "tool",
  method_execution: "method",
};

/**
 * Applies an event to its step, so that rows move before the journal is read again. Returns false if the step is
 * unknown and cannot be made from the event: then the journal must be read.
 */
export function applyEvent(tree: StepTree, event: StepEvent): boolean {
  const { type, at, path } = event;
  if (path === undefined || path === "" || at === undefined) return true;
  if (type === "wait_opened" || type === "wait_settled" || type === "step_restarted") return false;
  const found =
    /^(task|llm_call|tool_usage|method_execution)_(started|completed|finished|failed|error)$/.exec(
      type,
    );
  if (found === null) return true;
  const [, subject = "", how = ""] = found;
  const known = tree.get(path);
  if (how === "started") {
    if (known === undefined)
      tree.add([
        {
          key: path,
          kind: KIND_OF[subject] ?? "effect",
          state: "started",
          attempt: 1,
          startedAt: at,
          bytes: 0,
          ...(event.model === undefined ? undefined : { label: event.model }),
        },
      ]);
    return true;
  }
  if (known === undefined) return false;
  if (known.endedAt !== undefined) return true;
  const isGood = how === "completed" || how === "finished";
  tree.add([
    {
      ...known,
      state: isGood ? "done" : "error",
      endedAt: at,
      ...(event.usage === undefined ? undefined : { usage: event.usage }),
    },
  ]);
  return true;
}
