// Arranges the rows of a run's journal as a tree: tasks or methods, their turns, and the turns' calls of models and
// tools.
//
// A new or changed row updates only its own node and the sums of the nodes above it.
import type { StepRow, StepState } from "../../api-types.ts";
import { labelOf } from "./step-label.ts";
import { isBefore, placeIn, StepNode, takeOut } from "./step-node.ts";

export type RowsOptions = {
  /** Rows of one parent in the order of their starts, the last one first. */
  readonly newestFirst?: boolean;
  /** The journal of a child run, once it is known. */
  readonly childTree?: (runId: string) => StepTree | undefined;
};
type IsOpen = (id: string, depth: number, isRun: boolean) => boolean;

/** A visible row: a step, or a group of steps without a row in the journal, such as a turn. */
export class TreeRow {
  readonly depth: number;
  /** Child run with the row's journal. Undefined for rows of the run itself. */
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
  /** Key of the row. In the journal of a child run it may equal a key of this run. */
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
  /** Run awaited by this row. */
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
  /** Run whose result a fork took over for this row. Such a row has no times in the fork. */
  get takenFrom(): string | undefined {
    return takenFrom(this.#node);
  }
  get startMs(): number {
    return this.#node.startMs;
  }
  /** Undefined while it runs. */
  get endMs(): number | undefined {
    return endOf(this.#node);
  }
  /** Sum of its own and those of the rows below. */
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
  /** Nodes with a step, in the order of their start. */
  readonly #flat: StepNode[] = [];
  /** Nodes without their parent yet, by the parent's key. */
  readonly #wanting = new Map<string, Set<StepNode>>();
  #steps: readonly StepRow[] | undefined;

  get size(): number {
    return this.#flat.length;
  }

  /** Tokens of all rows so far. */
  get tokens(): number {
    return this.#roots.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** All steps, in the order in which they began. */
  get steps(): readonly StepRow[] {
    this.#steps ??= this.#flat.flatMap(({ step }) => (step === undefined ? [] : [step]));
    return this.#steps;
  }

  /** Times of each step, in the order in which they began. */
  get nodes(): readonly StepNode[] {
    return this.#flat;
  }

  /** Key of the newest step in the journal. Steps known only from events do not count. */
  get newestKey(): string | undefined {
    return this.#flat.findLast(({ seq }) => seq !== undefined)?.key;
  }

  get(key: string): StepRow | undefined {
    return this.#nodes.get(key)?.step;
  }

  /** Adds rows of the journal. They replace all earlier data of their steps, also data from events. */
  add(rows: readonly StepRow[]): void {
    for (const row of rows) this.#addRow(row);
    this.#steps = undefined;
  }

  /** Returns the visible rows, without those below a folded one. */
  rows(isOpen: IsOpen, { newestFirst = false, childTree }: RowsOptions = {}): readonly TreeRow[] {
    const shown: TreeRow[] = [];
    const visitAll = (found: readonly StepNode[], depth: number, runId?: string): void => {
      const nodes = withoutLoneGroups(found);
      if (newestFirst)
        for (let index = nodes.length - 1; index >= 0; index--) visit(nodes[index], depth, runId);
      else for (const node of nodes) visit(node, depth, runId);
    };
    const visit = (node: StepNode | undefined, depth: number, runId?: string): void => {
      if (node === undefined) return;
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

  /** Attaches a node to its parent, and the waiting nodes to it. */
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

  /** Returns the parent in the row, with the turn between; else the node with the longest key above this one. */
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

  /** Returns the node of this key. A node without a step represents a turn, or a parent whose row has not arrived. */
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

/** Replaces groups of a single step by the step. Of several turns all are shown: the last one often has one call. */
function withoutLoneGroups(nodes: readonly StepNode[]): readonly StepNode[] {
  const groups = nodes.filter(({ step }) => step === undefined);
  if (groups.length === 0) return nodes;
  const areTurns = groups.length > 1 && groups.some(({ children }) => children.length > 1);
  return nodes.map((node) => (areTurns && isTurn(node) ? node : withoutLoneGroup(node)));
}

function withoutLoneGroup(node: StepNode): StepNode {
  const [only] = node.children;
  return node.step === undefined && node.children.length === 1 && only !== undefined
    ? withoutLoneGroup(only)
    : node;
}

const isTurn = ({ key }: StepNode): boolean => /(?:^|\/)turn:\d+$/.test(key);

/** Returns the run that a copied step of a fork comes from; of a group, if all its steps were copied. */
export function takenFrom({ step, children }: StepNode): string | undefined {
  if (step !== undefined) return step.cause?.how === "copied" ? step.cause.run : undefined;
  const [first, ...others] = children.map(takenFrom);
  return others.every((each) => each === first) ? first : undefined;
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
