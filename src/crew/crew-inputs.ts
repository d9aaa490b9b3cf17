// Inputs of a crew with an `inputSchema`.
//
//   CIN1. Inputs are checked once, before the run starts. The run starts with the schema's result, defaults included.
//   CIN2. Inputs the schema does not name pass, unless the schema itself refuses them. Inputs with a special meaning
//         always pass.
//   CIN3. Placeholders in texts are required, named in the schema or not. The crew's own `inputs` are defaults.
import type * as z from "zod";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { checkInputs } from "../base/interpolate.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { jsonFaults } from "../base/json-faults.ts";
import { pointerOf, pointerPart } from "../base/json-pointer.ts";
import { checkJsonSchema, validateJsonSchema } from "../base/json-schema.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";
import { fromZod, isZodSchema } from "../tools/json-schema.ts";
import { SPECIAL_INPUTS } from "./run-context.ts";

/** The schema of an object: zod in code, JSON Schema in definitions. */
export type InputSchema = z.ZodType | JsonObject;

type Reading = { readonly inputs: JsonObject; readonly issues: readonly Issue[] };

export class CrewInputs {
  /** JSON Schema of a kickoff's inputs, with the texts' placeholders and the crew's defaults. */
  readonly schema: JsonObject;
  /** Inputs without a default, required by every kickoff. */
  readonly required: readonly string[];
  readonly #check: (inputs: JsonObject) => Reading;
  readonly #defaults: JsonObject;

  /** Throws `invalid_definition` for a schema of another type than object, and for defaults the schema refuses. */
  constructor(
    own: InputSchema,
    {
      crew,
      needed,
      defaults,
    }: {
      readonly crew: string;
      /** Placeholders of the texts. */
      readonly needed: readonly string[];
      readonly defaults: JsonObject;
    },
  ) {
    const described = objectSchema(own, crew);
    const properties = Object.fromEntries([
      ...needed.map((name) => [name, {}] as const),
      ...Object.entries(objectOf(described["properties"])),
    ]);
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        Object.hasOwn(defaults, name)
          ? { ...objectOf(field), default: defaults[name] as JsonValue }
          : field,
      ]),
    );
    const { required: wanted, ...rest } = described;
    const names = [...(Array.isArray(wanted) ? (wanted as string[]) : []), ...needed];
    this.required = [...new Set(names)].filter(
      (name) => !Object.hasOwn(defaults, name) && objectOf(fields[name])["default"] === undefined,
    );
    this.#defaults = defaults;
    this.schema = {
      ...rest,
      type: "object",
      properties: fields,
      ...(this.required.length === 0 ? undefined : { required: [...this.required] }),
    };
    const { required: _, ...open } = this.schema;
    this.#check = isZodSchema(own) ? zodCheck(own, crew) : jsonCheck(open);
    this.#checkDefaults(crew);
  }

  /** Returns the inputs for the run, or the issues, with pointers below the inputs. */
  read(written: JsonObject): Reading {
    const whole = { ...this.#defaults, ...written };
    const isFree = ([name]: readonly [string, unknown]): boolean =>
      SPECIAL_INPUTS.has(name) && !Object.hasOwn(objectOf(this.schema["properties"]), name);
    const entries = Object.entries(whole);
    const held = Object.fromEntries(entries.filter((entry) => !isFree(entry)));
    const missing = this.required
      .filter((name) => !Object.hasOwn(held, name))
      .map((name) => ({
        path: `/${pointerPart(name)}`,
        message: "is needed by the crew, got nothing",
      }));
    const { inputs, issues } = this.#check(held);
    const paths = new Set(missing.map(({ path }) => path));
    return {
      inputs: { ...Object.fromEntries(entries.filter(isFree)), ...inputs },
      issues: [...missing, ...issues.filter(({ path }) => !paths.has(path))],
    };
  }

  /** Like `read`, but throws `invalid_input`. */
  hold(written: JsonObject): JsonObject {
    checkInputs(written);
    const { inputs, issues } = this.read(written);
    if (issues.length === 0) return inputs;
    throw invalidInput(
      "the inputs do not fit the crew's inputSchema",
      issues.map(({ path, message }) => ({ path: `/inputs${path}`, message })),
    );
  }

  #checkDefaults(crew: string): void {
    const { issues } = this.#check(this.#defaults);
    const fields = objectOf(this.schema["properties"]);
    const wrong = issues.find(({ path }) =>
      Object.keys(fields).some((name) => {
        const at = pointerOf([name]);
        const isSet = objectOf(fields[name])["default"] !== undefined;
        return isSet && (path === at || path.startsWith(`${at}/`));
      }),
    );
    if (wrong !== undefined)
      throw refused(crew, `the default of ${wrong.path.slice(1)}: ${wrong.message}`);
  }
}

function objectSchema(own: unknown, crew: string): JsonObject {
  if (typeof own !== "object" || own === null || Array.isArray(own))
    throw refused(crew, `expected a zod schema or a JSON Schema, got ${preview(own)}`);
  const schema = own as InputSchema;
  const described = isZodSchema(schema) ? fromZod(schema) : schema;
  const { type, properties } = described;
  if (type !== "object" && (type !== undefined || !isJsonObject(properties ?? null)))
    throw refused(
      crew,
      `expected the schema of one object, such as z.object({ … }), got ${preview(described)}`,
    );
  if (!isZodSchema(schema)) checkJsonSchema(schema);
  return described;
}

function zodCheck(schema: z.ZodType, crew: string): (inputs: JsonObject) => Reading {
  return (inputs) => {
    const parsed = parse(schema, inputs, crew);
    if (!parsed.success) return { inputs, issues: toIssues(parsed.error, inputs) };
    const made = { ...inputs, ...(parsed.data as JsonObject) };
    const [fault] = jsonFaults(made, "");
    if (fault === undefined) return { inputs: made, issues: [] };
    throw refused(
      crew,
      `its result must be JSON, because a run stores it: ${fault.path.slice(1)} ${fault.message}`,
    );
  };
}

function parse(schema: z.ZodType, inputs: JsonObject, crew: string) {
  try {
    return schema.safeParse(inputs);
  } catch (error) {
    throw refused(crew, `it cannot check inputs: ${errorMessage(error)}`);
  }
}

function jsonCheck(schema: JsonObject): (inputs: JsonObject) => Reading {
  return (written) => {
    const inputs = withDefaults(schema, written) as JsonObject;
    return { inputs, issues: validateJsonSchema(schema, inputs) };
  };
}

/** Returns an object with the defaults of its fields, including nested ones. */
function withDefaults(schema: JsonValue | undefined, value: JsonValue): JsonValue {
  const properties = objectOf(objectOf(schema)["properties"]);
  if (!isJsonObject(value)) return value;
  const added = Object.entries(properties).flatMap(([name, field]): [string, JsonValue][] => {
    const { default: initial } = objectOf(field);
    return initial === undefined || Object.hasOwn(value, name) ? [] : [[name, initial]];
  });
  const own = Object.entries(value).map(([name, each]): [string, JsonValue] => [
    name,
    withDefaults(Object.hasOwn(properties, name) ? properties[name] : undefined, each),
  ]);
  return Object.fromEntries([...own, ...added]);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}

function refused(crew: string, what: string): EngineError {
  return new EngineError("invalid_definition", `inputSchema of crew "${crew}": ${what}`);
}
