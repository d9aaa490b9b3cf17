// The rows of a run's journal as a tree: tasks or methods, in them turns, in them calls of models and tools.
//
// A row that comes or changes touches its own node and the sums of those above it, and no others.
import type { StepRow, StepState } from "../../api-types.ts";
import { isBefore, placeIn, StepNode, takeOut } from "./step-node.ts";

export type RowsOptions = {
  /** Rows of one parent in the order of their starts, the last one first. */
  readonly newestFirst?: boolean;
  /** The journal of a child run, once it is known. */
  readonly childTree?: (runId: string) => StepTree | undefined;
};
type IsOpen = (id: string, depth: number, isRun: boolean) => boolean;

/** A row that is shown: a step, or a group of steps that has no row of its own in the journal, such as a turn. */
export class TreeRow {
  readonly depth: number;
  /** The child run whose journal it is in; undefined for those of the run itself. */
  readonly runId: string | undefined;
  readonly #node: StepNode;

  constructor(node: StepNode, depth: number, runId: string | undefined) {
    this.#node = node;
    this.depth = depth;
    this.runId = runId;
  }

  get key(): string {
    return this.#node.key;
  }
  /** The key, which in the journal of a child run may be one of this run as well. */
  get id(): string {
    return idOf(this.#node, this.runId);
  }
  get step(): StepRow | undefined {
    return this.#node.step;
  }
  get label(): string {
    return labelOf(this.key, this.step);
  }
  get kind(): string {
    return this.step?.kind ?? "turn";
  }
  /** The run that this row waits for. */
  get childRunId(): string | undefined {
    return childRunOf(this.#node);
  }
  get childCount(): number {
    return this.#node.children.length;
  }
  get canOpen(): boolean {
    return this.childCount > 0 || this.childRunId !== undefined;
  }
  get state(): StepState {
    return stateOf(this.#node);
  }
  get startMs(): number {
    return this.#node.startMs;
  }
  /** Undefined while it goes on. */
  get endMs(): number | undefined {
    return endOf(this.#node);
  }
  /** Its own and those of the rows below. */
  get tokens(): number {
    return this.#node.tokens;
  }
  get costUsd(): number {
    return this.#node.costUsd;
  }
}

export class StepTree {
  readonly #nodes = new Map<string, StepNode>();
  readonly #roots: StepNode[] = [];
  /** Those with a step, in the order in which they began. */
  readonly #flat: StepNode[] = [];
  /** By the key of a step that is not known yet: who would lie below it. */
  readonly #wanting = new Map<string, Set<StepNode>>();
  #steps: readonly StepRow[] | undefined;

  get size(): number {
    return this.#flat.length;
  }

  /** All steps, in the order in which they began. */
  get steps(): readonly StepRow[] {
    this.#steps ??= this.#flat.flatMap(({ step }) => (step === undefined ? [] : [step]));
    return this.#steps;
  }

  /** When each step ran, in the order in which they began. */
  get nodes(): readonly StepNode[] {
    return this.#flat;
  }

  /** The step of the journal that began last; what only events have told of is none yet. */
  get newestKey(): string | undefined {
    return this.#flat.findLast(({ seq }) => seq !== undefined)?.key;
  }

  get(key: string): StepRow | undefined {
    return this.#nodes.get(key)?.step;
  }

  /** A row of the journal takes the place of what is known of the step, also of what events said. */
  add(rows: readonly StepRow[]): void {
    for (const row of rows) this.#addRow(row);
    this.#steps = undefined;
  }

  /** The rows to show, without those below a folded one. */
  rows(isOpen: IsOpen, { newestFirst = false, childTree }: RowsOptions = {}): readonly TreeRow[] {
    const shown: TreeRow[] = [];
    const visitAll = (nodes: readonly StepNode[], depth: number, runId?: string): void => {
      if (newestFirst)
        for (let index = nodes.length - 1; index >= 0; index--) visit(nodes[index], depth, runId);
      else for (const node of nodes) visit(node, depth, runId);
    };
    const visit = (found: StepNode | undefined, depth: number, runId?: string): void => {
      if (found === undefined) return;
      const node = withoutLoneGroups(found);
      shown.push(new TreeRow(node, depth, runId));
      const childRunId = childRunOf(node);
      if (childRunId === undefined && node.children.length === 0) return;
      if (!isOpen(idOf(node, runId), depth, childRunId !== undefined)) return;
      visitAll(node.children, depth + 1, runId);
      const child = childRunId === undefined ? undefined : childTree?.(childRunId);
      if (child !== undefined) visitAll(child.#roots, depth + 1, childRunId);
    };
    visitAll(this.#roots, 0);
    return shown;
  }

  #addRow(row: StepRow): void {
    const node = this.#nodes.get(row.key) ?? new StepNode(row.key);
    const known = node.step;
    if (known?.endedAt !== undefined && row.endedAt === undefined && known.attempt >= row.attempt)
      return;
    const usage = row.usage ?? known?.usage;
    const hadPlace = node.startMs;
    const hadSeq = node.seq;
    node.setStep(usage === undefined ? row : { ...row, usage });
    if (known === undefined) {
      this.#nodes.set(row.key, node);
      placeIn(this.#flat, node);
      this.#place(node);
      return;
    }
    if (node.startMs !== hadPlace || node.seq !== hadSeq) {
      takeOut(this.#flat, node);
      placeIn(this.#flat, node);
      this.#attach(node, node.parent);
    }
    if (known.parent !== row.parent) this.#place(node);
  }

  /** Finds the parent of a node, and takes below it who has waited for it. */
  #place(node: StepNode): void {
    this.#attach(node, this.#parentOf(node));
    const waiting = this.#wanting.get(node.key);
    if (waiting === undefined) return;
    this.#wanting.delete(node.key);
    for (const each of waiting) {
      const parent = this.#parentOf(each);
      if (parent !== each.parent) this.#attach(each, parent);
    }
  }

  /** What the row says, with the turn between; else the longest key that this one's lies below. */
  #parentOf(node: StepNode): StepNode | undefined {
    const said = node.step?.parent ?? node.saidParent;
    const turn = turnOf(node.key);
    if (said !== undefined)
      return turn !== undefined && turn.startsWith(`${said}/`)
        ? this.#group(turn, said)
        : this.#group(said);
    const { key } = node;
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const above = key.slice(0, end);
      const found = this.#nodes.get(above);
      if (found !== undefined) return found;
      if (above === turn) return this.#group(turn);
      const wanting = this.#wanting.get(above) ?? new Set();
      this.#wanting.set(above, wanting.add(node));
    }
    return undefined;
  }

  /** The node of this key; one without a step stands for a turn, and for a parent whose row has not come yet. */
  #group(key: string, said?: string): StepNode {
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const node = new StepNode(key, said);
    this.#nodes.set(key, node);
    this.#place(node);
    return node;
  }

  #attach(node: StepNode, parent: StepNode | undefined): void {
    if (node.isPlaced) {
      takeOut(node.parent?.children ?? this.#roots, node);
      node.parent?.addSums(-node.tokens, -node.costUsd);
    }
    node.isPlaced = true;
    node.parent = parent;
    placeIn(parent?.children ?? this.#roots, node);
    parent?.addSums(node.tokens, node.costUsd);
    // A group begins with the first step in it.
    for (
      let group = parent, first = node;
      group !== undefined && group.step === undefined && isBefore(first, group);
      first = group, group = group.parent
    ) {
      const siblings = group.parent?.children ?? this.#roots;
      takeOut(siblings, group);
      group.startMs = first.startMs;
      group.seq = first.seq;
      placeIn(siblings, group);
    }
  }
}

const idOf = (node: StepNode, runId: string | undefined): string =>
  runId === undefined ? node.key : `${runId}:${node.key}`;

function childRunOf({ step }: StepNode): string | undefined {
  return step?.wait?.kind === "child" ? step.wait.runId : undefined;
}

/** `task:write/turn:2` of `task:write/turn:2/tool:search#0`. */
function turnOf(key: string): string | undefined {
  return /^(?:.*\/)?turn:\d+(?=\/)/.exec(key)?.[0];
}

/** A turn of a single step says no more than the step. */
function withoutLoneGroups(node: StepNode): StepNode {
  const [only] = node.children;
  return node.step === undefined && node.children.length === 1 && only !== undefined
    ? withoutLoneGroups(only)
    : node;
}

function stateOf({ step, children }: StepNode): StepState {
  if (step !== undefined) return step.state;
  const states = children.map(stateOf);
  for (const state of ["waiting", "started"] as const) if (states.includes(state)) return state;
  return states.at(-1) ?? "done";
}

function endOf({ step, endMs, children }: StepNode): number | undefined {
  if (step !== undefined) return endMs;
  let latest = 0;
  for (const child of children) {
    const end = endOf(child);
    if (end === undefined) return undefined;
    latest = Math.max(latest, end);
  }
  return latest;
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
