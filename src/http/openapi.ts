import * as z from "zod";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ApiPart } from "../runtime/api-part.ts";
import { operations } from "./operations.ts";
import { bodies, headers, type Answer, type Operation } from "./operations/operation.ts";
import { shapes } from "./shapes.ts";

/** An operation in the document. */
export type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly "x-scope": string;
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
  readonly tags: ReadonlyArray<{ readonly name: string }>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly securitySchemes: JsonObject;
  };
};

const API_VERSION = "1";

const NO_PARTS: readonly ApiPart[] = [];
const made = new WeakMap<readonly ApiPart[], OpenApiDocument>();

/** The description of the whole API, made once. */
export function openApiDocument(parts = NO_PARTS): OpenApiDocument {
  let document = made.get(parts);
  if (document === undefined) made.set(parts, (document = makeDocument(parts)));
  return document;
}

function makeDocument(parts: readonly ApiPart[]): OpenApiDocument {
  const added = parts.flatMap((part) => part.operations);
  const described: readonly Described[] = [...operations, ...added];
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of described)
    (paths[operation.path] ??= {})[operation.method] = documented(operation);
  const addedShapes = Object.assign({}, ...parts.map((part) => part.shapes)) as typeof shapes;
  const addedBodies = Object.fromEntries(
    added.flatMap(({ body, rawBody = body }) =>
      rawBody === undefined ? [] : [[rawBody.name, rawBody.schema]],
    ),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Edgecrew",
      version: API_VERSION,
      description:
        "Crews of AI agents that survive anything. Lists answer `{ items, nextCursor? }`; errors are problem+json with a stable `code`. Request fields may be camelCase or snake_case.",
    },
    tags: [...new Set(described.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        ...mapValues({ ...shapes, ...addedShapes }, (schema, name) =>
          componentSchema(schema, name, "output"),
        ),
        ...mapValues<string, z.ZodType, JsonObject>({ ...bodies, ...addedBodies }, (schema, name) =>
          componentSchema(schema, name, "input"),
        ),
      },
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "An API key" } },
    },
  };
}

/** An operation of ours, or of a part. */
type Described = Omit<Operation, "method" | "group" | "body" | "answers"> & {
  readonly method: string;
  readonly group: string;
  readonly body?: {
    readonly name: string;
    readonly required: boolean;
    readonly yaml?: true;
    readonly raw?: true;
  };
  readonly rawBody?: { readonly name: string };
  readonly answers: Readonly<Record<number, DescribedAnswer>>;
};

type DescribedAnswer = Omit<Answer, "shape"> & { readonly shape?: string };

function documented({
  id,
  group,
  summary,
  description,
  scope,
  query,
  headers: names = [],
  rawBody,
  body = rawBody && { ...rawBody, required: true, raw: true },
  answers,
  problems,
  problemShape,
  path,
  example,
}: Described): DocumentedOperation {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path" as const,
    required: true,
    schema: { type: "string" },
  }));
  const inHeaders = names.map((name) => ({
    name,
    in: "header" as const,
    required: false,
    description: headers[name],
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
    ...(scope === "none" ? undefined : { security: [{ key: [] }] }),
    parameters: [...inPath, ...inHeaders, ...queryParameters(query, id)],
    ...(body === undefined
      ? undefined
      : { requestBody: requestBody(body, example as JsonValue | undefined) }),
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

const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The request is wrong; `errors` names each field",
  401: "No key, or an unknown one",
  403: "The key may not do this",
  404: "There is no such thing",
  409: "Its state forbids this",
  413: "The body is too large",
  415: "The body's type is not taken",
  422: "Inputs are missing; `details.missing_inputs` names them",
  500: "A fault of ours",
  503: "Not possible at the moment",
};

function queryParameters(
  query: z.ZodObject | undefined,
  operationId: string,
): DocumentedOperation["parameters"] {
  if (operationId === "runEvents") {
    return [
      {
        name: "after",
        in: "query",
        required: false,
        description: "As Last-Event-ID",
        schema: { type: "integer", minimum: 0 },
      },
      {
        name: "types",
        in: "query",
        required: false,
        description: "Event types, separated by commas",
        schema: { type: "string" },
      },
      {
        name: "follow",
        in: "query",
        required: false,
        description: "`0` ends the stream once everything so far has been told",
        schema: { type: "string" },
      },
    ];
  }
  if (query === undefined) return [];
  const { properties = {} } = plainSchema(query, "input") as {
    properties?: Record<string, JsonObject>;
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema,
  }));
}

function requestBody(
  { name, required, yaml, raw }: NonNullable<Described["body"]>,
  example: JsonValue | undefined,
): NonNullable<DocumentedOperation["requestBody"]> {
  const content = { schema: ref(name), ...(example === undefined ? undefined : { example }) };
  return {
    required,
    content: {
      "application/json": content,
      ...(raw ? { "*/*": { schema: { type: "string", format: "binary" } } } : undefined),
      ...(yaml ? { "application/yaml": { schema: ref(name) } } : undefined),
    },
  };
}

function response({
  description,
  shape,
  list,
  otherType,
  moreTypes = [],
}: DescribedAnswer): DocumentedOperation["responses"][string] {
  const schema = shape === undefined ? undefined : list ? pageOf(shape) : ref(shape);
  const content = {
    ...(schema === undefined ? undefined : { "application/json": { schema } }),
    ...(otherType === undefined
      ? undefined
      : {
          [otherType]: {
            schema: otherType === "application/json" ? { type: "object" } : { type: "string" },
          },
        }),
    ...Object.fromEntries(moreTypes.map((type) => [type, { schema: { type: "string" } }])),
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

/** Definitions inside of a schema stay inside, so their references get the component's path. */
function componentSchema(schema: z.ZodType, name: string, io: "input" | "output"): JsonObject {
  const text = JSON.stringify(plainSchema(schema, io));
  return JSON.parse(
    text.replaceAll('"#/$defs/', `"#/components/schemas/${name}/$defs/`),
  ) as JsonObject;
}

function plainSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // The formats say it; zod's pattern for a time is longer than the rest of the schema.
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
