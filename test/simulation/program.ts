// Programs: what a simulated run does, as data, and how a run carries it out.
import { fingerprint } from "../../src/base/hash.ts";
import { EngineError, toErrorRecord, unreachable } from "../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { WAITING_RETRY } from "../../src/base/retry.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import { sleepUntil } from "../../src/flow/flow-waits.ts";
import type { ChildReport } from "../../src/runtime/children/child-run.ts";
import { joinKey, keySegment } from "../../src/journal/step-key.ts";
import { CALL_USAGE, digest, type ActionContext, type Actions, type StepNode } from "./action.ts";
import { runConversation, type ConversationNode } from "./conversation.ts";
import { runCrewNode, type CrewNode } from "./crew.ts";
import type { FlowNode } from "./flow.ts";
import { runFlowNode, type FlowOutside } from "./flow-run.ts";
import { hear, type EventNode } from "./outside-events.ts";

export type WaitNode = {
  readonly type: "wait";
  readonly name: string;
  readonly kind: "human" | "input";
  readonly dueMs: number | null;
  readonly otherwise: boolean;
};

export type ProgramNode =
  | StepNode
  | WaitNode
  | EventNode
  | {
      readonly type: "sequence" | "parallel" | "race";
      readonly name: string;
      readonly body: readonly ProgramNode[];
    }
  | {
      readonly type: "try";
      readonly name: string;
      readonly body: ProgramNode;
      readonly rescue: ProgramNode;
      readonly last: ProgramNode | null;
    }
  | {
      readonly type: "timer";
      readonly name: string;
      readonly ms: number;
      /** Sleeps until a point in time, which may be over. @default false */
      readonly until?: boolean;
    }
  | {
      readonly type: "loop";
      readonly name: string;
      readonly most: number;
      readonly body: ProgramNode;
    }
  | {
      readonly type: "hold";
      readonly name: string;
      readonly kind: "group" | "task" | "agent";
      readonly body: ProgramNode;
    }
  | {
      readonly type: "tool";
      readonly name: string;
      readonly fails: number;
      readonly body: ProgramNode;
      readonly more: ProgramNode | null;
    }
  | ChildrenNode
  | ConversationNode
  | FlowNode
  | CrewNode
  /** What a child of several places runs: each part to its end, whatever becomes of the others. */
  | { readonly type: "parts"; readonly name: string; readonly body: readonly ProgramNode[] }
  | { readonly type: "now" | "emit"; readonly name: string };

export type ChildrenNode = {
  readonly type: "children";
  readonly name: string;
  /** What the children run: each one of these, or one child all of them when the answers are `parts`. */
  readonly body: readonly ProgramNode[];
  /** `all` waits for one group, `each` for the same answers one by one, `first` goes on with the first of them. */
  readonly wants: "all" | "each" | "first";
  readonly answer: "output" | "report" | "parts";
  readonly dueMs: number | null;
  /** How long an output, as JSON text, may be handed over. Null for no limit. */
  readonly maxOutput: number | null;
};

export type ToolNode = Extract<ProgramNode, { type: "tool" }>;

/** The world outside the run, as its steps see it. */
export interface Outside extends Actions, FlowOutside {
  /** What the code of this drive asks a step that the first code asks `input`. */
  asks(input: string): string;
  /** Carries out an execution of a tool made of steps, and notes how it ended. */
  trying<T>(context: ActionContext, execution: () => Promise<T>): Promise<T>;
  /** Told when a tool made of steps is half through; throws while it shall fail. */
  through(node: ToolNode, context: ActionContext): void;
  /** Told of each child that the code asks for, in every drive. */
  childAsked(asked: ChildAsked): void;
}

/** A child as its parent's code asks for it. */
export type ChildAsked = {
  /** The first place that it answers. */
  readonly key: string;
  readonly runId: string;
  readonly program: ProgramNode;
  readonly input: string;
};

/** Limits of `slow` steps. */
export const TIME_LIMIT_MS = 400;

/** The key of the child at `index`: readable, and apart from its siblings whatever it is called. */
export function childKey(
  key: string,
  index: number | string,
  node: { readonly name: string },
): string {
  return joinKey(key, segmentOf(index, node));
}

function segmentOf(index: number | string, { name }: { readonly name: string }): string {
  return keySegment(`${index}:${name}`);
}

export function errorName(error: unknown): string {
  return EngineError.is(error) ? `${error.code}|${error.message}` : `foreign|${String(error)}`;
}

/** Large values appear in outputs by length and fingerprint only. */
export function shown(value: JsonValue | undefined): JsonValue {
  if (typeof value === "string" && value.length > 10_000)
    return { length: value.length, hash: fingerprint(value) };
  return value ?? null;
}

/** How often a loop turns: from data, as a step has read it. */
export function turns(most: number, input: string): number {
  return Number.parseInt(fingerprint(input).slice(0, 4), 16) % (most + 1);
}

/** Carries out `node` at the place `scope`. */
export async function runNode(
  node: ProgramNode,
  scope: RunScope,
  work: { input: string; outside: Outside },
): Promise<JsonValue> {
  const { input, outside } = work;
  const inside = (below: RunScope) => (index: number | string, of: ProgramNode, asked: string) =>
    runNode(of, below.at(segmentOf(index, of)), { input: asked, outside });
  const child = inside(scope);
  switch (node.type) {
    case "step": {
      const asked = outside.asks(input);
      return shown(
        await scope.step<JsonValue | undefined>({
          kind: node.kind,
          inputHash: asked,
          effect: node.ending === "once" || node.ending === "poisonOnce" ? "once" : "idempotent",
          ...(node.ending === "slow" ? { timeoutMs: TIME_LIMIT_MS } : undefined),
          ...(node.ending === "away" ? { retry: WAITING_RETRY } : undefined),
          ...(node.kind === "model" ? { usage: () => CALL_USAGE } : undefined),
          run: (context) => outside.act(node, context, asked),
        }),
      );
    }
    case "sequence": {
      const values: JsonValue[] = [];
      let asked = input;
      for (const [index, each] of node.body.entries()) {
        const value = await child(index, each, asked);
        values.push(value);
        asked = digest(asked, value);
      }
      return values;
    }
    case "parallel":
      return Promise.all(node.body.map((each, index) => child(index, each, input)));
    case "race":
      return Promise.race(
        node.body.map(async (each, index) => ({
          won: index,
          value: await child(index, each, input),
        })),
      );
    case "try": {
      let result: { ok: JsonValue } | { caught: string; value: JsonValue };
      let last: JsonValue = null;
      try {
        result = { ok: await child("try", node.body, input) };
      } catch (error) {
        const caught = errorName(error);
        result = { caught, value: await child("catch", node.rescue, digest(input, caught)) };
      } finally {
        if (node.last !== null) last = await child("finally", node.last, digest(input, "finally"));
      }
      return { ...result, last };
    }
    case "wait": {
      const dueAtMs = node.dueMs === null ? undefined : { dueAtMs: scope.now() + node.dueMs };
      const otherwise = node.otherwise ? { otherwise: "nobody" } : undefined;
      return {
        answer: await scope.wait<JsonValue>({
          kind: node.kind,
          prompt: node.name,
          ...dueAtMs,
          ...otherwise,
        }),
      };
    }
    case "event":
      return hear(node, scope);
    case "timer":
      if (node.until === true) await sleepUntil(scope, "a", scope.now() + node.ms);
      else await scope.sleep(node.ms);
      return "slept";
    case "loop": {
      const counter: StepNode = { ...COUNTER, name: node.name };
      const seed = digest(input, await child("count", counter, input));
      const values: JsonValue[] = [];
      for (let turn = 0; turn < turns(node.most, seed); turn++)
        values.push(await child(turn, node.body, digest(seed, values)));
      return values;
    }
    case "hold":
      return scope.group(node.kind, (below) => inside(below)("in", node.body, input));
    case "tool":
      return scope.step<JsonValue>({
        kind: "tool",
        inputHash: input,
        run: (context, below) =>
          outside.trying(context, async () => {
            const value = await inside(below)("in", node.body, input);
            outside.through(node, context);
            if (node.more === null) return value;
            return { value, more: await inside(below)("more", node.more, digest(input, value)) };
          }),
      });
    case "children":
      return runChildren(node, scope, work);
    case "conversation":
      return runConversation(node, scope, outside);
    case "crew":
      return runCrewNode(node, scope, { input, outside });
    case "flow":
      return runFlowNode(node, scope, {
        input,
        outside,
        runBody: (body, place, asked) => runNode(body, place, { input: asked, outside }),
      });
    case "parts": {
      const parts = node.body.map(async (each, index): Promise<JsonObject> => {
        try {
          return { value: await child(index, each, input) };
        } catch (error) {
          return { error: toErrorRecord(error) as JsonObject };
        }
      });
      return { parts: await Promise.all(parts) };
    }
    case "now":
      return scope.now();
    case "emit":
      scope.emit("tool_usage_started", {
        toolName: node.name,
        toolArgs: null,
        agentRole: "simulated",
        runAttempts: 1,
      });
      return scope.path; // which code it was must show: its name may be another
    default:
      return unreachable(node);
  }
}

/** What each child of `node` runs, and the segments of the places that it answers. */
export function childrenOf(
  node: ChildrenNode,
): ReadonlyArray<{ readonly at: readonly [string, ...string[]]; readonly program: ProgramNode }> {
  const places = node.body.map((each, index) => segmentOf(index, each));
  if (node.answer !== "parts")
    return node.body.map((each, index) => {
      const program = { type: "sequence", name: node.name, body: [each] } as const;
      return { at: [places[index] ?? ""], program };
    });
  const [first = "", ...rest] = places;
  return [{ at: [first, ...rest], program: { type: "parts", name: node.name, body: node.body } }];
}

async function runChildren(
  node: ChildrenNode,
  scope: RunScope,
  { input, outside }: { input: string; outside: Outside },
): Promise<JsonValue> {
  const dueAtMs = node.dueMs === null ? undefined : scope.now() + node.dueMs;
  const children = childrenOf(node);
  const started = scope.children<JsonValue>(
    children.map(({ at, program }) => ({
      at,
      answer: node.answer,
      start: () => ({ kind: "task", name: node.name, inputs: { program, input } }),
      ...(node.wants === "all" ? { join: scope.path } : undefined),
      ...(dueAtMs === undefined ? undefined : { dueAtMs }),
      ...(node.maxOutput === null ? undefined : { maxOutputLength: node.maxOutput }),
    })),
  );
  for (const [index, { runId }] of started.entries()) {
    const { at, program } = children[index] ?? unreachableIndex(index);
    outside.childAsked({ key: joinKey(scope.path, at[0]), runId, program, input });
  }
  const answers = started.flatMap((each) => each.answers);
  const seen = (value: JsonValue): JsonValue =>
    node.answer === "report" ? shownReport(value as unknown as ChildReport) : value;
  if (node.wants !== "first") return (await Promise.all(answers)).map(seen);
  return Promise.race(answers.map(async (answer, won) => ({ won, value: seen(await answer) })));
}

function unreachableIndex(index: number): never {
  throw new Error(`there is no child ${index}`);
}

/** What a program makes of a report. */
export function shownReport({ status, output, omitted, error, usage }: ChildReport): JsonValue {
  return {
    status,
    output: output ?? null,
    omitted: omitted ?? false,
    error: error === undefined ? null : `${error.code}|${error.message}`,
    requests: usage.requests,
  };
}

/** The step that a loop reads its count from. */
export const COUNTER: StepNode = {
  type: "step",
  name: "count",
  kind: "effect",
  ending: "value",
  times: 0,
  ms: 1,
  value: "small",
};

/** The nodes of a program, its own included; a conversation counts by its messages, a flow by its methods, a crew by its tasks. */
export function sizeOf(node: ProgramNode): number {
  return nodesBelow(node).reduce((sum, each) => sum + sizeOf(each), ownSizeOf(node));
}

function ownSizeOf(node: ProgramNode): number {
  if (node.type === "conversation") return node.maxRounds;
  if (node.type === "flow") return node.methods.length;
  return node.type === "crew" ? node.tasks.length : 1;
}

/** Child runs that a program starts at most, loops turned once. */
export function childRunsOf(node: ProgramNode): number {
  const own = node.type === "children" ? childrenOf(node).length : 0;
  return nodesBelow(node).reduce((sum, each) => sum + childRunsOf(each), own);
}

/** The nodes that a node is made of. */
export function nodesBelow(node: ProgramNode): readonly ProgramNode[] {
  switch (node.type) {
    case "sequence":
    case "parallel":
    case "race":
    case "children":
    case "parts":
      return node.body;
    case "try":
      return [node.body, node.rescue, ...(node.last === null ? [] : [node.last])];
    case "tool":
      return node.more === null ? [node.body] : [node.body, node.more];
    case "loop":
    case "hold":
      return [node.body];
    case "flow":
      return node.methods.flatMap(({ body }) => (body === null ? [] : [body]));
    default:
      return [];
  }
}
