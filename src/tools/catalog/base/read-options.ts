// Options of a catalogue tool: in code, in YAML and in JSON.
//
//   TCO1. A name in snake_case or camelCase is the same option. Options without meaning here are silently ignored;
//         unknown ones cause a warning.
//   TCO2. Any option may be `{ env: "NAME" }`: its value is read at the call of the tool, and the variable is required
//         like others.
//   TCO3. A key listed as an option replaces its variable.
//   TCO4. Fields of an object of options are options like the others, also for the limits on stored definitions.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject } from "../../../base/json.ts";
import { toIssues } from "../../../base/zod-issues.ts";
import type { EnvVar } from "../../env-vars.ts";
import type { CatalogVariable, SharedToolOptions } from "./entry.ts";
import { maskOf } from "./read-input.ts";

/** Options of upstream's tools for objects of its libraries. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set(
  "client asyncClient driver adapter verbose headless enableLogging proxies poolSize argsSchema headerSchema envVars packageDependencies config summarize".split(
    " ",
  ),
);

/** Valid header value. */
const HEADER = z
  .string()
  .refine((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text), "expected one line of Latin letters");

const SHARED = {
  name: z.string().min(1),
  description: z.string().min(1),
  resultAsAnswer: z.boolean(),
  maxUsageCount: z.int().min(1),
  cache: z.boolean(),
  needsApproval: z.union([z.boolean(), z.custom<() => boolean>((it) => typeof it === "function")]),
  allowRepeat: z.boolean(),
  toolFailurePolicy: z.enum(["ignore", "warn", "raise"]),
  maxResultCharacters: z.int().min(1),
  timeoutMs: z.number().positive(),
  cacheSeconds: z.int().min(0).max(2_592_000),
  prices: z.object({ credit: z.number().min(0) }),
  userAgent: HEADER,
  headers: z.record(z.string(), HEADER),
} as const;

export type ReadOptions = {
  readonly shared: SharedToolOptions;
  /** Variables of the tool, without those replaced by options, and the variables named in options. */
  readonly variables: readonly EnvVar[];
  /** Keys listed as options, by the name of the replaced variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Names of variables with the values of own options, by option. */
  readonly references: Readonly<Record<string, string>>;
  /** Own options with direct values, by names in camelCase; not yet parsed. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
};

export type OptionsSpec = {
  readonly className: string;
  readonly variables: readonly CatalogVariable[];
  readonly schema: z.ZodObject;
};

/** Moves the fields of these objects to the options. Existing options of the same name take precedence. */
export function ungrouped<Value>(
  options: Readonly<Record<string, Value>>,
  groups: readonly string[],
): Readonly<Record<string, Value>> {
  const isGroup = ([name, value]: readonly [string, Value]): boolean =>
    groups.includes(camelCase(name)) && isJsonObject(value);
  const all = Object.entries(options);
  const fields = all.filter(isGroup).flatMap(([, value]) => Object.entries(value as object));
  return Object.fromEntries([...fields, ...all.filter((each) => !isGroup(each))]);
}

/** Reads the options. Fails with `invalid_definition` for invalid ones. */
export function readOptions(
  listed: Readonly<Record<string, unknown>>,
  spec: OptionsSpec,
): ReadOptions {
  const { className, variables, schema } = spec;
  const shared: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  const references: Record<string, string> = {};
  const renamed: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [spelled, value] of Object.entries(listed)) {
    const name = camelCase(spelled);
    if (value === undefined || value === null) continue;
    const variable = variables.find(({ option }) => option === name);
    const reference = referenceOf(value);
    if (variable !== undefined && reference !== undefined) renamed[variable.name] = reference;
    else if (variable !== undefined)
      secrets[variable.name] = textOf(value, `${className}.${spelled}`);
    else if (Object.hasOwn(schema.shape, name)) {
      if (reference === undefined) own[name] = value;
      else references[name] = reference;
    } else if (Object.hasOwn(SHARED, name)) shared[name] = value;
    else if (!WITHOUT_MEANING.has(name)) unknown.push(spelled);
  }
  const warnings = unknown.map(
    (spelled) =>
      `${className} has no option ${spelled}; beside its name it takes ${optionNames(spec)}`,
  );
  const checked = z.object(SHARED).partial().safeParse(shared);
  if (!checked.success) throw wrong(className, checked.error, { value: shared, listed });
  const here = schema.omit(maskOf(Object.keys(references))).safeParse(own);
  if (!here.success) throw wrong(className, here.error, { value: own, listed });
  // One variable of a group is enough, also if an option replaces it.
  const met = new Set(
    variables.filter(({ name }) => Object.hasOwn(secrets, name)).map(({ oneOf }) => oneOf),
  );
  return {
    shared,
    variables: [
      ...variables
        .filter(({ name }) => !Object.hasOwn(secrets, name))
        .map(({ name, description, required, default: fallback, oneOf }) =>
          oneOf !== undefined && met.has(oneOf)
            ? variableOf({ name: renamed[name] ?? name, description, required: false })
            : variableOf({ name: renamed[name] ?? name, description, required, fallback, oneOf }),
        ),
      ...Object.entries(references).map(([option, name]) =>
        variableOf({ name, description: `the option ${option} of ${className}` }),
      ),
    ],
    secrets,
    references: { ...references, ...prefixed(renamed) },
    own,
    warnings,
  };
}

function optionNames({ variables, schema }: OptionsSpec): string {
  const keys = variables.flatMap(({ option }) => option ?? []);
  const own = [...Object.keys(schema.shape), ...keys];
  return [...own, "what all tools take"].join(", ");
}

/** Returns the value of a tool's variable from any of its origins; undefined if it is not set. */
export function variableValue(
  name: string,
  { secrets, references }: Pick<ReadOptions, "secrets" | "references">,
  env: Readonly<Record<string, string>>,
): string | undefined {
  return secrets[name] ?? env[references[`${VARIABLE}${name}`] ?? name];
}

/** Returns the name of the deployment's variable for a tool's variable; undefined if an option replaces it. */
export function variableName(
  name: string,
  { secrets, references }: Pick<ReadOptions, "secrets" | "references">,
): string | undefined {
  return secrets[name] === undefined ? (references[`${VARIABLE}${name}`] ?? name) : undefined;
}

/**
 * Returns the own options of a call. Fails with `invalid_definition` if the value of a variable is invalid for its
 * option.
 */
export function parseOptions(
  { own, references }: ReadOptions,
  { className, schema }: OptionsSpec,
  env: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const fromEnv = Object.entries(references)
    .filter(([option]) => !option.startsWith(VARIABLE))
    .map(([option, name]) => [option, env[name]]);
  const all = { ...own, ...Object.fromEntries(fromEnv) };
  const parsed = schema.safeParse(all);
  if (!parsed.success) throw wrong(className, parsed.error, { value: all, listed: all });
  return parsed.data;
}

/** Marks, among references, a variable with another name here. */
const VARIABLE = "$";

function prefixed(renamed: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(renamed).map(([name, other]) => [`${VARIABLE}${name}`, other]),
  );
}

/** Returns the name of the variable a value refers to. */
export function referenceOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { env, ...rest } = value;
  return typeof env === "string" && Object.keys(rest).length === 0 ? env : undefined;
}

function textOf(value: unknown, place: string): string {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  throw invalidDefinition(`${place}: expected a text that is not empty`);
}

function variableOf(fields: {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean | undefined;
  readonly fallback?: string | undefined;
  readonly oneOf?: string | undefined;
}): EnvVar {
  const { name, description, required, fallback, oneOf } = fields;
  return {
    name,
    description,
    ...(required === undefined ? undefined : { required }),
    ...(fallback === undefined ? undefined : { default: fallback }),
    ...(oneOf === undefined ? undefined : { oneOf }),
  };
}

function wrong(
  className: string,
  error: z.core.$ZodError,
  {
    value,
    listed,
  }: { readonly value: unknown; readonly listed: Readonly<Record<string, unknown>> },
): Error {
  const spelled = new Map(Object.keys(listed).map((name) => [camelCase(name), name]));
  const faults = toIssues(error, value).map(({ path, message }) => {
    const [, first = "", ...rest] = path.split("/");
    return `${[className, spelled.get(first) ?? first, ...rest].filter(Boolean).join(".")}: ${message}`;
  });
  return invalidDefinition(faults.join("; "));
}
