import { customEvents, type EmittingCall } from "./custom-events.ts";
import { SCHEMA_TOOL_OPTIONS, TOOL_OPTIONS } from "./tool-option-names.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import type * as z from "zod";
import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import type { RetryPolicy } from "../base/retry.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { BuiltinTool } from "../llm/builtin-tools.ts";
import type { RunServices } from "../events/run-services.ts";
import type { Effect, StepContext } from "../journal/step-spec.ts";
import type { ToolSecurity } from "../security/security-config.ts";
import { keySegment } from "../journal/step-key.ts";
import { checkEnvVars, type EnvVar } from "./env-vars.ts";
import {
  checkInjections,
  withInjected,
  type InjectedValues,
  type Injections,
  type NoInjections,
} from "./injection.ts";
import { toParameters } from "./json-schema.ts";
import type { ToolContext, ToolCaller, NeedsApproval } from "./tool-context.ts";
import { noToolMemory } from "./tool-memory.ts";
import { checkFailurePolicy, type ToolFailurePolicy } from "./tool-failure.ts";
import { inputReader, type ToolInput } from "./tool-input.ts";
import { sanitizeToolName } from "../wire/tool-name.ts";
import type { ToolOptions } from "./tool-options.ts";
import { typedValue } from "./typed-values.ts";

export type { ToolSecurity };

/** Tool for agents. Make one with `tool()`. */
export type Tool = {
  readonly name: string;
  /** `name` in the spelling of models. */
  readonly safeName: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: JsonObject;
  readonly effect: Effect;
  readonly resultAsAnswer: boolean;
  readonly maxUsageCount: number | undefined;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy | undefined;
  readonly cache: (input: JsonObject, result: JsonValue) => boolean;
  readonly needsApproval?: NeedsApproval;
  readonly toolFailurePolicy?: ToolFailurePolicy;
  readonly allowRepeat?: boolean;
  readonly envVars?: readonly EnvVar[];
  readonly resultSchema?: z.ZodType;
  readonly format?: (result: unknown) => string;
  readonly maxResultCharacters?: number;
  /** Outside service of the tool, named in events. */
  readonly service?: string;
  /** True if the tool acts outside of the run: sends, writes, or starts visible work. */
  readonly actsOutside?: boolean;
  /**
   * Receives each result as returned by `run`, also from the record in a replay, so later calls of the tool can use it.
   */
  readonly recorded?: (result: JsonValue) => void;
  /** Fails with `invalid_definition` if the run lacks a requirement of the tool. Called before a run incurs costs. */
  readonly check?: (services: RunServices) => void;
  /** Equivalent tool of providers. If the agent's model has it, the provider runs it in place of this one. */
  readonly builtin?: BuiltinTool;
  /** True if the tool works only at providers and cannot be called here. @default false */
  readonly onlyBuiltin?: boolean;
  /** True if the tool accepts argument names missing from `parameters`; then the text form keeps them all. */
  readonly readsAnyName?: boolean;
  /** Converts texts in the input to the types in `parameters`; returns the input unchanged if this does not help. */
  readonly typed?: (input: JsonObject) => JsonObject;
  /** Checks the input and runs. Fails with `invalid_input` for invalid input, or with the error of `run`. */
  call(input: JsonObject, context: ToolContext): Promise<unknown>;
};

const DEFAULT_TIMEOUT_MS = 300_000;

/** Default `cache` of a tool. */
export const KEEPS_ALL = (): boolean => true;

/** Defines a tool. Fails with `invalid_definition` for invalid options. */
export function tool<Input extends ToolInput, Output, Declared extends Injections = NoInjections>(
  options: ToolOptions<Input, Output, Declared>,
): Tool {
  refuseUnknownOptions(options, TOOL_OPTIONS);
  const { input: schema, run, inject, ...rest } = options;
  const { parameters, fits, read } = inputReader(schema);
  const call = injecting(options.name, { inject, run, parameters });
  return defineTool({
    ...rest,
    parameters,
    typed: typing(parameters, fits),
    call: async (input, context) => {
      const reading = await read(input);
      if ("issues" in reading) throw badInput(options.name, input, reading.issues);
      return call(reading.value, context);
    },
  });
}

/** Defines a tool with a JSON Schema as its input, such as one received over a protocol. */
export function toolFromSchema<Output, Declared extends Injections = NoInjections>(
  options: Omit<ToolOptions<z.ZodType, Output, Declared>, "input" | "run"> & {
    readonly parameters: JsonObject;
    readonly run: (input: JsonObject, context: ToolContext & InjectedValues<Declared>) => Output;
  },
): Tool {
  refuseUnknownOptions(options, SCHEMA_TOOL_OPTIONS);
  const { run, inject, ...rest } = options;
  const parameters = toParameters(options.parameters);
  const call = injecting(options.name, { inject, run, parameters });
  const fits = (input: JsonValue): boolean => validateJsonSchema(parameters, input).length === 0;
  return defineTool({
    ...rest,
    parameters,
    typed: typing(parameters, fits),
    call: async (input, context) => {
      const issues = validateJsonSchema(parameters, input);
      if (issues.length > 0) throw badInput(options.name, input, issues);
      return call(input, context);
    },
  });
}

/**
 * Wraps a tool's function so it needs only the context of a call. Fails with `invalid_definition` for invalid
 * injections.
 */
function injecting(
  name: string,
  {
    inject,
    run,
    parameters,
  }: {
    readonly inject: Injections | undefined;
    readonly run: unknown;
    readonly parameters: JsonObject;
  },
): (input: unknown, context: ToolContext) => unknown {
  const plain = run as (input: unknown, context: ToolContext) => unknown;
  if (inject === undefined) return plain;
  checkInjections(inject, { toolName: name, parameters });
  return async (input, context) => plain(input, await withInjected(context, inject));
}

/**
 * Returns input unchanged if it fits, else with its texts converted to the schema's types if it then fits (see
 * typed-values.ts).
 */
function typing(
  parameters: JsonObject,
  fits: (input: JsonValue) => boolean,
): (input: JsonObject) => JsonObject {
  return (input) => {
    if (fits(input)) return input;
    const typed = typedValue(parameters, input);
    return isJsonObject(typed) && fits(typed) ? typed : input;
  };
}

/**
 * Creates the context for a tool's `run`: the step's own context, and a scope whose steps continue when the tool runs
 * again.
 */
export function toolContext(
  step: StepContext,
  scope: RunScope,
  caller: ToolCaller & Pick<ToolContext, "env"> & Pick<EmittingCall, "toolName" | "isOver">,
): ToolContext {
  const { agentRole, taskName, security, env, toolName, isOver } = caller;
  const { memory = noToolMemory(agentRole) } = caller;
  const isMute = (): boolean => step.signal.aborted || isOver();
  return {
    signal: step.signal,
    idempotencyKey: step.idempotencyKey,
    attempt: step.attempt,
    runId: scope.runId,
    agentRole,
    ...(taskName === undefined ? undefined : { taskName }),
    ...(security === undefined ? undefined : { security }),
    memory,
    env,
    step: (name, action, options) =>
      scope.at(keySegment(name)).step({
        kind: "effect",
        carries: true,
        ...options,
        run: (inner, inside) => inside.run(() => action(inner)),
      }),
    wait: (name, request) => scope.at(keySegment(name)).wait(request),
    sleep: (name, delayMs) => scope.at(`sleep:${keySegment(name)}`).sleep(delayMs),
    emit: customEvents(scope, { agentRole, taskName, toolName, isOver: isMute }),
    now: () => scope.now(),
    random: () => scope.random(),
    uuid: () => scope.uuid(),
  };
}

function defineTool(
  options: Omit<ToolOptions<z.ZodType, never>, "input" | "run" | "inject"> &
    Pick<Tool, "parameters" | "call" | "typed">,
): Tool {
  const {
    name,
    description,
    parameters,
    call,
    typed,
    maxUsageCount,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  } = options;
  if (name.trim() === "") throw invalid("tool.name must not be empty");
  if (description.trim() === "")
    throw invalid(`tool "${name}": description must not be empty, models choose by it`);
  if (maxUsageCount !== undefined && !isCount(maxUsageCount)) {
    throw invalid(
      `tool "${name}": maxUsageCount must be an integer >= 1, got ${preview(maxUsageCount)}`,
    );
  }
  if (!(timeoutMs > 0))
    throw invalid(`tool "${name}": timeoutMs must be a number > 0, got ${preview(timeoutMs)}`);
  const { needsApproval, toolFailurePolicy, allowRepeat, envVars, resultSchema } = options;
  const { format, maxResultCharacters, service, actsOutside } = options;
  if (format !== undefined && typeof format !== "function")
    throw invalid(`tool "${name}": format must be a function, got ${preview(format)}`);
  if (maxResultCharacters !== undefined && !isCount(maxResultCharacters))
    throw invalid(
      `tool "${name}": maxResultCharacters must be an integer >= 1, got ${preview(maxResultCharacters)}`,
    );
  checkFailurePolicy(toolFailurePolicy, `tool "${name}"`);
  checkEnvVars(envVars ?? [], name);
  return {
    ...(needsApproval === undefined ? undefined : { needsApproval }),
    ...(toolFailurePolicy === undefined ? undefined : { toolFailurePolicy }),
    ...(allowRepeat === undefined ? undefined : { allowRepeat }),
    ...(envVars === undefined ? undefined : { envVars }),
    ...(resultSchema === undefined ? undefined : { resultSchema }),
    ...(typed === undefined ? undefined : { typed }),
    ...(format === undefined ? undefined : { format: format as (result: unknown) => string }),
    ...(maxResultCharacters === undefined ? undefined : { maxResultCharacters }),
    ...(service === undefined ? undefined : { service }),
    ...(actsOutside === undefined ? undefined : { actsOutside }),
    name,
    safeName: sanitizeToolName(name),
    description,
    parameters,
    effect: options.effect ?? "idempotent",
    resultAsAnswer: options.resultAsAnswer ?? false,
    maxUsageCount,
    timeoutMs,
    retry: options.retry,
    cache: options.cache ?? KEEPS_ALL,
    call,
  };
}

function badInput(
  name: string,
  input: JsonObject,
  issues: ReadonlyArray<{ path: string; message: string }>,
): EngineError {
  const what = issues
    .map(({ path, message }) => `${path === "" ? "input" : path}: ${message}`)
    .join("; ");
  return new EngineError(
    "invalid_input",
    `the input of tool "${name}" does not fit: ${what}; got ${preview(input)}`,
    { issues },
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
