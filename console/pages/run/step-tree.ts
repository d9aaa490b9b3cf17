// The rows of a run's journal as a tree: tasks or methods, in them turns, in them calls of models and tools.
import type { StepRow, StepState, Usage } from "../../api-types.ts";

/** A row of the tree: a step, or a turn, which groups steps and has no row of its own in the journal. */
export type TreeRow = {
  readonly key: string;
  readonly label: string;
  readonly kind: string;
  readonly depth: number;
  readonly step: StepRow | undefined;
  readonly childCount: number;
  readonly state: StepState;
  readonly startMs: number;
  /** Undefined while it goes on. */
  readonly endMs: number | undefined;
  /** Its own and those of the rows below. */
  readonly tokens: number;
  readonly costUsd: number;
};

type Node = { readonly key: string; readonly step: StepRow | undefined; readonly children: Node[] };

/** Steps by key, in the order in which they began; kept up to date by rows and by events. */
export class StepTree {
  readonly #steps = new Map<string, StepRow>();
  #roots: readonly Node[] | undefined;

  get size(): number {
    return this.#steps.size;
  }

  /** The rows that have not ended, from which a later look has to begin. */
  get steps(): readonly StepRow[] {
    return [...this.#steps.values()];
  }

  get(key: string): StepRow | undefined {
    return this.#steps.get(key);
  }

  /** A row of the journal takes the place of what is known of the step, also of what events said. */
  add(rows: readonly StepRow[]): void {
    for (const row of rows) {
      const known = this.#steps.get(row.key);
      if (known?.endedAt !== undefined && row.endedAt === undefined && known.attempt >= row.attempt)
        continue;
      const usage = row.usage ?? known?.usage;
      this.#steps.set(row.key, usage === undefined ? row : { ...row, usage });
    }
    this.#roots = undefined;
  }

  /** The rows to show, each with its depth, without those below a folded one. */
  rows(isOpen: (key: string, depth: number) => boolean): readonly TreeRow[] {
    const shown: TreeRow[] = [];
    const visit = (node: Node, depth: number): void => {
      shown.push(toRow(node, depth));
      if (node.children.length > 0 && isOpen(node.key, depth))
        for (const child of node.children) visit(child, depth + 1);
    };
    for (const root of this.#tree()) visit(root, 0);
    return shown;
  }

  #tree(): readonly Node[] {
    if (this.#roots !== undefined) return this.#roots;
    const nodes = new Map<string, Node>();
    const roots: Node[] = [];
    const place = (key: string, step: StepRow | undefined, parent: string | undefined): Node => {
      const node: Node = { key, step, children: [] };
      nodes.set(key, node);
      (parent === undefined ? roots : (nodes.get(parent)?.children ?? roots)).push(node);
      return node;
    };
    for (const step of inOrder(this.#steps.values())) {
      let parent = this.#parentOf(step);
      const turn = turnOf(step.key);
      if (
        turn !== undefined &&
        turn !== step.key &&
        (parent === undefined || turn.startsWith(parent)) &&
        turn.length > (parent?.length ?? 0)
      ) {
        if (!nodes.has(turn))
          place(turn, undefined, parent !== undefined && nodes.has(parent) ? parent : undefined);
        parent = turn;
      }
      place(step.key, step, parent !== undefined && nodes.has(parent) ? parent : undefined);
    }
    this.#roots = roots.map(withoutLoneTurns);
    return this.#roots;
  }

  /** What the row says, else the longest key of a step that this one's key lies below. */
  #parentOf(step: StepRow): string | undefined {
    if (step.parent !== undefined) return step.parent;
    for (let end = step.key.lastIndexOf("/"); end > 0; end = step.key.lastIndexOf("/", end - 1))
      if (this.#steps.has(step.key.slice(0, end))) return step.key.slice(0, end);
    return undefined;
  }
}

/** `task:write/turn:2` of `task:write/turn:2/tool:search#0`. */
function turnOf(key: string): string | undefined {
  const found = /^(.*?\/?turn:\d+)\//.exec(key);
  return found?.[1];
}

/** Parents first, as they begin before what runs in them. */
function inOrder(steps: Iterable<StepRow>): readonly StepRow[] {
  return [...steps].toSorted(
    (one, other) =>
      Date.parse(one.startedAt) - Date.parse(other.startedAt) ||
      one.key.split("/").length - other.key.split("/").length,
  );
}

/** A turn of a single step says no more than the step. */
function withoutLoneTurns(node: Node): Node {
  const children = node.children.map(withoutLoneTurns);
  const [only] = children;
  if (node.step === undefined && children.length === 1 && only !== undefined) return only;
  return { ...node, children };
}

function toRow(node: Node, depth: number): TreeRow {
  const { key, step, children } = node;
  const below = children.map((child) => toRow(child, depth + 1));
  const own = step?.usage;
  return {
    key,
    label: labelOf(key, step),
    kind: step?.kind ?? "turn",
    depth,
    step,
    childCount: children.length,
    state: step?.state ?? stateOf(below),
    startMs:
      step === undefined
        ? Math.min(...below.map(({ startMs }) => startMs))
        : Date.parse(step.startedAt),
    endMs:
      step === undefined
        ? endOf(below)
        : step.endedAt === undefined
          ? undefined
          : Date.parse(step.endedAt),
    tokens: (own?.totalTokens ?? 0) + sum(below, ({ tokens }) => tokens),
    costUsd: (own?.costUsd ?? 0) + sum(below, ({ costUsd }) => costUsd),
  };
}

function stateOf(rows: readonly TreeRow[]): StepState {
  for (const state of ["waiting", "started"] as const)
    if (rows.some((row) => row.state === state)) return state;
  return rows.at(-1)?.state ?? "done";
}

function endOf(rows: readonly TreeRow[]): number | undefined {
  const ends = rows.map(({ endMs }) => endMs);
  return ends.some((end) => end === undefined)
    ? undefined
    : Math.max(...ends.map((end) => end ?? 0));
}

function sum(rows: readonly TreeRow[], of: (row: TreeRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

/** What people call the step: its label, or the last part of its key in words. */
export function labelOf(key: string, step?: StepRow): string {
  const last = key.slice(key.lastIndexOf("/") + 1);
  const turn = /^turn:(\d+)$/.exec(last);
  if (turn !== null) return `Turn ${turn[1]}`;
  if (step?.label !== undefined && step.label !== "") return step.label;
  const named = /^(?:task|method|tool|agent|group|wait|value):(.+?)(?:#\d+)?$/.exec(last);
  return named?.[1] ?? last;
}

type StepEvent = {
  readonly type: string;
  readonly at?: string;
  readonly path?: string;
  readonly error?: unknown;
  readonly usage?: Usage;
};

const KIND_OF: Readonly<Record<string, string>> = {
  task: "task",
  llm_call: "model",
  tool_usage: "tool",
  method_execution: "method",
};

/**
 * What an event says of its step, so that rows move before the journal is read again. False for an event of a step that is
 * not known and cannot be made up from it: then the journal has to be read.
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
