// Actions: what the steps of a program do, and what they give.
import { fingerprint } from "../../src/base/hash.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { NO_USAGE, type Usage } from "../../src/base/usage.ts";
import type { StepContext } from "../../src/journal/step-spec.ts";

/**
 * How a step ends. `flaky` fails retryably `times` times and then succeeds, `hopeless` always does; `away` is a server
 * that is away for four times `times` tries; `slow` never meets its time limit; `once` may run one time only; `poison` kills its host whenever it runs, `poisonOnce` is both.
 */
export type Ending =
  | "value"
  | "error"
  | "plain"
  | "flaky"
  | "hopeless"
  | "away"
  | "slow"
  | "once"
  | "poison"
  | "poisonOnce";

export type StepNode = {
  readonly type: "step";
  readonly name: string;
  readonly kind: "model" | "tool" | "effect";
  readonly ending: Ending;
  /** Failures before success. Only for `flaky` and `away`. */
  readonly times: number;
  readonly ms: number;
  readonly value: "nothing" | "empty" | "small" | "big";
};

/** What an action knows of its step. */
export type ActionContext = Pick<StepContext, "key" | "idempotencyKey" | "signal">;

/** The world outside the run, for those who act. */
export interface Actions {
  /** Carries out a step's action. */
  act(node: StepNode, context: ActionContext, input: string): Promise<JsonValue | undefined>;
  /** The same for code that cannot be told to stop, done in no time. */
  call(node: StepNode, key: string, input: string): JsonValue | undefined;
  /** A number below `count`: not the same when it is asked for again. */
  pick(count: number): number;
}

/** How often a step fails before it succeeds. */
export function failuresOf({ ending, times }: StepNode): number {
  if (ending === "hopeless") return Infinity;
  if (ending === "away") return times * 4;
  return ending === "flaky" ? times : 0;
}

/** What one model call is said to have cost. */
export const CALL_USAGE: Usage = {
  ...NO_USAGE,
  promptTokens: 7,
  completionTokens: 3,
  totalTokens: 10,
  requests: 1,
};

/** What a step is asked next: it depends on everything that the code has seen before, so a wrong replay shows. */
export function digest(input: string, value: unknown): string {
  return fingerprint(JSON.stringify(value) ?? "nothing", input);
}

/** What a step's action gives. */
export function stepValue(node: StepNode, key: string, input: string): JsonValue | undefined {
  if (node.value === "nothing") return undefined;
  if (node.value === "empty") return "";
  if (node.value === "small") return `${key}|${input}`;
  return `\u0000 é${input}${"😀".repeat(135_000)}${key}`;
}
