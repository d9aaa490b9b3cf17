// What a run has come to, folded out of its events: what the live view shows.
//
//   RNV1. The fold is pure: the same events make the same view, whoever heard them when.
import { foldWords, type LiveEvent, type RunEvent, type Words } from "../client/index.ts";

export type RowState = "waiting" | "running" | "done" | "failed" | "person" | "again";

/** A task of a crew, a method of a flow, or a speaker of a conversation. */
export type ViewRow = {
  readonly key: string;
  readonly name: string;
  readonly who: string;
  readonly state: RowState;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly tokens: number;
  /** How often it was carried out: methods of flows may be called again. */
  readonly times: number;
  /** Calls of tools, by name. */
  readonly tools: Readonly<Record<string, number>>;
};

export type RunView = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly tokens: number;
  readonly costUsd: number;
  readonly rows: readonly ViewRow[];
  /** Retries, restarts after a crash, lost connections: newest last. */
  readonly notices: readonly string[];
  readonly words: Words;
};

export function emptyView(id: string, name: string): RunView {
  return {
    id,
    name,
    status: "queued",
    startedAtMs: undefined,
    endedAtMs: undefined,
    tokens: 0,
    costUsd: 0,
    rows: [],
    notices: [],
    words: {},
  };
}

const MAX_NOTICES = 50;

/** The view after an event. */
export function foldEvent(view: RunView, event: RunEvent | LiveEvent): RunView {
  const said = { ...view, words: foldWords(view.words, event) };
  if (!("seq" in event)) return said;
  const atMs = Date.parse(event.at);
  switch (event.type) {
    case "run_started":
      return { ...said, status: "running", startedAtMs: atMs };
    case "run_waiting":
      return { ...said, status: "waiting" };
    case "run_resumed":
      return { ...said, status: "running" };
    case "run_paused":
      return { ...said, status: "paused" };
    case "run_held":
      return noticed({ ...said, status: "held" }, `held: ${event.message}`);
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return { ...said, status: event.type.slice("run_".length), endedAtMs: atMs };
    case "task_started":
      return begun(said, { key: event.path, name: event.taskName, who: event.agentRole, atMs });
    case "task_completed":
      return ended(said, event.path, { state: "done", atMs });
    case "task_failed":
      return ended(said, event.path, { state: "failed", atMs });
    case "method_execution_started":
      return begun(said, { key: event.methodName, name: event.methodName, who: "", atMs });
    case "method_execution_finished":
      return ended(said, event.methodName, { state: "done", atMs });
    case "method_execution_failed":
      return ended(said, event.methodName, { state: "failed", atMs });
    case "llm_call_completed": {
      const { totalTokens, costUsd } = event.usage;
      const all = { ...said, tokens: said.tokens + totalTokens, costUsd: said.costUsd + costUsd };
      return changed(all, event.path, (row) => ({ ...row, tokens: row.tokens + totalTokens }));
    }
    case "tool_usage_finished":
      return changed(said, event.path, (row) => ({
        ...row,
        tools: { ...row.tools, [event.toolName]: (row.tools[event.toolName] ?? 0) + 1 },
      }));
    case "wait_opened":
      return changed(said, event.key, (row) => ({ ...row, state: "person" }));
    case "wait_settled":
      return changed(said, event.key, (row) =>
        row.state === "person" ? { ...row, state: "running" } : row,
      );
    case "step_retrying":
      return noticed(
        said,
        `${event.key}: attempt ${event.attempt + 1} in ${(event.delayMs / 1000).toFixed(1)} s, after: ${event.error.message}`,
      );
    case "step_restarted":
      return noticed(said, `${event.key}: begun again after a crash`);
    default:
      return said;
  }
}

/** The view with a line for people, such as a connection that was lost. */
export function noticed(view: RunView, text: string): RunView {
  return { ...view, notices: [...view.notices, text].slice(-MAX_NOTICES) };
}

function begun(
  view: RunView,
  { key, name, who, atMs }: { key: string; name: string; who: string; atMs: number },
): RunView {
  const known = view.rows.find((row) => row.key === key);
  const row: ViewRow =
    known === undefined
      ? { key, name, who, state: "running", startedAtMs: atMs, tokens: 0, times: 1, tools: {} }
      : { ...known, state: "running", times: known.times + 1 };
  const rows =
    known === undefined
      ? [...view.rows, row]
      : view.rows.map((each) => (each.key === key ? row : each));
  return { ...view, rows };
}

function ended(
  view: RunView,
  key: string,
  { state, atMs }: { readonly state: RowState; readonly atMs: number },
): RunView {
  return changed(view, key, (row) => ({ ...row, state, endedAtMs: atMs }));
}

/** Changes the row that a path lies in: its own, or the innermost of those that begin it. */
function changed(view: RunView, path: string, change: (row: ViewRow) => ViewRow): RunView {
  const within = (key: string): boolean =>
    path === key || path.startsWith(`${key}/`) || path.startsWith(`method:${key}`);
  const [row] = view.rows
    .filter(({ key }) => within(key))
    .toSorted((a, b) => b.key.length - a.key.length);
  if (row === undefined) return view;
  return { ...view, rows: view.rows.map((each) => (each === row ? change(row) : each)) };
}
