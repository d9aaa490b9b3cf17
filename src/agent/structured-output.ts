// From a model's answer to data of a given shape.
//
//   SO1. The answer as JSON, or the JSON object or array in it, is taken if it fits: no further model call.
//   SO2. Otherwise the model turns its answer into JSON, told what was wrong each time, at most `MAX_REPAIRS` times.
//   SO3. What still does not fit fails with `output_invalid`, naming the fields.
import type * as z from "zod";
import { EngineError, type Issue } from "../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { toIssues } from "../base/zod-issues.ts";
import type { RunScope } from "../events/run-scope.ts";
import { fromZod, isZodSchema } from "../tools/json-schema.ts";
import type { AgentWork } from "./agent-work.ts";
import { callModel } from "./model-call.ts";
import { fill } from "./prompts.ts";
import { Transcript } from "./transcript.ts";

/** The shape of an answer: a zod schema in code, a JSON Schema in stored definitions. */
export type OutputSchema = z.ZodType | JsonObject;

export type OutputShape = {
  readonly schema: JsonObject;
  /** The value as users get it, or what does not fit. */
  read(json: JsonValue): { readonly value: unknown } | { readonly issues: readonly Issue[] };
};

const MAX_REPAIRS = 3;

const shapes = new WeakMap<object, OutputShape>();

/** The shape that a schema describes; made once for each schema. Throws `invalid_definition` for what JSON Schema cannot say. */
export function outputShape(schema: OutputSchema): OutputShape {
  let shape = shapes.get(schema);
  if (shape === undefined)
    shapes.set(schema, (shape = isZodSchema(schema) ? zodShape(schema) : jsonShape(schema)));
  return shape;
}

/** The JSON of `answer`, as `shape` wants it. */
export async function toStructured(
  scope: RunScope,
  answer: string,
  options: { shape: OutputShape; work: AgentWork },
): Promise<JsonValue> {
  const { shape, work } = options;
  const { prompts, model } = work;
  let attempt = readAnswer(answer, shape);
  if ("json" in attempt) return attempt.json;
  const outputFormat = JSON.stringify(shape.schema, null, 2);
  const transcript = new Transcript([
    {
      role: "system",
      content: fill(prompts.slices.conversionInstructions, { output_format: outputFormat }),
    },
    {
      role: "user",
      content: attempt.isJson
        ? `${answer}\n\n${repairText(attempt.issues, work, outputFormat)}`
        : answer,
    },
  ]);
  const responseSchema = model.capabilities.responseSchema
    ? { responseSchema: { name: "answer", schema: shape.schema } }
    : undefined;
  for (let repair = 1; repair <= MAX_REPAIRS; repair++) {
    const request = { messages: transcript.messages, ...responseSchema };
    const place = scope.at(`output:${repair}`);
    const { text } = await callModel(place, work, { request, inputHash: transcript.hash });
    attempt = readAnswer(text, shape);
    if ("json" in attempt) return attempt.json;
    transcript.add({ role: "assistant", content: text });
    transcript.add({ role: "user", content: repairText(attempt.issues, work, outputFormat) });
  }
  const what = attempt.issues
    .map(({ path, message }) => `${path || "the answer"}: ${message}`)
    .join("; ");
  throw new EngineError(
    "output_invalid",
    `the answer does not fit the output schema after ${MAX_REPAIRS} repairs: ${what}`,
    { issues: attempt.issues },
  );
}

function repairText(
  issues: readonly Issue[],
  { prompts }: AgentWork,
  outputFormat: string,
): string {
  const error = issues.map(({ path, message }) => `${path || "/"}: ${message}`).join("\n");
  return fill(prompts.slices.outputRepair, { error, output_format: outputFormat });
}

type Reading =
  | { readonly json: JsonValue }
  | { readonly issues: readonly Issue[]; readonly isJson: boolean };

function readAnswer(text: string, shape: OutputShape): Reading {
  const json = parse(text) ?? parse(between(text, "{", "}")) ?? parse(between(text, "[", "]"));
  if (json === undefined)
    return {
      issues: [{ path: "", message: `expected JSON, got ${preview(text)}` }],
      isJson: false,
    };
  const read = shape.read(json);
  return "issues" in read ? { issues: read.issues, isJson: true } : { json };
}

function between(text: string, first: string, last: string): string {
  return text.slice(text.indexOf(first), text.lastIndexOf(last) + 1);
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function zodShape(schema: z.ZodType): OutputShape {
  return {
    schema: fromZod(schema),
    read: (json) => {
      const parsed = schema.safeParse(json);
      if (parsed.success) return { value: parsed.data };
      return { issues: toIssues(parsed.error, json) };
    },
  };
}

function jsonShape(schema: JsonObject): OutputShape {
  return {
    schema,
    read: (json) => {
      const issues = validateJsonSchema(schema, json);
      return issues.length === 0 ? { value: json } : { issues };
    },
  };
}
