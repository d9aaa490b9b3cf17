// Holds every answer of an app to the app's own description: its status, its media type, its headers and its body.
import { compileSchema } from "../../src/base/json-schema-compile.ts";
import { faultsOf } from "../../src/base/json-schema-check.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { DocumentedOperation, OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { ANSWER_HEADERS } from "../../src/parts/headers.ts";

/** Status of an answer that no client receives any more. */
const CLIENT_LEFT = 499;

type DescribedAnswer = DocumentedOperation["responses"][string];

/** A checker of answers against a document. Undefined for an answer that fits, and for routes that the document has not. */
export function describedAnswers(
  document: OpenApiDocument,
): (request: Request, answer: Response) => Promise<string | undefined> {
  const find = operationsOf(document);
  const schemas = new Map<string, JsonObject>();
  const whole = (schema: JsonObject): JsonObject => {
    const key = JSON.stringify(schema);
    const known = schemas.get(key) ?? withComponents(schema, document);
    schemas.set(key, known);
    return known;
  };
  return async (request, answer) => {
    const operation = find(request);
    if (operation === undefined || answer.status === CLIENT_LEFT) return undefined;
    const fault = await faultOf(operation, answer, { isHead: request.method === "HEAD", whole });
    if (fault === undefined) return undefined;
    return `${operation.operationId} (${request.method} ${new URL(request.url).pathname}) ${fault}`;
  };
}

/** A schema with the components that it leads to, and no others: a whole document takes long to compile. */
function withComponents(schema: JsonObject, { components }: OpenApiDocument): JsonObject {
  const reached: Record<string, JsonObject> = {};
  const follow = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"/]+)/g)) {
      const component = components.schemas[name];
      if (component === undefined || Object.hasOwn(reached, name)) continue;
      reached[name] = component;
      follow(JSON.stringify(component));
    }
  };
  follow(JSON.stringify(schema));
  return { ...schema, components: { schemas: reached } };
}

/** The operation of a request. Of two that fit, the one with fewer names in its path. */
function operationsOf(
  document: OpenApiDocument,
): (request: Request) => DocumentedOperation | undefined {
  const prefix = document.servers?.[0]?.url ?? "";
  const all = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: patternOf(path),
        names: path.split("{").length,
        operation,
      })),
    )
    .toSorted((a, b) => a.names - b.names);
  return ({ method, url }) => {
    const path = new URL(url).pathname;
    const below = prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
    const wanted = method === "HEAD" ? "GET" : method;
    return all.find((each) => each.method === wanted && each.pattern.test(below))?.operation;
  };
}

function patternOf(path: string): RegExp {
  const last = path.endsWith("{path}") ? "[^]+" : "[^/]+";
  return new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace(/\{\w+\}$/, last)
      .replaceAll(/\{\w+\}/g, "[^/]+")}/?$`,
  );
}

async function faultOf(
  operation: DocumentedOperation,
  answer: Response,
  {
    isHead,
    whole,
  }: { readonly isHead: boolean; readonly whole: (schema: JsonObject) => JsonObject },
): Promise<string | undefined> {
  const described = operation.responses[String(answer.status)];
  if (described === undefined)
    return `answers ${answer.status}, which is not described: ${(await answer.clone().text()).slice(0, 300)}`;
  return (
    headerFault(described, answer) ?? (isHead ? undefined : bodyFault(described, answer, whole))
  );
}

/** Headers that clients act on are described. */
function headerFault({ headers = {} }: DescribedAnswer, answer: Response): string | undefined {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const missing = Object.keys(ANSWER_HEADERS).filter(
    (name) => answer.headers.has(name) && !names.has(name.toLowerCase()),
  );
  if (missing.length === 0) return undefined;
  return `answers ${answer.status} with ${missing.join(", ")}, which is not described`;
}

async function bodyFault(
  { content, "x-may-be-empty": mayBeEmpty }: DescribedAnswer,
  answer: Response,
  whole: (schema: JsonObject) => JsonObject,
): Promise<string | undefined> {
  const type = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || answer.body === null) {
    if (content === undefined || mayBeEmpty === true) return undefined;
    return `answers ${answer.status} without a body, which is described as ${Object.keys(content).join(", ")}`;
  }
  const described = content?.[type] ?? content?.["*/*"];
  if (described === undefined) return `answers ${answer.status} as ${type}, which is not described`;
  const { schema } = described;
  if (schema === undefined || !type.includes("json") || type.includes("ndjson")) return undefined;
  const faults = faultsOf(compileSchema(whole(schema)), await answer.clone().json());
  if (faults.length === 0) return undefined;
  const shown = faults.slice(0, 5).map(({ path, keyword, rule, property }) => {
    const expected = property ?? JSON.stringify(rule)?.slice(0, 80);
    return `${path} (${keyword}: ${expected})`;
  });
  return `answers ${answer.status} with a body that does not fit: ${shown.join("; ")}`;
}
