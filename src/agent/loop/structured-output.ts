// Conversion of a model's answer into data of a given shape.
//
//   SO1. The answer as JSON, or the JSON object or array in it, is used if it fits, without a further model call. So is
//        the only object of a list.
//   SO2. Otherwise the model turns its answer into JSON and receives the faults after each attempt, at most
//        `MAX_REPAIRS` times. This holds for JSON of the wrong shape as for prose (upstream fails at once on the
//        former).
//   SO4. Text for a number, a boolean or a list is converted to the type in the schema (see typed-values.ts). Line
//        breaks and other control characters inside strings are accepted, as are single quotes and trailing commas.
//   SO3. An answer without the right shape after all repairs fails with `output_invalid`, which names the fields.
import type * as z from "zod";
import { EngineError, errorMessage, type Issue } from "../../base/error.ts";
import {
  isJsonObject,
  preview,
  type JsonObject,
  type JsonValue,
  parsedJson,
} from "../../base/json.ts";
import { validateJsonSchema } from "../../base/json-schema.ts";
import { toIssues } from "../../base/zod-issues.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ModelResponse } from "../../llm/language-model.ts";
import {
  answerByTool,
  outOfObject,
  refusesShape,
  shapeRequest,
} from "../../model-calls/answer-shape.ts";
import { fromZod, isZodSchema } from "../../tools/json-schema.ts";
import { readLenientObject } from "../../tools/lenient-json.ts";
import { typedValue } from "../../tools/typed-values.ts";
import type { CallPurpose } from "../../model-calls/call-record.ts";
import { callModel } from "../../model-calls/model-call.ts";
import type { ModelCaller } from "../../model-calls/model-caller.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";
import { Transcript } from "../../model-calls/transcript.ts";

/** The shape of an answer: a zod schema in code, a JSON Schema in stored definitions. */
export type OutputSchema = z.ZodType | JsonObject;

export type OutputShape = {
  readonly schema: JsonObject;
  /** Returns the value for users, or the issues. */
  read(json: JsonValue): ShapeReading;
};

/** The value and its JSON, as received or after conversion. */
export type ShapeReading =
  | { readonly value: unknown; readonly json: JsonValue }
  | { readonly issues: readonly Issue[] };

const MAX_REPAIRS = 3;

const shapes = new WeakMap<object, OutputShape>();

/**
 * Returns the shape of a schema, created once per schema. Throws `invalid_definition` for a schema JSON Schema cannot
 * express.
 */
export function outputShape(schema: OutputSchema): OutputShape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    const own = isZodSchema(schema) ? zodShape(schema) : jsonShape(schema);
    shapes.set(schema, (shape = { ...own, read: (json) => readWrapped(own, json) }));
  }
  return shape;
}

/** Also reads data wrapped as the field of an object (SH2), and the only object of a list (SO1). */
function readWrapped(shape: OutputShape, json: JsonValue): ShapeReading {
  const read = shape.read(json);
  if ("value" in read) return read;
  const inner = outOfObject(shape.schema, json);
  if (inner !== undefined) return shape.read(inner);
  if (!Array.isArray(json) || json.length !== 1 || !isJsonObject(json[0])) return read;
  const alone = shape.read(json[0]);
  return "value" in alone ? alone : read;
}

/** Caller of a model for data, with its prompts. */
export type ShapeCaller = ModelCaller & { readonly prompts: Prompts };

/** Returns the data in `answer`, if it fits without a model's help. */
export function dataIn(answer: string, shape: OutputShape): JsonValue | undefined {
  const reading = readAnswer(answer, shape);
  return "json" in reading ? reading.json : undefined;
}

/** Converts `answer` to JSON of this `shape`. */
export async function toStructured(
  scope: RunScope,
  answer: string,
  options: { shape: OutputShape; work: ShapeCaller },
): Promise<JsonValue> {
  const { shape, work } = options;
  const reading = readAnswer(answer, shape);
  if ("json" in reading) return reading.json;
  const system = fill(work.prompts.slices.conversionInstructions, {
    output_format: formatOf(shape),
  });
  const user = reading.isJson ? `${answer}\n\n${repairText(reading.issues, options)}` : answer;
  return ask(scope, { ...options, system, user, calls: MAX_REPAIRS, purpose: "convert" });
}

/** Asks a model a question and returns its answer as data. A wrong shape goes back to the model as in SO2. */
export function askStructured(
  scope: RunScope,
  question: { readonly system: string; readonly user: string },
  options: { shape: OutputShape; work: ShapeCaller; purpose?: CallPurpose },
): Promise<JsonValue> {
  const { formattedTaskInstructions } = options.work.prompts.slices;
  const format = fill(formattedTaskInstructions, { output_format: formatOf(options.shape) });
  const system = `${question.system}\n\n${format}`;
  const { purpose = "judge" } = options;
  return ask(scope, {
    ...options,
    system,
    user: question.user,
    calls: MAX_REPAIRS + 1,
    purpose,
  });
}

async function ask(
  scope: RunScope,
  options: {
    readonly shape: OutputShape;
    readonly work: ShapeCaller;
    readonly system: string;
    readonly user: string;
    readonly calls: number;
    readonly purpose: CallPurpose;
  },
): Promise<JsonValue> {
  const { shape, work, system, user, calls } = options;
  const transcript = new Transcript([
    { role: "system", content: system },
    { role: "user", content: user },
  ]);
  let form = shapeRequest(work.model, shape.schema);
  let issues: readonly Issue[] = [];
  for (let call = 1; call <= calls; call++) {
    const request = { messages: transcript.messages, ...form };
    let response: ModelResponse;
    try {
      response = await callModel(scope.at(`output:${call}`), work, {
        request,
        inputHash: transcript.hash,
        purpose: options.purpose,
      });
    } catch (error) {
      if (!refusesShape(form, error)) throw error;
      form = undefined;
      continue;
    }
    const text = answerByTool(response) ?? response.text;
    const reading = readAnswer(text, shape);
    if ("json" in reading) return reading.json;
    issues = reading.issues;
    transcript.add({ role: "assistant", content: text });
    transcript.add({ role: "user", content: repairText(issues, options) });
  }
  const what = issues.map(({ path, message }) => `${path || "the answer"}: ${message}`).join("; ");
  throw new EngineError(
    "output_invalid",
    `the answer does not fit the output schema after ${MAX_REPAIRS} repairs: ${what}`,
    { issues },
  );
}

function formatOf({ schema }: OutputShape): string {
  return JSON.stringify(schema, null, 2);
}

function repairText(
  issues: readonly Issue[],
  { shape, work }: { readonly shape: OutputShape; readonly work: ShapeCaller },
): string {
  const error = issues.map(({ path, message }) => `${path || "/"}: ${message}`).join("\n");
  return fill(work.prompts.slices.outputRepair, { error, output_format: formatOf(shape) });
}

type Reading =
  | { readonly json: JsonValue }
  | { readonly issues: readonly Issue[]; readonly isJson: boolean };

function readAnswer(text: string, shape: OutputShape): Reading {
  const json =
    parseLenient(text) ??
    parseLenient(between(text, "{", "}")) ??
    parseLenient(between(text, "[", "]"));
  if (json === undefined)
    return {
      issues: [{ path: "", message: `expected JSON, got ${preview(text)}` }],
      isJson: false,
    };
  const read = shape.read(json);
  return "issues" in read ? { issues: read.issues, isJson: true } : { json: read.json };
}

function between(text: string, first: string, last: string): string {
  return text.slice(text.indexOf(first), text.lastIndexOf(last) + 1);
}

function parseLenient(text: string): JsonValue | undefined {
  const strict = parsedJson(text) ?? parsedJson(escapeControls(text));
  if (strict !== undefined) return strict;
  const trimmed = text.trim();
  const lenient = trimmed.startsWith("{") ? readLenientObject(trimmed) : undefined;
  return lenient?.end === trimmed.length ? lenient.value : undefined;
}

const STRING = /"[^"\\]*(?:\\[^][^"\\]*)*"/g;
const CONTROL = /[\u0000-\u001f]/g;

/** Replaces line breaks and other control characters in JSON strings with escapes. */
function escapeControls(text: string): string {
  return text.replace(STRING, (string) =>
    string.replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1)),
  );
}

/** Returns an answer as JSON if only control characters in its strings are invalid; any other answer unchanged. */
export function asJsonText(answer: string): string {
  if (parsedJson(answer) !== undefined) return answer;
  const escaped = escapeControls(answer);
  return parsedJson(escaped) === undefined ? answer : escaped;
}

function zodShape(schema: z.ZodType): OutputShape {
  const described = fromZod(schema);
  return {
    schema: described,
    read: (json) => {
      const parsed = parsedBy(schema, json);
      if (parsed.success) return { value: parsed.data, json };
      const typed = typedValue(described, json);
      const again = parsedBy(schema, typed);
      if (again.success) return { value: again.data, json: typed };
      return { issues: toIssues(parsed.error, json) };
    },
  };
}

/** Parses with the user's schema. An error thrown by the schema, such as in a refinement, names the schema. */
function parsedBy(schema: z.ZodType, json: JsonValue): ReturnType<z.ZodType["safeParse"]> {
  try {
    return schema.safeParse(json);
  } catch (error) {
    if (EngineError.is(error)) throw error;
    const message = `the output schema threw: ${errorMessage(error)}`;
    throw new EngineError("user_code_failed", message, { cause: error });
  }
}

function jsonShape(schema: JsonObject): OutputShape {
  return {
    schema,
    read: (json) => {
      const issues = validateJsonSchema(schema, json);
      if (issues.length === 0) return { value: json, json };
      const typed = typedValue(schema, json);
      if (validateJsonSchema(schema, typed).length === 0) return { value: typed, json: typed };
      return { issues };
    },
  };
}
