import type * as z from "zod";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { ANSWER_HEADERS, type AnswerHeader, type HeaderText } from "../../parts/headers.ts";
import type { DocumentedAnswer } from "../../parts/documented-answer.ts";
import type { Operation } from "../../parts/operation.ts";
import type { ProblemForm, Api } from "../../parts/part.ts";
import type { Shape } from "../../parts/shape.ts";
import { PROBLEM_HEADERS, PROBLEM_TEXTS, problemStatuses } from "./added-problems.ts";
import { Examples } from "./examples.ts";
import { inputSchemas } from "./input-schemas.ts";
import { namedObjects } from "./named-objects.ts";
import { parametersOf, type DocumentedParameter } from "./parameters.ts";
import { plainSchema } from "./plain-schema.ts";
import { shapesOf } from "./shapes-of.ts";

/** An operation in the document. */
export type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly "x-scope": string;
  /** Kind of the thing named by `{name}` in the path. */
  readonly "x-subject"?: string;
  /** Of a kickoff: input schemas of the code's definitions, by name. */
  readonly "x-inputs"?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly security?: readonly JsonObject[];
  readonly parameters: readonly DocumentedParameter[];
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
        readonly "x-may-be-empty"?: true;
        readonly headers?: Readonly<
          Record<string, { readonly description: string; readonly schema: JsonObject }>
        >;
        /** Absent for bytes of arbitrary files, whatever their media type: a range of a JSON file is not JSON. */
        readonly content?: Readonly<Record<string, { readonly schema?: JsonObject }>>;
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

/** Returns the description of the whole API, created once per API. */
export function openApiDocument(api: Api): OpenApiDocument {
  let document = documents.get(api);
  if (document === undefined) documents.set(api, (document = makeDocument(api)));
  return document;
}

function makeDocument(api: Api): OpenApiDocument {
  const { operations, parts } = api;
  const examples = new Examples(api);
  const inputs = inputSchemas(api);
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of operations)
    (paths[plainPath(operation)] ??= {})[operation.method] = {
      ...documented(operation, examples.body(operation), api),
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
        ...namedObjects({
          ...mapValues(shapesOf(api), (schema) => plainSchema(schema, "output", parts)),
          ...mapValues(bodies, (schema) => plainSchema(schema, "input", parts)),
        }),
        ...inputs.components,
      },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key" },
        signature: {
          type: "apiKey",
          in: "query",
          name: "signature",
          description: "Part of a signed address",
        },
      },
    },
  };
}

function documented(
  operation: Operation,
  example: JsonValue | undefined,
  api: Api,
): DocumentedOperation {
  const { id, group, subject, summary, description, scope } = operation;
  const { body, rawBody, answers } = operation;
  const form = api.problemForm(plainPath(operation));
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description === undefined ? undefined : { description }),
    "x-scope": scope,
    ...(subject === undefined ? undefined : { "x-subject": subject }),
    ...(scope === "none" ? undefined : { security: credentialsOf(operation) }),
    parameters: parametersOf(operation),
    ...requestBody({ body, rawBody }, example),
    responses: {
      ...mapValues(answers, response),
      ...Object.fromEntries(
        problemStatuses(operation, api)
          .filter((status) => !(status in answers))
          .map((status) => [status, problem(status, form)]),
      ),
    },
  };
}

function credentialsOf({ takesSignature = false }: Operation): readonly JsonObject[] {
  return [{ key: [] }, ...(takesSignature ? [{ signature: [] }] : [])];
}

function plainPath({ path }: Operation): string {
  return path.replace("{+", "{");
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
      required: body?.required ?? rawBody?.required ?? true,
      content: Object.fromEntries([...json, ...otherTypes]) as NonNullable<
        DocumentedOperation["requestBody"]
      >["content"],
    },
  };
}

function problem(status: number, form: ProblemForm): DocumentedOperation["responses"][string] {
  const headers = [
    ...(form.headers ?? []),
    ...(PROBLEM_HEADERS[status] ?? []),
    "X-Should-Retry" as const,
  ];
  return response({ ...form, description: PROBLEM_TEXTS[status] ?? "", headers });
}

function answerHeaders(
  names: readonly AnswerHeader[] = [],
): Pick<DocumentedOperation["responses"][string], "headers"> | undefined {
  if (names.length === 0) return undefined;
  const described = names.map((name) => {
    const { description, schema = { type: "string" } }: HeaderText = ANSWER_HEADERS[name];
    return [name, { description, schema }];
  });
  return { headers: Object.fromEntries(described) };
}

function response({
  description,
  shape,
  list,
  shapeType = "application/json",
  types = [],
  mayBeEmpty,
  headers,
}: DocumentedAnswer): DocumentedOperation["responses"][string] {
  const schema = list === undefined ? shape && schemaOf(shape) : pageOf(list);
  const content = {
    ...(schema === undefined ? undefined : { [shapeType]: { schema } }),
    ...Object.fromEntries(types.map((type) => [type, contentOf(type)])),
  };
  return {
    description,
    ...(mayBeEmpty && { "x-may-be-empty": mayBeEmpty }),
    ...answerHeaders(headers),
    ...(Object.keys(content).length === 0 ? undefined : { content }),
  };
}

function contentOf(type: string): { readonly schema?: JsonObject } {
  if (type === "*/*") return {};
  return { schema: { type: type === "application/json" ? "object" : "string" } };
}

function schemaOf(shape: Shape | readonly Shape[]): JsonObject {
  return "name" in shape ? ref(shape.name) : { anyOf: shape.map(({ name }) => ref(name)) };
}

function pageOf({ name }: Shape): JsonObject {
  return {
    type: "object",
    required: ["items"],
    additionalProperties: false,
    properties: { items: { type: "array", items: ref(name) }, nextCursor: { type: "string" } },
  };
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function mapValues<Key extends string | number, From, To>(
  object: Readonly<Record<Key, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries<From>(object).map(([key, value]) => [key, change(value, key)]),
  );
}
