// Input of both APIs. Clients send more fields than are known here, so unknown ones are accepted and ignored.
import * as z from "zod";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { readJson } from "../../parts/request-body.ts";
import { invalidInput } from "../../parts/problem.ts";
import type { ExposedSubject } from "../exposed-subject.ts";
import { usable, wrong } from "./errors.ts";

const MAX_TOOLS = 128;

/** Any JSON, because the body was already parsed. */
export const json = z.unknown() as unknown as z.ZodType<JsonValue, JsonValue>;

/** Text, or parts for `content.ts`. */
export const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

/** Fields of both APIs. Settings of the answer are read in `settings.ts`. */
export const sharedFields = {
  model: z.string().min(1).max(300),
  stream: z.boolean().nullish(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  user: z.string().nullish(),
  store: z.boolean().nullish(),
  inputs: z.record(z.string(), json).nullish().describe("Inputs by name. No field of OpenAI's."),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .max(MAX_TOOLS)
    .nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

/** Fields common to both bodies. */
export type SharedBody = z.output<z.ZodObject<typeof sharedFields, z.core.$loose>>;

/** Reads a body. Fails with `invalid_input`, with the field's original name. */
export async function readOpenAiBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  maxBytes: number,
): Promise<z.output<Schema>> {
  const body = await readJson(request, maxBytes);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidInput("the request body does not fit", toIssues(parsed.error, body));
}

/** Returns the JSON Schema of a `response_format` or `text.format`; undefined for text. */
export function wantedSchema(
  format: unknown,
  { where, exposed }: { readonly where: string; readonly exposed: ExposedSubject },
): JsonObject | undefined {
  if (format == null) return undefined;
  const fields = format as Readonly<Record<string, unknown>>;
  if (fields["type"] === "text") return undefined;
  if (exposed.subject.messagesInput === undefined) {
    if (exposed.info.outputSchema !== undefined) return exposed.info.outputSchema;
    throw wrong(where, `{} must be text: a ${exposed.kind} answers in the form that it defines`);
  }
  if (fields["type"] === "json_object") return { type: "object" };
  if (fields["type"] !== "json_schema")
    throw wrong(
      `${where}/type`,
      `{} must be "text", "json_object" or "json_schema", got ${preview(fields["type"] ?? null)}`,
    );
  const { schema } = (fields["json_schema"] ?? fields) as { readonly schema?: JsonValue };
  if (schema === undefined || !isJsonObject(schema))
    throw wrong(where, `{} must have a schema, a JSON Schema`);
  usable(() => checkJsonSchema(schema), where);
  return schema;
}

/** Returns the parts of the request stored with the run, which does not use them. */
export function metaOf({
  user,
  metadata,
}: {
  readonly user?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | null | undefined;
}): JsonObject | undefined {
  const meta = { ...(user == null ? undefined : { user }), ...(metadata && { metadata }) };
  return Object.keys(meta).length === 0 ? undefined : meta;
}
