// Creates tools of the catalogue from data and stateless functions.
//
//   TCT1. A person approves every call of a tool with effects outside of the run, unless its definition disables this.
//   TCT2. A call of such a tool is not repeated after a crash, unless its service takes an idempotency key.
//   TCT3. A failure of the service is a failure of the tool, with its secrets masked, and never an error of the run.
//   TCT4. A search with an empty query fails before any request.
import type * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { cut } from "../../../base/cut.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { JsonValue } from "../../../base/json.ts";
import type { RunServices } from "../../../events/run-services.ts";
import { isToolFailure } from "../../tool-failure.ts";
import { ToolResult, toolResult, type ToolResultFields } from "../../tool-result.ts";
import { tool, toolFromSchema, type Tool } from "../../tool.ts";
import { cleanText } from "../../../base/clean-text.ts";
import type { ToolContext } from "../../tool-context.ts";
import type {
  CatalogEntry,
  CatalogTool,
  FixedOptions,
  KeyOptions,
  MadeTool,
  OptionsInput,
} from "./entry.ts";
import { keptResult } from "./kept-result.ts";
import { callInput, inputSchema, withoutHidden } from "./read-input.ts";
import {
  parseOptions,
  readOptions,
  ungrouped,
  variableName,
  variableValue,
  type ReadOptions,
} from "./read-options.ts";
import { withTexts } from "./redact.ts";
import { REQUEST_RETRY } from "./request-retry.ts";
import {
  badResponse,
  failureInAnswer,
  isServiceFailure,
  returnedFailure,
  serviceFailure,
} from "./service-failure.ts";
import { ToolIo } from "./tool-io.ts";
import type { RequestSpec, RunSpec, ToolSpec } from "./tool-spec.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_CALL_TIMEOUT_MS = 600_000;
const DEFAULT_MAX_CHARS = 32_000;

/** Creates a tool with exactly one request. */
export function httpTool<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  Answer extends z.ZodType,
  const Fixed extends string = never,
  const Key extends string = string,
>(
  spec: RequestSpec<Input, Options, Answer, Fixed, Key>,
): CatalogTool<Options, FixedOptions<Input, Fixed> & KeyOptions<Key>> {
  const { request, answer, result, ...rest } = spec;
  let schema: Answer | undefined;
  return catalogTool<Input, Options, Fixed, Key>({
    ...rest,
    run: async (input, options, io) => {
      const response = await io.send(request(input, options, io));
      const failure = failureInAnswer(response.body, spec);
      if (failure !== undefined) throw failure;
      const parsed = (schema ??= answer()).safeParse(response.body);
      if (!parsed.success) throw badResponse(spec.service);
      return result(parsed.data, { input, options, response, io });
    },
  });
}

/** Creates a tool with any number of requests. */
export function catalogTool<
  Input extends z.ZodObject,
  Options extends z.ZodObject,
  const Fixed extends string = never,
  const Key extends string = string,
>(
  spec: RunSpec<Input, Options, Fixed, Key>,
): CatalogTool<Options, FixedOptions<Input, Fixed> & KeyOptions<Key>> {
  const entry = entryOf(spec, (options) => makeTool(spec, options));
  const make = (options: OptionsInput<Options> = {}): Tool => entry.make(options).tool as Tool;
  return Object.assign(make, { entry });
}

/** Creates a tool's entry for lists and definitions. */
export function entryOf<Input extends z.ZodObject, Options extends z.ZodObject>(
  spec: ToolSpec<Input, Options>,
  make: (options: Readonly<Record<string, unknown>>) => MadeTool,
): CatalogEntry {
  const { className, displayName, group, service, effectClass, env = [] } = spec;
  return {
    className,
    otherNames: spec.otherNames ?? [],
    displayName,
    get description() {
      return describedBy(spec);
    },
    group,
    service,
    effectClass,
    variables: env,
    hosts: typeof spec.hosts === "function" ? [] : (spec.hosts ?? []),
    bindings: spec.bindings ?? [],
    hostOptions: spec.hostOptions ?? [],
    optionGroups: spec.optionGroups ?? [],
    codeOptions: spec.codeOptions ?? [],
    input: spec.input,
    options: spec.options,
    make: (options = {}) => make(options),
  };
}

function describedBy<Input extends z.ZodObject, Options extends z.ZodObject>({
  description,
  options,
}: ToolSpec<Input, Options>): string {
  if (typeof description === "string") return description;
  const defaults = options().safeParse({});
  return description((defaults.data ?? {}) as z.output<Options>);
}

function makeTool<Input extends z.ZodObject, Options extends z.ZodObject>(
  spec: RunSpec<Input, Options>,
  listed: Readonly<Record<string, unknown>>,
): MadeTool {
  const { className, env = [], effectClass, timeoutMs = DEFAULT_TIMEOUT_MS, fixable = [] } = spec;
  const inputs = spec.input();
  const fixing = Object.fromEntries(
    fixable.map((name) => [camelCase(name), (inputs.shape[name] as z.ZodType).optional()]),
  );
  const own = spec.options();
  const schema = fixable.length === 0 ? own : own.extend(fixing);
  const optionsSpec = { className, variables: env, schema };
  const read = readOptions(ungrouped(listed, spec.optionGroups ?? []), optionsSpec);
  const { shared, variables, references } = read;
  const fixed = fixable.filter((name) => isSet(read, camelCase(name)));
  // Parsed once, unless variables have some of the values.
  const ready =
    Object.keys(references).length === 0 ? parseOptions(read, optionsSpec, {}) : undefined;
  const optionsFor = (callEnv: Readonly<Record<string, string>>, changed: object): never => {
    if (Object.keys(changed).length === 0 && ready !== undefined) return ready as never;
    const all = { ...read, own: { ...read.own, ...changed } };
    return parseOptions(all, optionsSpec, callEnv) as never;
  };
  const run = async (argument: unknown, context: ToolContext): Promise<unknown> => {
    const { input, changed } = callInput(argument);
    const valueOf = (name: string): string | undefined => variableValue(name, read, context.env);
    let io: ToolIo | undefined;
    try {
      const options = optionsFor(context.env, changed);
      const { hosts = [] } = spec;
      io = new ToolIo(
        {
          service: spec.service,
          toolName: made.safeName,
          hosts: typeof hosts === "function" ? hosts(options, valueOf) : hosts,
          variables: env,
          valueOf,
          heldBy: (name) => variableName(name, read),
          shared,
          timeoutMs,
          minIntervalMs: spec.minIntervalMs,
          quota: spec.quota,
        },
        context,
      );
      const calling = io;
      const values = Object.fromEntries(
        fixed.map((name) => [name, (options as Record<string, unknown>)[camelCase(name)]]),
      );
      const all = { ...input, ...values } as z.output<Input>;
      refuseBlankQuery(all);
      const { headers, cacheSeconds = 0 } = shared;
      const keys = env.map(({ name }) => valueOf(name) ?? null);
      const of = { className, options, input: all, headers, keys };
      const seconds = effectClass === "R" && spec.cache !== false ? cacheSeconds : 0;
      return await keptResult(io, { of, seconds }, async () =>
        finished(await spec.run(all, options, calling), { spec, io: calling, read }),
      );
    } catch (error) {
      if (!isServiceFailure(error)) throw error;
      return returnedFailure(error, (text) => io?.redact(text) ?? text);
    }
  };
  const description = shared.description ?? descriptionOf(spec, ready);
  const common = {
    name: shared.name ?? spec.displayName,
    description,
    effect: spec.effect ?? (effectClass === "X" ? "once" : "idempotent"),
    timeoutMs: spec.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS,
    retry: REQUEST_RETRY,
    envVars: variables,
    service: spec.service,
    ...((shared.cache ?? spec.cache ?? effectClass === "R")
      ? undefined
      : { cache: (): boolean => false }),
    needsApproval: shared.needsApproval ?? effectClass === "X",
    ...(effectClass === "X" ? { actsOutside: true } : undefined),
    ...(spec.allowRepeat === undefined ? undefined : { allowRepeat: spec.allowRepeat }),
    ...picked(shared, OVERRIDES),
    run,
  };
  const { parameters } = spec;
  const base =
    parameters === undefined
      ? tool({
          ...common,
          input: inputSchema({ schema: inputs, fixed, otherNames: spec.takes ?? {} }),
        })
      : toolFromSchema({ ...common, parameters });
  const made: Tool = {
    ...base,
    parameters: withoutHidden(base.parameters),
    ...(spec.takes === undefined ? undefined : { readsAnyName: true }),
    ...(spec.check === undefined
      ? undefined
      : { check: (services: RunServices) => spec.check?.(services, read.own) }),
  };
  return { tool: made, warnings: read.warnings };
}

/** Argument names of search queries. */
const QUERIES = ["query", "q", "search_query"];

function refuseBlankQuery(input: Readonly<Record<string, unknown>>): void {
  for (const name of QUERIES) {
    const query = input[name];
    if (typeof query === "string" && query.trim() === "")
      throw serviceFailure({
        code: "bad_request",
        message: `${name} is empty: say what to look for.`,
      });
  }
}

const OVERRIDES = [
  "resultAsAnswer",
  "maxUsageCount",
  "allowRepeat",
  "toolFailurePolicy",
  "maxResultCharacters",
] as const;

function picked<From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Partial<Pick<From, Name>> {
  const entries = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return Object.fromEntries(entries) as Partial<Pick<From, Name>>;
}

function isSet({ own, references }: ReadOptions, name: string): boolean {
  return own[name] !== undefined || references[name] !== undefined;
}

function descriptionOf<Input extends z.ZodObject, Options extends z.ZodObject>(
  { description, className }: RunSpec<Input, Options>,
  options: Record<string, unknown> | undefined,
): string {
  if (typeof description === "string") return description;
  if (options === undefined)
    throw invalidDefinition(`${className}: an option that its description needs is a variable`);
  return description(options as z.output<Options>);
}

/** Returns the result in its uniform form: text cut and cleaned, cost in money if known. */
function finished<Input extends z.ZodObject, Options extends z.ZodObject>(
  result: unknown,
  call: {
    readonly spec: RunSpec<Input, Options>;
    readonly io: ToolIo;
    readonly read: ReadOptions;
  },
): unknown {
  if (isToolFailure(result)) return result;
  const { spec, io, read } = call;
  const { maxChars = DEFAULT_MAX_CHARS, effectClass, hosts = [] } = spec;
  const fields = fieldsOf(result);
  const isForeign =
    spec.untrusted ?? (effectClass === "R" && (typeof hosts === "function" || hosts.length > 0));
  const writers = fields.untrusted ?? (isForeign ? [spec.service] : undefined);
  const text = io.redact(isForeign ? cleanText(fields.text) : fields.text);
  const { cost, data, sources } = fields;
  const masked = <Value>(value: Value): Value => withTexts(value, (each) => io.redact(each));
  const { prices } = read.shared;
  const usd =
    cost?.unit === "credits" && prices !== undefined ? cost.amount * prices.credit : fields.usd;
  return toolResult({
    ...fields,
    text: cut(text, maxChars),
    ...(data === undefined ? undefined : { data: masked(data) }),
    ...(sources === undefined ? undefined : { sources: masked(sources) }),
    ...(writers === undefined ? undefined : { untrusted: writers }),
    ...(usd === undefined ? undefined : { usd }),
    ...(io.bytesRead === undefined ? undefined : { bytes: io.bytesRead }),
  });
}

function fieldsOf(result: unknown): ToolResultFields {
  if (result instanceof ToolResult) return result.fields;
  if (typeof result === "string") return { text: result };
  if (result === undefined || result === null) return { text: "" };
  const data = result as JsonValue;
  return { text: JSON.stringify(data, null, 1), data };
}
