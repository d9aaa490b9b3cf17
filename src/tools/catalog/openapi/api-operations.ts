// Operations from an OpenAPI 3 description.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export type ApiOperation = {
  /** Id of the operation: its `operationId`, else method and path. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly reads: boolean;
  readonly description: string;
  /** JSON Schema of the arguments: parameters by their names, and `body`. */
  readonly parameters: JsonObject;
  /** Place of each argument in a request, by its name. */
  readonly places: Readonly<
    Record<string, { readonly name: string; readonly where: "path" | "query" | "header" | "body" }>
  >;
};

const METHODS: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** Maximum depth for following references, as schemas may contain themselves. */
const MAX_DEPTH = 8;
/** Headers a model may not set. */
const OWN_HEADERS = /^(?:authorization|accept|content-type|cookie|host|x-api-key)$/i;

export function operationsOf(api: JsonObject): readonly ApiOperation[] {
  const paths = isJsonObject(api["paths"]) ? api["paths"] : {};
  return Object.entries(paths).flatMap(([path, item]) => {
    const known = resolved(item, api, 0);
    if (!isJsonObject(known)) return [];
    return METHODS.flatMap((method) => {
      const operation = known[method.toLowerCase()];
      return isJsonObject(operation) && operation["deprecated"] !== true
        ? [operationOf(api, { method, path, operation, shared: known["parameters"] })]
        : [];
    });
  });
}

function operationOf(
  api: JsonObject,
  place: {
    readonly method: Method;
    readonly path: string;
    readonly operation: JsonObject;
    readonly shared: JsonValue | undefined;
  },
): ApiOperation {
  const { method, path, operation, shared } = place;
  const { operationId, summary, description } = operation;
  const properties: Record<string, JsonValue> = {};
  const places: Record<string, ApiOperation["places"][string]> = {};
  const required: string[] = [];
  // Parameters of the operation override those of its path.
  const listed = [shared, operation["parameters"]].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  for (const each of listed) {
    const parameter = resolved(each, api, 0);
    if (!isJsonObject(parameter)) continue;
    const { name, in: where, schema = { type: "string" } } = parameter;
    if (typeof name !== "string" || !isPlace(where)) continue;
    if (where === "header" && OWN_HEADERS.test(name)) continue;
    const { description: about } = parameter;
    const shown = resolved(schema, api, 0);
    properties[name] = {
      ...(isJsonObject(shown) ? shown : undefined),
      ...(typeof about === "string" ? { description: about } : undefined),
    };
    places[name] = { name, where };
    if ((parameter["required"] === true || where === "path") && !required.includes(name))
      required.push(name);
  }
  const body = bodyOf(operation["requestBody"], api);
  if (body !== undefined) {
    properties["body"] = body.schema;
    places["body"] = { name: "body", where: "body" };
    if (body.isRequired) required.push("body");
  }
  const texts = [summary, description].filter((text) => typeof text === "string");
  return {
    id: typeof operationId === "string" ? operationId : `${method.toLowerCase()}_${path}`,
    method,
    path,
    reads: method === "GET" || method === "HEAD",
    description: texts.join("\n").slice(0, 1024).trim() || `${method} ${path}`,
    parameters: { type: "object", properties, required },
    places,
  };
}

function bodyOf(
  described: JsonValue | undefined,
  api: JsonObject,
): { readonly schema: JsonValue; readonly isRequired: boolean } | undefined {
  const body = resolved(described ?? null, api, 0);
  if (!isJsonObject(body) || !isJsonObject(body["content"])) return undefined;
  const json = Object.entries(body["content"]).find(([type]) => type.includes("json"))?.[1];
  if (!isJsonObject(json ?? null)) return undefined;
  const { schema = {} } = json as JsonObject;
  return { schema, isRequired: body["required"] === true };
}

function isPlace(where: unknown): where is "path" | "query" | "header" {
  return where === "path" || where === "query" || where === "header";
}

/** Resolves references within the description, up to the maximum depth. */
function resolved(value: JsonValue, api: JsonObject, depth: number): JsonValue {
  if (Array.isArray(value)) return value.map((each) => resolved(each, api, depth));
  if (!isJsonObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === "string") {
    const target = depth < MAX_DEPTH ? targetOf($ref, api) : undefined;
    return target === undefined ? {} : resolved(target, api, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, resolved(each, api, depth)]),
  );
}

/** Returns the target of a reference, within the description alone. */
function targetOf(reference: string, api: JsonObject): JsonValue | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let value: JsonValue | undefined = api;
  for (const part of reference.slice(2).split("/")) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value = isJsonObject(value ?? null) ? (value as JsonObject)[name] : undefined;
  }
  return value;
}
