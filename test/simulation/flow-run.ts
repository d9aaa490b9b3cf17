// How a run carries out a flow.
import * as z from "zod";
import type { JsonValue } from "../../src/base/json.ts";
import { RunScope } from "../../src/events/run-scope.ts";
import { and, or, race, type Condition } from "../../src/flow/condition.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import type { FeedbackDefinition } from "../../src/flow/feedback.ts";
import type { FlowGraph } from "../../src/flow/flow-graph.ts";
import type { FlowMethod } from "../../src/flow/flow-options.ts";
import type { FlowStore } from "../../src/flow/flow-store.ts";
import type { FlowContext } from "../../src/flow/method-context.ts";
import { runFlow } from "../../src/flow/run-flow.ts";
import type { Actions } from "./action.ts";
import {
  bodySegment,
  branchesOf,
  flowSegment,
  labelAt,
  LABELS,
  MAX_CALLS,
  methodName,
  nameAt,
  ownResult,
  shownHanded,
  startOf,
  WORK,
  type FlowNode,
  type MethodNode,
  type ReviewNode,
  type WakeNode,
} from "./flow.ts";
import { hooksOf, type HookOutside } from "./flow-hooks.ts";
import { bodyInput, changeState, firstState, type FlowState } from "./flow-state.ts";
import type { ProgramNode } from "./program.ts";

const STATE: z.ZodType<Record<string, JsonValue>> = z.object({
  asked: z.string(),
  log: z.array(z.json()),
  turns: z.record(z.string(), z.number()),
  count: z.number(),
  last: z.string(),
  list: z.array(z.string()),
  notes: z.record(z.string(), z.string()),
});

/** The world outside a flow. */
export interface FlowOutside extends Pick<Actions, "act">, HookOutside {
  /** The code of a method begins. */
  methodRuns(key: string): void;
  /** Where states are saved. */
  readonly flowStates: FlowStore;
  /** What wakes its methods in place of what it says itself: a planted bug. */
  readonly graph: ((graph: FlowGraph) => FlowGraph) | undefined;
}

/** The id of a flow that begins with the state of another run. */
const KEPT_ID = "kept";

type RunBody = (node: ProgramNode, scope: RunScope, input: string) => Promise<JsonValue>;

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
    ...(node.schema ? { state: STATE } : {}),
    ...(node.saves ? { persist: true, persistence: work.outside.flowStates } : {}),
    initial: firstState(""),
    methods,
    hooks: hooksOf(node, work.outside),
    maxMethodCalls: MAX_CALLS,
    ...(node.compat === true ? { compat: "crewai" as const } : {}),
  });
  const inputs = { asked: work.input, ...(node.restores === true ? { id: KEPT_ID } : {}) };
  const { graph } = work.outside;
  const { parts } = flow;
  const { value, state } =
    graph === undefined
      ? await scope.run(() => flow.kickoff({ inputs }))
      : await runFlow(
          scope.at(flowSegment(node)),
          { ...parts, graph: graph(parts.graph) },
          { inputs },
        );
  const { id: _, ...rest } = state;
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
  const conditions = branchesOf(wake).map((each) => conditionOf(node, each, own));
  if ("all" in wake) return and(...conditions);
  return "any" in wake ? or(...conditions) : race(...conditions);
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
  const [, at = name] = /method:([^/]+)(?:\/body)?$/.exec(scope.path) ?? [];
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
