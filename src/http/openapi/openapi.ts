import * as z from "zod";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { REQUEST_HEADERS, type DocumentedAnswer, type Operation } from "../../parts/operation.ts";
import type { Api } from "../api.ts";
import { Examples } from "./examples.ts";
import { asComponent, inputSchemas } from "./input-schemas.ts";

/** An operation as the document has it. */
export type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly "x-scope": string;
  /** The kind of thing that `{name}` in the path names. */
  readonly "x-subject"?: string;
  /** Of a kickoff: the schemas of the inputs of what the code defines, by name. */
  readonly "x-inputs"?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly security?: readonly JsonObject[];
  readonly parameters: ReadonlyArray<{
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly description?: string;
    readonly schema: JsonObject;
  }>;
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<
      Record<string, { readonly schema: JsonObject; readonly example?: JsonValue }>
    >;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
      }
    >
  >;
};

export type OpenApiDocument = {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** Present if the API is mounted below a path. */
  readonly servers?: ReadonlyArray<{ readonly url: string }>;
  readonly tags: ReadonlyArray<{ readonly name: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly securitySchemes: JsonObject;
  };
};

const API_VERSION = "1";

const documents = new WeakMap<Api, OpenApiDocument>();

/** The description of the whole API, created once per API. */
export function openApiDocument(api: Api): OpenApiDocument {
  let document = documents.get(api);
  if (document === undefined) documents.set(api, (document = makeDocument(api)));
  return document;
}

function makeDocument(api: Api): OpenApiDocument {
  const { operations, shapes } = api;
  const examples = new Examples(api);
  const inputs = inputSchemas(api);
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of operations)
    (paths[plainPath(operation)] ??= {})[operation.method] = {
      ...documented(operation, examples.body(operation)),
      ...inputs.of(operation),
    };
  const bodies = Object.fromEntries(
    operations.flatMap(({ body, rawBody = body }) =>
      rawBody?.name === undefined
        ? []
        : [[rawBody.name, ("wire" in rawBody ? rawBody.wire : undefined) ?? rawBody.schema]],
    ),
  ) as Record<string, z.ZodType>;
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgecrew",
      version: API_VERSION,
      description:
        "Crews of AI agents that survive anything. Lists answer `{ items, nextCursor? }`; errors are problem+json with a stable `code`. Request fields may be camelCase or snake_case.",
    },
    tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        ...mapValues(shapes(), (schema, name) => componentSchema(schema, name, "output")),
        ...mapValues(bodies, (schema, name) => componentSchema(schema, name, "input")),
        ...inputs.components,
      },
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "An API key" } },
    },
  };
}

function documented(
  {
    id,
    group,
    subject,
    summary,
    description,
    scope,
    query,
    rawQuery = query,
    headers: names = [],
    body,
    rawBody,
    answers,
    problems,
    problemShape,
    path,
  }: Operation,
  example: JsonValue | undefined,
): DocumentedOperation {
  const inPath = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path" as const,
    required: true,
    schema: { type: "string" },
  }));
  const inHeaders = names.map((name) => ({
    name,
    in: "header" as const,
    required: false,
    description: REQUEST_HEADERS[name],
    schema: { type: "string" },
  }));
  const statuses = [
    ...problems,
    ...(scope === "none" ? [] : [401]),
    ...(scope === "none" || scope === "key" ? [] : [403]),
    500,
  ].toSorted((a, b) => a - b);
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description === undefined ? undefined : { description }),
    "x-scope": scope,
    ...(subject === undefined ? undefined : { "x-subject": subject }),
    ...(scope === "none" ? undefined : { security: [{ key: [] }] }),
    parameters: [...inPath, ...inHeaders, ...queryParameters(rawQuery)],
    ...requestBody({ body, rawBody }, example),
    responses: {
      ...mapValues(answers, response),
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          {
            description: PROBLEMS[status] ?? "",
            content: {
              [problemShape === undefined ? "application/problem+json" : "application/json"]: {
                schema: ref(problemShape ?? "Problem"),
              },
            },
          },
        ]),
      ),
    },
  };
}

function plainPath({ path }: Operation): string {
  return path.replace("{+", "{");
}

const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The request is wrong; `errors` names each field",
  401: "No key, or an unknown one",
  403: "The key does not have the scope",
  404: "Not found",
  409: "Not possible in its current state",
  412: "Another version of the protocol",
  413: "The body is too large",
  415: "The body's content type is not supported",
  416: "The range is not in the file",
  422: "Inputs are missing; `details.missing_inputs` names them",
  500: "An internal error",
  503: "Not possible at the moment",
};

function queryParameters(query: z.ZodObject | undefined): DocumentedOperation["parameters"] {
  if (query === undefined) return [];
  const { properties = {} } = plainSchema(query, "input") as {
    properties?: Record<string, JsonObject>;
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    ...(typeof description === "string" ? { description } : undefined),
    schema,
  }));
}

function requestBody(
  { body, rawBody }: { body: Operation["body"]; rawBody: Operation["rawBody"] },
  example: JsonValue | undefined,
): Pick<DocumentedOperation, "requestBody"> {
  const { name } = rawBody ?? body ?? {};
  if (name === undefined && rawBody === undefined) return {};
  const shown = example === undefined ? undefined : { example };
  const json = name === undefined ? [] : [["application/json", { schema: ref(name), ...shown }]];
  const bytes = { type: "string", format: "binary" };
  const otherTypes = (rawBody?.types ?? []).map((type) => [
    type,
    { schema: name === undefined || type === "*/*" ? bytes : ref(name) },
  ]);
  return {
    requestBody: {
      required: body?.required ?? true,
      content: Object.fromEntries([...json, ...otherTypes]) as NonNullable<
        DocumentedOperation["requestBody"]
      >["content"],
    },
  };
}

function response({
  description,
  shape,
  list,
  types = [],
}: DocumentedAnswer): DocumentedOperation["responses"][string] {
  const schema = shape === undefined ? undefined : list ? pageOf(shape) : ref(shape);
  const content = {
    ...(schema === undefined ? undefined : { "application/json": { schema } }),
    ...Object.fromEntries(
      types.map((type) => [
        type,
        { schema: { type: type === "application/json" ? "object" : "string" } },
      ]),
    ),
  };
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

function pageOf(shape: string): JsonObject {
  return {
    type: "object",
    required: ["items"],
    additionalProperties: false,
    properties: { items: { type: "array", items: ref(shape) }, nextCursor: { type: "string" } },
  };
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function componentSchema(schema: z.ZodType, name: string, io: "input" | "output"): JsonObject {
  return asComponent(plainSchema(schema, io), name);
}

function plainSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // The format is enough. Zod's pattern for a time is longer than the rest of the schema.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(plain)) as JsonObject;
}

function mapValues<Key extends string | number, From, To>(
  object: Readonly<Record<Key, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries<From>(object).map(([key, value]) => [key, change(value, key)]),
  );
}
