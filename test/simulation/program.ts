// Programs: what a simulated run does, as data, and how a run carries it out.
import { fingerprint } from "../../src/base/hash.ts";
import { EngineError, unreachable } from "../../src/base/error.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { NO_USAGE, type Usage } from "../../src/base/usage.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import type { StepContext } from "../../src/journal/step-spec.ts";
import { joinKey, keySegment } from "../../src/journal/step-key.ts";

/**
 * How a step ends. `flaky` fails retryably `times` times and then succeeds, `hopeless` always does; `slow` never meets
 * its time limit; `once` may run one time only; `poison` kills its host whenever it runs, `poisonOnce` is both.
 */
export type Ending =
  | "value"
  | "error"
  | "plain"
  | "flaky"
  | "hopeless"
  | "slow"
  | "once"
  | "poison"
  | "poisonOnce";

export type StepNode = {
  readonly type: "step";
  readonly name: string;
  readonly kind: "model" | "tool" | "effect";
  readonly ending: Ending;
  /** Failures before success. Only for `flaky`. */
  readonly times: number;
  readonly ms: number;
  readonly value: "nothing" | "empty" | "small" | "big";
};

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
  | { readonly type: "timer"; readonly name: string; readonly ms: number }
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
  | { readonly type: "now" | "emit"; readonly name: string };

export type ToolNode = Extract<ProgramNode, { type: "tool" }>;

/** The world outside the run, as its steps see it. */
export interface Outside {
  /** Carries out a step's action. */
  act(node: StepNode, context: StepContext, input: string): Promise<JsonValue | undefined>;
  /** Told when a tool made of steps is half through; throws while it shall fail. */
  through(node: ToolNode, context: StepContext): void;
}

/** What one model call is said to have cost. */
export const CALL_USAGE: Usage = {
  ...NO_USAGE,
  promptTokens: 7,
  completionTokens: 3,
  totalTokens: 10,
  requests: 1,
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

/** What a step is asked next: it depends on everything that the code has seen before, so a wrong replay shows. */
export function digest(input: string, value: unknown): string {
  return fingerprint(JSON.stringify(value) ?? "nothing", input);
}

export function errorName(error: unknown): string {
  return EngineError.is(error) ? `${error.code}|${error.message}` : `foreign|${String(error)}`;
}

/** What a step's action gives. */
export function stepValue(node: StepNode, key: string, input: string): JsonValue | undefined {
  if (node.value === "nothing") return undefined;
  if (node.value === "empty") return "";
  if (node.value === "small") return `${key}|${input}`;
  return `\u0000 é${input}${"😀".repeat(135_000)}${key}`;
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
    case "step":
      return shown(
        await scope.step<JsonValue | undefined>({
          kind: node.kind,
          inputHash: input,
          effect: node.ending === "once" || node.ending === "poisonOnce" ? "once" : "idempotent",
          ...(node.ending === "slow" ? { timeoutMs: TIME_LIMIT_MS } : undefined),
          ...(node.kind === "model" ? { usage: () => CALL_USAGE } : undefined),
          run: (context) => outside.act(node, context, input),
        }),
      );
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
    case "timer":
      await scope.sleep(node.ms);
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
        run: async (context, below) => {
          const value = await inside(below)("in", node.body, input);
          outside.through(node, context);
          if (node.more === null) return value;
          return { value, more: await inside(below)("more", node.more, digest(input, value)) };
        },
      });
    case "now":
      return scope.now();
    case "emit":
      scope.emit("tool_usage_started", {
        toolName: node.name,
        toolArgs: null,
        agentRole: "simulated",
        runAttempts: 1,
      });
      return "emitted";
    default:
      return unreachable(node);
  }
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

export function sizeOf(node: ProgramNode): number {
  switch (node.type) {
    case "sequence":
    case "parallel":
    case "race":
      return 1 + node.body.reduce((sum, each) => sum + sizeOf(each), 0);
    case "try":
      return (
        1 + sizeOf(node.body) + sizeOf(node.rescue) + (node.last === null ? 0 : sizeOf(node.last))
      );
    case "tool":
      return 1 + sizeOf(node.body) + (node.more === null ? 0 : sizeOf(node.more));
    case "loop":
    case "hold":
      return 1 + sizeOf(node.body);
    default:
      return 1;
  }
}
