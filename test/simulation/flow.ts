// Flows of simulated programs: which methods wake which, and what they do, as data.
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import { keySegment } from "../../src/journal/step-key.ts";
import { digest, type StepNode } from "./action.ts";
import type { FlowHooks } from "./flow-hooks.ts";
import type { Change, FlowState } from "./flow-state.ts";
import type { ProgramNode } from "./program.ts";

export type FlowNode = {
  readonly type: "flow";
  readonly name: string;
  /** Whether a schema describes the state. */
  readonly schema: boolean;
  /** Whether the state is saved after each method. */
  readonly saves: boolean;
  /** Whether it begins with the state that another run has kept; only where it saves. @default false */
  readonly restores?: boolean;
  /** Whether CrewAI's rules hold. @default false */
  readonly compat?: boolean;
  /** @default none */
  readonly hooks?: FlowHooks | null;
  readonly methods: readonly MethodNode[];
};

export type MethodNode = {
  /** What it listens to; null for nothing. */
  readonly listens: WakeNode | null;
  /** The label that it starts on; null for one that starts with the flow, where it listens to nothing. */
  readonly starts: number | null;
  /** The labels that it gives as a router, one for each of its turns, the last one for all others; null for no router. */
  readonly labels: readonly (number | null)[] | null;
  readonly changes: readonly Change[];
  /** Asks a person first, who may take so many seconds. */
  readonly asks: { readonly dueSeconds: number | null } | null;
  /** Has a step of its own. */
  readonly works: boolean;
  /** Sleeps so many milliseconds. */
  readonly naps: number | null;
  readonly body: ProgramNode | null;
  readonly review: ReviewNode | null;
};

/** A person reviews what a method gave. */
export type ReviewNode = {
  /** Whether what they say becomes a label. */
  readonly emits: boolean;
  /** The label that stands for none in time; null for the first one. */
  readonly fallback: number | null;
  readonly dueSeconds: number | null;
};

/** What a person said of what a method gave, and the label that it became. */
export type Review = { readonly said: string; readonly outcome: string | null };

/** Names of methods and labels, counted round and round. */
export type WakeNode =
  | number
  | { readonly all: readonly WakeNode[] }
  | { readonly any: readonly WakeNode[] }
  /** As `any`; what it waits for competes. */
  | { readonly race: readonly WakeNode[] };

/** The step of a method that has one of its own. */
export const WORK: StepNode = {
  type: "step",
  name: "work",
  kind: "effect",
  ending: "flaky",
  times: 1,
  ms: 3,
  value: "small",
};

export const LABELS = ["left", "right", "again"] as const;
/** How often a method is woken at most. */
export const MAX_CALLS = 5;

/** What the method at a place is called. */
export function methodName(index: number): string {
  return `m${index}`;
}

/** The name of the method that an execution is of. */
export function nameOf(at: string): string {
  return at.split("~")[0] ?? at;
}

/** The name that a number stands for: a method's other than its own, or, where there are routers, a label's. */
export function nameAt(node: FlowNode, number: number, own: number): string {
  const names = node.methods.flatMap((_, index) => (index === own ? [] : [methodName(index)]));
  const all = [...names, ...(hasRouters(node) ? LABELS : [])];
  return all[number % all.length] ?? LABELS[0];
}

/** What a condition is made of. */
export function branchesOf(wake: Exclude<WakeNode, number>): readonly WakeNode[] {
  if ("all" in wake) return wake.all;
  return "any" in wake ? wake.any : wake.race;
}

/** The label that a method starts on; null for one that starts with the flow, undefined for one that does not start. */
export function startOf(
  node: FlowNode,
  { listens, starts }: MethodNode,
): string | null | undefined {
  if (listens !== null) return undefined;
  return starts === null || !hasRouters(node) ? null : labelAt(starts);
}

function hasRouters({ methods }: FlowNode): boolean {
  return methods.some(isRouter);
}

export function isRouter({ labels, review }: MethodNode): boolean {
  return labels !== null || review?.emits === true;
}

/** The label that a review comes to where nobody says anything. */
export function fallbackOf({ fallback }: ReviewNode): string {
  return labelAt(fallback ?? 0);
}

export function labelAt(number: number): string {
  return LABELS[number % LABELS.length] ?? LABELS[0];
}

/** The segment of a flow below the place of its node. */
export function flowSegment({ name }: FlowNode): string {
  return `flow:${keySegment(name)}`;
}

/** The segment of a method's body below the method. */
export function bodySegment(body: ProgramNode): string {
  return keySegment(`in:${body.name}`);
}

/** The label that a router gives at its turn; null for none. */
export function labelAtTurn({ labels }: MethodNode, turn: number): string | null {
  const label = labels?.[Math.min(turn, labels.length - 1)];
  return label === undefined || label === null ? null : labelAt(label);
}

/** What a method gives by itself. */
export function ownResult(
  method: MethodNode,
  {
    asked,
    turn,
    made,
  }: { readonly asked: string; readonly turn: number; readonly made: JsonValue },
): string | null {
  return method.labels === null ? digest(asked, made) : labelAtTurn(method, turn);
}

/** What a method is handed, without the time of a review. */
export function shownHanded(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { output = null, feedback = null, outcome = null } = value;
  return { output, said: feedback, outcome };
}

/** A flow's output, if it has its form. */
export function flowOutput(
  value: JsonValue | undefined,
): { readonly value: JsonValue; readonly state: FlowState } | undefined {
  if (!isJsonObject(value)) return undefined;
  const { state, value: result = null } = value;
  if (!isJsonObject(state) || !Array.isArray(state["log"])) return undefined;
  return { value: shownHanded(result), state: state as unknown as FlowState };
}
