import type * as z from "zod";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RetryPolicy } from "../base/retry.ts";
import type { Effect } from "../journal/step-spec.ts";
import type { EnvVar } from "./env-vars.ts";
import type { InjectedValues, InjectionFreeName, Injections, NoInjections } from "./injection.ts";
import type { ToolFailure, ToolFailurePolicy } from "./tool-failure.ts";
import type { InputValue, ToolInput } from "./tool-input.ts";
import type { NeedsApproval, ToolContext } from "./tool.ts";

/** What a tool is made of. */
export type ToolOptions<
  Input extends ToolInput,
  Output = unknown,
  Declared extends Injections = NoInjections,
> = {
  /** Shown to the model in a spelling that every provider accepts: `Read a file` becomes `read_a_file`. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /**
   * The schema of the input: a zod object, or one of another library that follows Standard JSON Schema. It types the argument of
   * `run`, which gets parsed input.
   */
  readonly input: Input;
  /** Does the work. A string is returned to the model as it is, anything else as JSON. */
  readonly run: (
    input: InputValue<Input>,
    context: ToolContext & InjectedValues<Declared>,
  ) => Output;
  /**
   * What `run` finds in its context under these names, beside the rest: made by `depends()`, or of what the conversation has. No
   * model sees it.
   * @default {}
   */
  readonly inject?: Declared & { readonly [Name in InjectionFreeName]?: never };
  /**
   * Whether a call that a crash interrupted may run again. `idempotent` and `pure` calls do, with the same idempotency key; a
   * `once` call never does, and the model is informed that its outcome is unknown.
   * @default "idempotent"
   */
  readonly effect?: Effect;
  /** The first successful result ends the task as its answer. @default false */
  readonly resultAsAnswer?: boolean;
  /**
   * Maximum uses per task. A use is a run of `run`: calls that are blocked or refused, whose arguments do not fit or whose result
   * is in the cache are none. An integer >= 1. @default no limit
   */
  readonly maxUsageCount?: number;
  /** Time limit of one attempt in milliseconds; attempts that wait or run steps of their own have none. @default 300_000 */
  readonly timeoutMs?: number;
  /**
   * When a failed call is retried before the failure is reported to the model. Only retryable errors are retried.
   * @default one attempt
   * @example { maxAttempts: 3, initialDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 }
   */
  readonly retry?: RetryPolicy;
  /** Whether a result, as `run` returned it, may be reused for equal input, in crews with `cache: true`. @default every result may */
  readonly cache?: (input: JsonObject, result: JsonValue) => boolean;
  /**
   * Whether a person must approve each call; a function decides once per call. The run waits for as long as it takes. After a
   * refusal, the model receives the person's words.
   * @default false
   */
  readonly needsApproval?: NeedsApproval;
  /** What happens when the tool fails. @default the task's policy, else the agent's, else the crew's, else "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy;
  /** Allows the same call twice in a row where the agent refuses repeats. @default false */
  readonly allowRepeat?: boolean;
  /** Environment variables and secrets that the tool needs. A run does not start if a required one is missing. @default [] */
  readonly envVars?: readonly EnvVar[];
  /**
   * A result that fits this schema is returned to the model as compact JSON of the parsed value; any other as it is.
   * @default none
   */
  readonly resultSchema?: z.ZodType;
  /**
   * The text that the model receives for a result, or for what `resultSchema` makes of it. What it throws is a failure of the tool.
   * @default text as it is, anything else as JSON
   */
  readonly format?: (result: Exclude<Awaited<Output>, ToolFailure>) => string;
  /**
   * How many characters of a result the model is shown; the journal keeps it whole. An integer >= 1.
   * @default the agent's `maxToolResultCharacters`
   */
  readonly maxResultCharacters?: number;
  /** The outside service that it asks, such as `Serper`: named in events and in the usage of tools. */
  readonly service?: string;
  /** It acts outside of the run: sends, writes, starts what others see. Lists of tools say so; `needsApproval` decides who is asked. */
  readonly actsOutside?: boolean;
};
