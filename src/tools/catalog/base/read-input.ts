// The arguments of a tool of the catalogue, as models write them.
//
//   CI1. Optional arguments that are null, empty or the text "null" were not given.
//   CI2. Other names of an argument are understood, and are in no schema. A name may stand for an option: then it changes the
//        option for this call.
//   CI3. An argument that an option fixes is in no schema.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

export type InputSpec = {
  readonly schema: z.ZodObject;
  /** Arguments that options of the same name fix. */
  readonly fixed: readonly string[];
  /** Arguments, and options in snake_case, by other names for them. */
  readonly otherNames: Readonly<Record<string, string>>;
};

/** Where the options that a call changes are kept within its arguments. */
const CHANGED = "$options";

/** The schema that reads arguments, and shows those that a model may write. */
export function inputSchema({ schema, fixed, otherNames }: InputSpec): z.ZodType {
  const free = schema.omit(maskOf(fixed));
  const names = Object.keys(otherNames);
  const reads = names.length === 0 ? free : free.extend({ [CHANGED]: z.unknown().optional() });
  const shown: Readonly<Record<string, unknown>> = free.shape;
  return z.preprocess((input) => {
    if (!isJsonObject(input)) return input;
    const known: Record<string, JsonValue> = {};
    const changed: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(input)) {
      const meant = Object.hasOwn(shown, name) ? name : (otherNames[name] ?? name);
      const isArgument = Object.hasOwn(shown, meant);
      if (isArgument && isBlank(value) && isOptional(shown[meant])) continue;
      if (isArgument && (meant === name || !Object.hasOwn(input, meant))) known[meant] = value;
      else if (Object.hasOwn(otherNames, name) && !isBlank(value))
        changed[camelCase(meant)] = value;
    }
    return Object.keys(changed).length === 0 ? known : { ...known, [CHANGED]: changed };
  }, reads);
}

/** The arguments of a call, and the options that it changes. */
export function callInput(input: unknown): {
  readonly input: Record<string, unknown>;
  readonly changed: JsonObject;
} {
  const { [CHANGED]: changed, ...rest } = input as Record<string, unknown>;
  return { input: rest, changed: isJsonObject(changed) ? changed : {} };
}

/** JSON Schema without what models are not told of. */
export function withoutHidden(parameters: JsonObject): JsonObject {
  const { properties } = parameters;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, CHANGED)) return parameters;
  const { [CHANGED]: _, ...shown } = properties;
  return { ...parameters, properties: shown };
}

/** The mask that `omit` takes for names that the types do not know. */
export function maskOf(names: readonly string[]): never {
  return Object.fromEntries(names.map((name) => [name, true])) as never;
}

function isBlank(value: JsonValue): boolean {
  return (
    value === null ||
    value === "" ||
    value === "null" ||
    (Array.isArray(value) && value.length === 0)
  );
}

function isOptional(schema: unknown): boolean {
  return (schema as z.ZodType).safeParse(undefined).success;
}
