// A place in the tree of steps, and lists of such places in the order in which they began.
import type { StepRow } from "../../api-types.ts";

export class StepNode {
  readonly key: string;
  /** For a group: the parent key in its steps. */
  readonly saidParent: string | undefined;
  step: StepRow | undefined;
  parent: StepNode | undefined;
  isPlaced = false;
  readonly children: StepNode[] = [];
  startMs = Infinity;
  /** Undefined while it runs. */
  endMs: number | undefined;
  /** Place in the journal, if the journal was read; events do not have it. */
  seq: number | undefined;
  /** Sum of its own and those of the nodes below. */
  tokens = 0;
  costUsd = 0;

  constructor(key: string, saidParent?: string) {
    this.key = key;
    this.saidParent = saidParent;
  }

  setStep(step: StepRow): void {
    const before = this.step?.usage;
    this.step = step;
    this.startMs = Date.parse(step.startedAt);
    this.endMs = step.endedAt === undefined ? undefined : Date.parse(step.endedAt);
    this.seq = step.seq?.start ?? this.seq;
    this.addSums(
      (step.usage?.totalTokens ?? 0) - (before?.totalTokens ?? 0),
      (step.usage?.costUsd ?? 0) - (before?.costUsd ?? 0),
    );
  }

  addSums(tokens: number, costUsd: number): void {
    if (tokens === 0 && costUsd === 0) return;
    this.tokens += tokens;
    this.costUsd += costUsd;
    this.parent?.addSums(tokens, costUsd);
  }
}

/** True if one began before the other. At the same time, the node higher in the tree is first. */
export function isBefore(one: StepNode, other: StepNode): boolean {
  if (one.seq !== undefined && other.seq !== undefined) return one.seq < other.seq;
  if (one.startMs !== other.startMs) return one.startMs < other.startMs;
  return one.key.split("/").length < other.key.split("/").length;
}

/** Inserts a node behind all that began before or with it. A new node is nearly always the last. */
export function placeIn(nodes: StepNode[], node: StepNode): void {
  let from = 0;
  let to = nodes.length;
  const last = nodes[to - 1];
  if (last === undefined || !isBefore(node, last)) {
    nodes.push(node);
    return;
  }
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(node, nodes[middle] as StepNode)) to = middle;
    else from = middle + 1;
  }
  nodes.splice(from, 0, node);
}

export function takeOut(nodes: StepNode[], node: StepNode): void {
  const index = nodes.at(-1) === node ? nodes.length - 1 : nodes.indexOf(node);
  if (index >= 0) nodes.splice(index, 1);
}
