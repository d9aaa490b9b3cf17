// Operations of an API as tools, from its OpenAPI description.
//
//   OAT1. A reading operation needs no approval. Any other acts outside, is approved by a person and sent once.
//   OAT2. Requests and the key go only to the server named in code, or the description's first.
//   OAT3. More operations than a model can choose from are rejected, with instructions.
import * as z from "zod";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, type JsonObject, type JsonValue, parsedJson } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogVariable, SharedToolOptions } from "../base/entry.ts";
import { httpsAddress } from "../base/https-address.ts";
import type { ToolRequest } from "../base/request.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { operationsOf, type ApiOperation } from "./api-operations.ts";

/** Variable with an API's key, and its place in requests. */
export type ApiAuth = {
  /** Name of the variable or secret. */
  readonly env: string;
  /** Header with the key, after `prefix`. @default "Authorization", with "Bearer " */
  readonly header?: string;
  /** @default "Bearer " for the header Authorization, else empty */
  readonly prefix?: string;
  /** Query parameter with the key, in place of a header. */
  readonly query?: string;
};

export type OpenapiToolsOptions = Omit<SharedToolOptions, "name" | "description"> & {
  /** Included operations: ids, or method and path as `GET /pets/{id}`. @default all */
  readonly include?: readonly string[];
  readonly auth?: ApiAuth;
  /** @default the description's first server */
  readonly baseUrl?: string;
  /** Name of the API in failures and events. @default its title */
  readonly service?: string;
  /** @default 40 */
  readonly maxTools?: number;
};

/** Creates tools from an OpenAPI 3 description: an object, or its text in JSON. Fails with `invalid_definition`. */
export function openapiTools(
  description: object | string,
  options: OpenapiToolsOptions = {},
): readonly Tool[] {
  const { include, auth, baseUrl, service, maxTools = 40, ...shared } = options;
  const api =
    typeof description === "string" ? parsedJson(description) : (description as JsonValue);
  if (!isJsonObject(api) || !isJsonObject(api["paths"]))
    throw invalidDefinition("openapiTools: expected an OpenAPI 3 description with `paths`");
  const operations = operationsOf(api);
  const wanted = include === undefined ? operations : included(operations, include);
  if (wanted.length > maxTools)
    throw invalidDefinition(
      `openapiTools: the description has ${wanted.length} operations, and models choose from ${maxTools}: name those that are needed in include, such as "${wanted[0]?.id}", or raise maxTools`,
    );
  const server = serverOf(api, baseUrl);
  const { title = "the API" } = isJsonObject(api["info"]) ? api["info"] : {};
  const name = service ?? (typeof title === "string" ? title : "the API");
  const env = auth === undefined ? [] : [variableOf(auth, name)];
  return wanted.map(
    (operation) =>
      catalogTool({
        className: "OpenapiTool",
        displayName: operation.id,
        group: "automation",
        service: name,
        effectClass: operation.reads ? "R" : "X",
        untrusted: true,
        description: operation.description,
        input: () => z.looseObject({}),
        parameters: operation.parameters,
        options: () => z.object({}),
        env,
        hosts: [server.host],
        run: async (input, _, io) => {
          const { body, headers } = await io.send({
            ...requestOf(operation, { server, input: input as JsonObject }),
            expects: "text",
          });
          const text = typeof body === "string" ? body : "";
          const isJson = (headers.get("content-type") ?? "").includes("json");
          const data = isJson ? parsedJson(text) : undefined;
          return toolResult({
            text: text.trim() === "" ? "Done." : text,
            ...(data === undefined ? undefined : { data }),
          });
        },
      }).entry.make({ ...shared }).tool as Tool,
  );
}

function included(
  operations: readonly ApiOperation[],
  include: readonly string[],
): readonly ApiOperation[] {
  return include.map((wanted) => {
    const found = operations.find(
      ({ id, method, path }) =>
        id === wanted || `${method} ${path}`.toLowerCase() === wanted.toLowerCase(),
    );
    if (found !== undefined) return found;
    throw invalidDefinition(
      `openapiTools: the description has no operation "${wanted}"; it has ${operations
        .slice(0, 20)
        .map(({ id }) => id)
        .join(", ")}`,
    );
  });
}

function serverOf(api: JsonObject, baseUrl: string | undefined): URL {
  const [first] = Array.isArray(api["servers"]) ? api["servers"] : [];
  const { url } = isJsonObject(first ?? null) ? (first as JsonObject) : {};
  const address = baseUrl ?? url;
  if (typeof address !== "string" || address.startsWith("/"))
    throw invalidDefinition("openapiTools: the description names no server: give baseUrl");
  return httpsAddress(address);
}

function variableOf(
  { env: name, header, prefix, query }: ApiAuth,
  service: string,
): CatalogVariable {
  const description = `the key of ${service}`;
  if (query !== undefined) return { name, description, send: { query } };
  const usual = header === undefined || header.toLowerCase() === "authorization";
  return {
    name,
    description,
    send: { header: header ?? "Authorization", prefix: prefix ?? (usual ? "Bearer " : "") },
  };
}

/** Creates the request of a call, with each argument in its place. */
function requestOf(
  { method, path, places }: ApiOperation,
  { server, input }: { readonly server: URL; readonly input: JsonObject },
): ToolRequest {
  const headers: Record<string, string> = {};
  const query: Record<string, string | readonly string[]> = {};
  let filled = path;
  for (const [argument, { name, where }] of Object.entries(places)) {
    const value = input[argument];
    if (value === undefined || value === null || where === "body") continue;
    if (where === "path") filled = filled.replaceAll(`{${name}}`, segmentOf(textOf(value), name));
    else if (where === "header") headers[name] = textOf(value);
    else query[name] = Array.isArray(value) ? value.map(textOf) : textOf(value);
  }
  const body = input["body"];
  return {
    method,
    url: `${server.href.replace(/\/+$/, "")}${filled}`,
    query,
    headers,
    ...(body === undefined || body === null || places["body"] === undefined ? undefined : { body }),
  };
}

/** Encodes a value as one segment of a path. Throws the failure `bad_request` for values leading to another path. */
function segmentOf(text: string, name: string): string {
  if (text !== "" && text !== "." && text !== "..") return encodeURIComponent(text);
  throw serviceFailure({
    code: "bad_request",
    message: `${name} is part of an address: ${JSON.stringify(text)} cannot be one.`,
  });
}

function textOf(value: JsonValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
