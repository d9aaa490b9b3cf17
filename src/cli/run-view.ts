// State of a run for the live view, folded from its events.
//
//   RNV1. The fold is pure: the same events make the same view at any time.
//   RNV2. Work below a task or method counts for the innermost one. A name that begins like another is a different one.
//   RNV3. A row asks a person while one of its questions is open. Timers and child runs are no questions.
//   RNV4. A repeated call of a method is the same row, once more. A retry or a restart after a crash shows on the row
//         and as a notice.
import {
  foldWords,
  type LiveEvent,
  type RunEvent,
  type TaskState,
  type Words,
} from "../client/index.ts";

export type RowState = "waiting" | "running" | "done" | "failed" | "person" | "again";

/** A task of a crew, or a method of a flow. */
export type ViewRow = {
  /** Its step key, without the count of a repeated one. */
  readonly key: string;
  readonly name: string;
  readonly who: string;
  readonly state: RowState;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly tokens: number;
  /** Number of executions: methods of flows may run again. */
  readonly times: number;
  /** Calls of tools, by name. */
  readonly tools: Readonly<Record<string, number>>;
  /** Keys of its unanswered questions. */
  readonly asks: readonly string[];
};

/** An awaited run. */
export type ViewChild = {
  readonly key: string;
  readonly runId: string;
  readonly state: "running" | "done";
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
  readonly children: readonly ViewChild[];
  /** Retries, restarts after a crash, lost connections: newest last. */
  readonly notices: readonly string[];
  /** Total number of notices, including dropped ones. */
  readonly noticed: number;
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
    children: [],
    notices: [],
    noticed: 0,
    words: {},
  };
}

const MAX_NOTICES = 50;

/** Adds rows for future tasks to the view. */
export function withTasks(view: RunView, tasks: readonly TaskState[]): RunView {
  const known = new Set(view.rows.map(({ key }) => key));
  const ahead = tasks
    .filter(({ key }) => !known.has(key))
    .map(({ key, name, agent }): ViewRow => ({
      ...newRow({ key, name, who: agent }),
      state: "waiting",
      times: 0,
    }));
  return { ...view, rows: [...view.rows, ...ahead] };
}

/** Applies an event to the view. */
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
    case "wait_opened":
      return opened(said, event);
    case "wait_settled":
      return settled(said, event.key);
    default:
      return withWork(said, event);
  }
}

/** Applies an event of a task, a method, a call or a step. */
function withWork(said: RunView, event: RunEvent): RunView {
  const atMs = Date.parse(event.at);
  switch (event.type) {
    case "task_started":
      return begun(said, { key: event.path, name: event.taskName, who: event.agentRole, atMs });
    case "task_completed":
      return ended(said, event.path, { state: "done", atMs });
    case "task_failed":
      return ended(said, event.path, { state: "failed", atMs });
    case "method_execution_started":
      return begun(said, { key: event.path, name: event.methodName, who: "", atMs });
    case "method_execution_finished":
      return ended(said, event.path, { state: "done", atMs });
    case "method_execution_failed":
      return ended(said, event.path, { state: "failed", atMs });
    case "llm_call_started":
    case "tool_usage_started":
      return changed(said, event.path, goesOn);
    case "llm_call_completed": {
      const { totalTokens, costUsd } = event.usage;
      const all = { ...said, tokens: said.tokens + totalTokens, costUsd: said.costUsd + costUsd };
      return changed(all, event.path, (row) => ({
        ...goesOn(row),
        tokens: row.tokens + totalTokens,
      }));
    }
    case "tool_usage_finished":
      return changed(said, event.path, (row) => ({
        ...goesOn(row),
        tools: { ...row.tools, [event.toolName]: (row.tools[event.toolName] ?? 0) + 1 },
      }));
    case "step_retrying":
      return noticed(
        changed(said, event.key, again),
        `${event.key}: attempt ${event.attempt + 1} in ${(event.delayMs / 1000).toFixed(1)} s, after: ${event.error.message}`,
      );
    case "step_restarted":
      return noticed(changed(said, event.key, again), `${event.key}: begun again after a crash`);
    default:
      return said;
  }
}

/** Adds a notice for people, such as a lost connection. */
export function noticed(view: RunView, text: string): RunView {
  const notices = [...view.notices, text].slice(-MAX_NOTICES);
  return { ...view, notices, noticed: view.noticed + 1 };
}

const newRow = ({ key, name, who }: Pick<ViewRow, "key" | "name" | "who">): ViewRow => ({
  key,
  name,
  who,
  state: "running",
  tokens: 0,
  times: 1,
  tools: {},
  asks: [],
});

const goesOn = (row: ViewRow): ViewRow =>
  row.state === "again" ? { ...row, state: "running" } : row;

const again = (row: ViewRow): ViewRow =>
  row.state === "running" ? { ...row, state: "again" } : row;

/** Returns the key of a path's row without repetitions: `method:ask~2/turn:1` is within `method:ask`. */
const rowPath = (path: string): string => path.replaceAll(/~\d+(?=\/|$)/g, "");

function begun(
  view: RunView,
  { key: path, name, who, atMs }: { key: string; name: string; who: string; atMs: number },
): RunView {
  const key = rowPath(path);
  const known = view.rows.find((row) => row.key === key);
  if (known === undefined)
    return { ...view, rows: [...view.rows, { ...newRow({ key, name, who }), startedAtMs: atMs }] };
  const { endedAtMs: _, ...open } = known;
  const row: ViewRow = { ...open, state: "running", times: known.times + 1, startedAtMs: atMs };
  return { ...view, rows: view.rows.map((each) => (each === known ? row : each)) };
}

function ended(
  view: RunView,
  path: string,
  { state, atMs }: { readonly state: RowState; readonly atMs: number },
): RunView {
  const key = rowPath(path);
  const rows = view.rows.map((row) =>
    row.key === key ? { ...row, state, endedAtMs: atMs, asks: [] } : row,
  );
  return { ...view, rows };
}

function opened(
  view: RunView,
  { key, kind, childRunId }: { key: string; kind: string; childRunId?: string },
): RunView {
  if (kind === "human" || kind === "input")
    return changed(view, key, (row) => ({ ...row, state: "person", asks: [...row.asks, key] }));
  if (kind !== "child" || childRunId === undefined) return view;
  const others = view.children.filter((child) => child.key !== key);
  return { ...view, children: [...others, { key, runId: childRunId, state: "running" }] };
}

function settled(view: RunView, key: string): RunView {
  const children = view.children.map((child) =>
    child.key === key ? { ...child, state: "done" as const } : child,
  );
  return changed({ ...view, children }, key, (row) => {
    const asks = row.asks.filter((each) => each !== key);
    const isAnswered = row.state === "person" && asks.length === 0;
    return { ...row, asks, ...(isAnswered ? { state: "running" as const } : undefined) };
  });
}

/** Changes the innermost row above a path. */
function changed(view: RunView, path: string, change: (row: ViewRow) => ViewRow): RunView {
  const row = rowOf(view.rows, path);
  if (row === undefined) return view;
  return { ...view, rows: view.rows.map((each) => (each === row ? change(row) : each)) };
}

/** Returns the innermost row above a path. */
export function rowOf(rows: readonly ViewRow[], path: string): ViewRow | undefined {
  const within = `${rowPath(path)}/`;
  return rows
    .filter(({ key }) => within.startsWith(`${key}/`))
    .toSorted((a, b) => b.key.length - a.key.length)[0];
}
