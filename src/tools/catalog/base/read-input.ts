// Arguments of a catalogue tool, in the form written by models.
//
//   CI1. Optional arguments with null, an empty value or the text "null" count as absent.
//   CI2. Alternative names of an argument are accepted but absent from schemas. A name may refer to an option: then it
//        changes the option for this call.
//   CI3. An argument fixed by an option is absent from schemas.
import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

export type InputSpec = {
  readonly schema: z.ZodObject;
  /** Arguments fixed by options of the same name. */
  readonly fixed: readonly string[];
  /** Arguments, and options in snake_case, by alternative names. */
  readonly otherNames: Readonly<Record<string, string>>;
};

/** Field within the arguments for the options changed by a call. */
const CHANGED = "$options";

/** Returns the schema for reading arguments. It shows the ones available to a model. */
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

/** Separates the arguments of a call from the options it changes. */
export function callInput(input: unknown): {
  readonly input: Record<string, unknown>;
  readonly changed: JsonObject;
} {
  const { [CHANGED]: changed, ...rest } = input as Record<string, unknown>;
  return { input: rest, changed: isJsonObject(changed) ? changed : {} };
}

/** Removes hidden fields from a JSON Schema. */
export function withoutHidden(parameters: JsonObject): JsonObject {
  const { properties } = parameters;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, CHANGED)) return parameters;
  const { [CHANGED]: _, ...shown } = properties;
  return { ...parameters, properties: shown };
}

/** Returns a mask for `omit` with names unknown to the types. */
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
