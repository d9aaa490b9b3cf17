import type * as z from "zod";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RetryPolicy } from "../base/retry.ts";
import type { Effect } from "../journal/step-spec.ts";
import type { EnvVar } from "./env-vars.ts";
import type { InjectedValues, InjectionFreeName, Injections, NoInjections } from "./injection.ts";
import type { NeedsApproval, ToolContext } from "./tool-context.ts";
import type { ToolFailure, ToolFailurePolicy } from "./tool-failure.ts";
import type { InputValue, ToolInput } from "./tool-input.ts";

/** Definition of a tool. */
export type ToolOptions<
  Input extends ToolInput,
  Output = unknown,
  Declared extends Injections = NoInjections,
> = {
  /** Name shown to the model in a spelling accepted by every provider: `Read a file` becomes `read_a_file`. */
  readonly name: string;
  /** Description for the model: purpose of the tool and when to use it. */
  readonly description: string;
  /**
   * Schema of the input: a zod object, or one of another library with Standard JSON Schema. It types the argument of
   * `run`, which gets parsed input.
   */
  readonly input: Input;
  /** Does the work. A string is returned to the model unchanged, any other value as JSON. */
  readonly run: (
    input: InputValue<Input>,
    context: ToolContext & InjectedValues<Declared>,
  ) => Output;
  /**
   * Values added to the context of `run` under these names: made by `depends()`, or taken from the conversation. No
   * model sees them.
   * @default {}
   */
  readonly inject?: Declared & { readonly [Name in InjectionFreeName]?: never };
  /**
   * Effect of running a call again after a crash. `idempotent` and `pure` calls run again with the same idempotency
   * key. A `once` call never does, and the model is informed that its outcome is unknown.
   * @default "idempotent"
   */
  readonly effect?: Effect;
  /** Makes the first successful result the answer of the task and ends the task. @default false */
  readonly resultAsAnswer?: boolean;
  /**
   * Maximum uses per task, an integer >= 1. Only executions of `run` count, not calls that are blocked, refused,
   * invalid or answered from the cache. @default no limit
   */
  readonly maxUsageCount?: number;
  /** Timeout of one attempt, in milliseconds; attempts with waits or their own steps have none. @default 300_000 */
  readonly timeoutMs?: number;
  /**
   * Retry policy of a failed call. The model gets the failure after the last attempt. Only retryable errors are
   * retried.
   * @default one attempt
   * @example { maxAttempts: 3, initialDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 }
   */
  readonly retry?: RetryPolicy;
  /**
   * Decides if a result, as returned by `run`, may be reused for equal input, in crews with `cache: true`. @default
   * every result may
   */
  readonly cache?: (input: JsonObject, result: JsonValue) => boolean;
  /**
   * Requires a person to approve each call; a function decides once per call. The run waits for any length of time.
   * After a refusal, the model receives the person's words.
   * @default false
   */
  readonly needsApproval?: NeedsApproval;
  /** Policy for failures of the tool. @default the task's policy, else the agent's, else the crew's, else "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Allows the same call twice in a row if the agent refuses repeats. @default false */
  readonly allowRepeat?: boolean;
  /** Required environment variables and secrets. A run does not start if a required one is missing. @default [] */
  readonly envVars?: readonly EnvVar[];
  /**
   * Schema of results for the model. A matching result is returned as compact JSON of the parsed value; any other
   * unchanged.
   * @default none
   */
  readonly resultSchema?: z.ZodType;
  /**
   * Returns the text for the model from a result, or from its value parsed by `resultSchema`. Its errors are failures
   * of the tool.
   * @default text as it is, anything else as JSON
   */
  readonly format?: (result: Exclude<Awaited<Output>, ToolFailure>) => string;
  /**
   * Maximum characters of a result shown to the model, an integer >= 1; the journal has the whole result.
   * @default the agent's `maxToolResultCharacters`
   */
  readonly maxResultCharacters?: number;
  /** Outside service of the tool, such as `Serper`, for events and the usage of tools. */
  readonly service?: string;
  /**
   * True if the tool acts outside of the run: sends, writes, or starts visible work. Lists of tools show it;
   * `needsApproval` decides about approval.
   */
  readonly actsOutside?: boolean;
};
