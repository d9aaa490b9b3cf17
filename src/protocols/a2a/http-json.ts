// The HTTP+JSON binding: A2A 1.0 section 11.
import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import { isJsonType, mediaType, parseJson, readText } from "../../parts/request-body.ts";
import { A2AError, toA2aError } from "./errors.ts";
import { withFieldNames } from "./field-names.ts";
import { carryOut, extensionHeaders, versionOf, type A2AServer } from "./methods.ts";
import type { Method } from "./schema.ts";
import { streamAnswer } from "./sse.ts";
import type { A2AVersion } from "./options.ts";
import { fromV03Rest, toV03Rest } from "./v0-3/rest.ts";

/** The media type of answers. */
export const A2A_TYPE = "application/a2a+json";

/** Meaning of a path and its verb. */
export type RestCall = {
  readonly method: Method;
  /** Parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
  /** Reads the body. @default the query has all parameters */
  readonly body?: "needed" | "optional";
  /** Version of such paths. @default "1.0" */
  readonly version?: A2AVersion;
};

/** Answers one request. */
export async function answerRest(
  server: A2AServer,
  request: OperationRequest,
  { method, path = {}, body, version: own = "1.0" }: RestCall,
): Promise<Response> {
  try {
    const { raw } = request;
    const version = versionOf(server.options, raw);
    if (version !== own)
      throw new A2AError(
        "VersionNotSupported",
        own === "1.0"
          ? "the paths of A2A 0.3 begin with /v1, and those of 1.0 need the header A2A-Version: 1.0"
          : "the paths below /v1 are those of A2A 0.3",
      );
    const sent =
      body === undefined ? queryOf(raw) : await bodyOf(raw, server.host.maxBodyBytes, body);
    const params = { ...withFieldNames(sent), ...path };
    const isOld = version === "0.3";
    const outcome = await carryOut(server, {
      request,
      name: request.params["name"] ?? "",
      method,
      params: isOld ? fromV03Rest(method, params) : params,
      version,
    });
    const headers = extensionHeaders(outcome.extensions, version);
    const form = (result: object): object => (isOld ? toV03Rest(method, result) : result);
    if ("updates" in outcome)
      return streamAnswer({
        updates: outcome.updates,
        stop: outcome.stop,
        clock: server.clock,
        data: form,
        fault: (error) => ({
          event: "error",
          data: toA2aError(error, server.host.report).toHttp(),
        }),
        headers,
      });
    const type = isOld ? "application/json" : A2A_TYPE;
    return Response.json(form(outcome.result), { headers: { ...headers, "content-type": type } });
  } catch (error) {
    return restFailure(toA2aError(error, server.host.report));
  }
}

/** Returns an error as a whole answer. */
export function restFailure(error: A2AError): Response {
  const { status, headers } = error;
  return Response.json(error.toHttp(), {
    status,
    headers: { ...headers, "content-type": "application/json" },
  });
}

/** Section 11.5: parameters in the query, by their names in JSON. */
function queryOf({ url }: Request): JsonObject {
  const { searchParams } = new URL(url);
  return Object.fromEntries(
    Array.from(searchParams, ([name, text]): [string, JsonValue] => [
      name,
      valueIn(camelCase(name), text),
    ]).filter(([name]) => name !== "A2A-Version"),
  );
}

const NUMBERS: ReadonlySet<string> = new Set(["historyLength", "pageSize"]);

function valueIn(name: string, text: string): JsonValue {
  if (NUMBERS.has(name) && /^-?\d{1,16}$/.test(text)) return Number(text);
  if (name === "includeArtifacts" && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

async function bodyOf(
  raw: Request,
  maxBytes: number,
  need: "needed" | "optional",
): Promise<JsonObject> {
  const text = (await readText(raw, maxBytes)) ?? "";
  if (text === "" && need === "optional") return {};
  const type = mediaType(raw);
  if (!isJsonType(type))
    throw new A2AError(
      "ContentTypeNotSupported",
      `the body must be ${A2A_TYPE} or application/json, got ${type ?? "none"}`,
      { status: 415 },
    );
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    if (EngineError.is(error)) throw new A2AError("ParseError", error.message);
    throw error;
  }
  if (isJsonObject(value)) return value;
  throw new A2AError("InvalidParams", "the body must be a JSON object");
}
