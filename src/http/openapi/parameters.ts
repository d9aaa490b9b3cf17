// Parameters of an operation in the document: those of its path, its headers and its query.
import type * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import { REQUEST_HEADERS, type HeaderText, type OperationHeader } from "../../parts/headers.ts";
import type { Operation } from "../../parts/operation.ts";
import { describedValue } from "../../parts/query.ts";
import { plainSchema } from "./plain-schema.ts";

/** A parameter in the document. */
export type DocumentedParameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
};

export function parametersOf(operation: Operation): readonly DocumentedParameter[] {
  const { query, rawQuery = query, headers = [] } = operation;
  return [
    ...pathParameters(operation),
    ...headers.map(headerParameter),
    ...parametersIn("query", rawQuery).map(query === undefined ? asIs : filled),
  ];
}

const asIs = (parameter: DocumentedParameter): DocumentedParameter => parameter;

function filled(parameter: DocumentedParameter): DocumentedParameter {
  return { ...parameter, schema: describedValue(parameter.schema) };
}

function parametersIn(
  place: "path" | "query",
  values: z.ZodObject | undefined,
): readonly DocumentedParameter[] {
  if (values === undefined) return [];
  const { properties = {}, required = [] } = plainSchema(values, "input") as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(typeof description === "string" ? { description } : undefined),
    schema,
  }));
}

/** Returns the path's `{names}`, in their order. */
function pathParameters({ path, pathParams }: Operation): readonly DocumentedParameter[] {
  const described = parametersIn("path", pathParams);
  return [...path.matchAll(/\{\+?(\w+)\}/g)].map(
    ([, name = ""]) =>
      described.find((parameter) => parameter.name === name) ?? {
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      },
  );
}

function headerParameter(header: OperationHeader): DocumentedParameter {
  const { name, required = false, schema } = typeof header === "string" ? { name: header } : header;
  const text: HeaderText = REQUEST_HEADERS[name];
  return {
    name,
    in: "header",
    required,
    description: text.description,
    schema: schema ?? text.schema ?? { type: "string" },
  };
}
