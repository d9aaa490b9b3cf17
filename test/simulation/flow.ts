// Flows of simulated programs: which methods wake which, and what they do to the state, as data, and how a run carries them out.
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { isJsonObject } from "../../src/base/json.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import { defineFlow, type FlowMethod } from "../../src/flow/define-flow.ts";
import type { FlowContext } from "../../src/flow/method-context.ts";
import { and, or, type Condition } from "../../src/flow/condition.ts";
import type { FeedbackDefinition } from "../../src/flow/feedback.ts";
import type { FlowStore } from "../../src/flow/flow-store.ts";
import { keySegment } from "../../src/journal/step-key.ts";
import { digest, type Actions, type StepNode } from "./action.ts";
import type { ProgramNode } from "./program.ts";

export type FlowNode = {
  readonly type: "flow";
  readonly name: string;
  /** Whether a schema describes the state. */
  readonly schema: boolean;
  /** Whether the state is saved after each method. */
  readonly saves: boolean;
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
  | { readonly any: readonly WakeNode[] };

/**
 * What a method does to the state: `add` and `count` add one to the count, the second by assignment; `note`, `forget` and
 * `renote` set one field of the notes, remove one, and assign all; `unfit` leaves what no schema allows.
 */
export type Change = "add" | "count" | "assign" | "list" | "note" | "forget" | "renote" | "unfit";

/** The state of a simulated flow. */
export type FlowState = {
  /** What the flow was asked. */
  asked: string;
  /** An entry for each method that has ended, in the order of the ends. */
  log: LogEntry[];
  /** How often each method has ended. */
  turns: Record<string, number>;
  count: number;
  last: string;
  list: string[];
  notes: Record<string, string>;
};

export type LogEntry = {
  /** The name of the method, with `~2` for its second execution. */
  readonly at: string;
  /** How many entries the log had when it began. */
  readonly saw: number;
  /** What it was handed. */
  readonly got: JsonValue;
  /** What the person said whom it asked. */
  readonly heard: JsonValue;
  /** What its own step gave. */
  readonly did: JsonValue;
  /** What its body gave. */
  readonly value: JsonValue;
};

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

const STATE = z.object({
  asked: z.string(),
  log: z.array(z.json()),
  turns: z.record(z.string(), z.number()),
  count: z.number(),
  last: z.string(),
  list: z.array(z.string()),
  notes: z.record(z.string(), z.string()),
});

/** The world outside a flow. */
export interface FlowOutside extends Pick<Actions, "act"> {
  /** The code of a method begins. */
  methodRuns(key: string): void;
  /** Where states are saved. */
  readonly flowStates: FlowStore;
}

type RunBody = (node: ProgramNode, scope: RunScope, input: string) => Promise<JsonValue>;

/** The state before anything has happened. */
export function firstState(asked: string): FlowState {
  return { asked, log: [], turns: {}, count: 0, last: "", list: [], notes: {} };
}

/** What the method at a place is called. */
export function methodName(index: number): string {
  return `m${index}`;
}

/** The name that a number stands for: a method's other than its own, or, where there are routers, a label's. */
export function nameAt(node: FlowNode, number: number, own: number): string {
  const names = node.methods.flatMap((_, index) => (index === own ? [] : [methodName(index)]));
  const all = [...names, ...(hasRouters(node) ? LABELS : [])];
  return all[number % all.length] ?? LABELS[0];
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

function labelAt(number: number): string {
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

/** What a method's body is asked: all that the method sees. */
export function bodyInput(at: string, got: JsonValue, state: FlowState): string {
  return digest(state.asked, [at, got, seen(state)]);
}

/** What of a state tells it from others, whatever the order of keys. */
export function seen({ log, turns, count, last, list, notes }: FlowState): JsonValue {
  return [log.length, sorted(turns), count, last, list, sorted(notes)];
}

function sorted(record: Readonly<Record<string, JsonValue>>): JsonValue {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Runs the flow below `scope`. */
export async function runFlowNode(
  node: FlowNode,
  scope: RunScope,
  work: { readonly input: string; readonly outside: FlowOutside; readonly runBody: RunBody },
): Promise<JsonValue> {
  const methods = Object.fromEntries(
    node.methods.map((_, index) => [methodName(index), methodOf(node, index, work)]),
  );
  const flow = defineFlow({
    name: node.name,
    ...(node.schema ? { state: STATE as unknown as z.ZodType<Record<string, JsonValue>> } : {}),
    ...(node.saves ? { persist: true, persistence: work.outside.flowStates } : {}),
    initial: firstState(""),
    methods,
    maxMethodCalls: MAX_CALLS,
  });
  const { value, state } = await scope.run(() => flow.kickoff({ inputs: { asked: work.input } }));
  const { id: _, ...rest } = state as JsonObject;
  return { value, state: rest };
}

function methodOf(
  node: FlowNode,
  index: number,
  work: { readonly outside: FlowOutside; readonly runBody: RunBody },
): FlowMethod<Record<string, JsonValue>> {
  const method = node.methods[index] as MethodNode;
  const { listens, labels } = method;
  const start = startOf(node, method);
  return {
    ...(start === undefined ? {} : { start: start ?? true }),
    ...(listens === null ? {} : { listen: conditionOf(node, listens, index) }),
    ...(labels === null ? {} : { router: true }),
    ...(method.review === null ? {} : { humanFeedback: feedbackOf(method.review) }),
    run: (context) => perform(node, index, { ...work, context }),
  };
}

function feedbackOf({ emits, fallback, dueSeconds }: ReviewNode): FeedbackDefinition {
  return {
    message: "What do you say?",
    ...(emits ? { emit: LABELS } : {}),
    ...(emits && fallback !== null ? { defaultOutcome: labelAt(fallback) } : {}),
    ...(dueSeconds === null ? {} : { expiresInSeconds: dueSeconds }),
  };
}

function conditionOf(node: FlowNode, wake: WakeNode, own: number): Condition {
  if (typeof wake === "number") return nameAt(node, wake, own);
  const branches = "all" in wake ? wake.all : wake.any;
  const conditions = branches.map((each) => conditionOf(node, each, own));
  return "all" in wake ? and(...conditions) : or(...conditions);
}

async function perform(
  { methods }: FlowNode,
  index: number,
  work: {
    readonly outside: FlowOutside;
    readonly runBody: RunBody;
    readonly context: FlowContext<Record<string, JsonValue>>;
  },
): Promise<JsonValue> {
  const { outside, runBody, context } = work;
  const method = methods[index] as MethodNode;
  const scope = RunScope.current() as RunScope;
  outside.methodRuns(scope.path);
  const name = methodName(index);
  const at = scope.path.slice(scope.path.lastIndexOf(`${name}`)).split("/")[0] ?? name;
  const state = context.state as unknown as FlowState;
  const got = shownHanded(context.value ?? null);
  const turn = state.turns[name] ?? 0;
  const saw = state.log.length;
  const asked = bodyInput(at, got, state);
  const { body, asks, naps } = method;
  const { dueSeconds: timeoutSeconds } = asks ?? { dueSeconds: null };
  const heard =
    asks === null
      ? null
      : await context.ask("Who?", timeoutSeconds === null ? {} : { timeoutSeconds });
  if (naps !== null) await context.sleep("nap", naps);
  const did = method.works
    ? ((await context.step("work", (step) => outside.act(WORK, step, asked))) ?? null)
    : null;
  const value = body === null ? null : await runBody(body, scope.at(bodySegment(body)), asked);
  for (const change of method.changes) {
    if (change === "add") context.add("count");
    else changeState(state, change, { name, asked });
  }
  context.add(["turns", name]);
  state.log.push({ at, saw, got, heard, did, value });
  return ownResult(method, { asked, turn, made: [heard, did, value] });
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

/** Does one change to a state. */
export function changeState(
  state: FlowState,
  change: Change,
  { name, asked }: { readonly name: string; readonly asked: string },
): void {
  switch (change) {
    case "add":
    case "count":
      state.count += 1;
      return;
    case "assign":
      state.last = asked;
      return;
    case "list":
      state.list = [...state.list, name];
      return;
    case "note":
      state.notes[name] = asked;
      return;
    case "forget":
      Reflect.deleteProperty(state.notes, Object.keys(state.notes).toSorted()[0] ?? name);
      return;
    case "renote":
      state.notes = { [name]: asked };
      return;
    default:
      (state as { last: unknown }).last = 0;
  }
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
