// The protocol in a Worker: `/mcp`, and the runs of its tools.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { operation, type Operation, type OperationRequest } from "../../../parts/operation.ts";
import type { Part, PartEnv, PartHost, PartSession } from "../../../parts/part.ts";
import { HttpError } from "../../../parts/problem.ts";
import { mayRead } from "../../../parts/rights.ts";
import {
  checkDepth,
  isJsonType,
  mediaType,
  readText,
  unsupportedType,
} from "../../../parts/request-body.ts";
import { PROTOCOL_MIGRATIONS, ProtocolRuns, type ProtocolStores } from "../../protocol-runs.ts";
import { mcpEvents } from "./events.ts";
import {
  checkOrigin,
  mcpProblem,
  METADATA,
  PATH,
  resourceMetadata,
  SESSION_HEADER,
} from "./http-guard.ts";
import { checkMcpOptions, type McpOptions } from "./mcp-options.ts";
import type { McpEngine } from "./mcp-engine.ts";
import { rpcError } from "./rpc-error.ts";
import { ToolList } from "./tool-list.ts";
import { TOOL_KIND, toolRun, toolRunSchemas } from "./tool-run.ts";
import { shape } from "../../../parts/shape.ts";

/** Storage of the protocol beyond a request. */
export type McpStores = ProtocolStores & {
  /** Sessions by name; undefined if the Worker has no objects for them. */
  readonly sessions?: (env: PartEnv) => ((name: string) => PartSession) | undefined;
};

/** Creates the part. Fails with `invalid_definition` for invalid options. */
export function mcpPart(options: McpOptions, stores: McpStores): Part {
  checkMcpOptions(options);
  const known = new ToolList(NOTHING_EXPOSED, options.tools ?? []);
  return {
    name: "mcp",
    docs: "mcp-clients.md",
    events: mcpEvents,
    migrations: PROTOCOL_MIGRATIONS,
    kinds: {
      [TOOL_KIND]: { schemas: toolRunSchemas, program: ({ name }) => toolRun(known.own(name)) },
    },
    bind: (host) => {
      const runs = new ProtocolRuns("mcp", host, { options, stores });
      const sessions = stores.sessions?.(host.env);
      // Loaded with the first request, because the protocol's schemas cost a Worker's start more than all of ours.
      let loaded: Promise<McpEngine> | undefined;
      const engine = (): Promise<McpEngine> =>
        (loaded ??= import("./mcp-engine.ts").then(({ openEngine }) =>
          openEngine({ options, host, runs, sessions }),
        ));
      const { basePath } = host;
      return {
        operations: mcpOperations({ options, host, engine, keepsSessions: sessions !== undefined }),
        problems: {
          matches: (path) => path === PATH,
          form: () => ({ shape: mcpMessageShape }),
          answer: (problem, request) =>
            mcpProblem(problem, request, {
              ...(options.authorization && { authorization: options.authorization }),
              basePath,
            }),
        },
        openSession: (storage) => {
          let opened: Promise<PartSession> | undefined;
          return {
            fetch: async (request) => {
              opened ??= engine().then(({ openSession }) => openSession(storage));
              return (await opened).fetch(request);
            },
          };
        },
        due: () => runs.due(),
      };
    },
  };
}

/** Used where only the tools of the options matter. */
const NOTHING_EXPOSED = { list: () => Promise.resolve([]) } as never;

const mcpMessageShape = shape("McpMessage", () =>
  z
    .looseObject({
      jsonrpc: z.literal("2.0"),
      id: z.union([z.string(), z.number()]).nullable().optional(),
      method: z.string().optional(),
      params: z.record(z.string(), z.json()).optional(),
    })
    .describe("A message of JSON-RPC 2.0"),
);

const jsonRpc = { jsonrpc: z.literal("2.0") } as const;
const call = { ...jsonRpc, method: z.string(), params: z.record(z.string(), z.json()).optional() };
const callId = z.union([z.string(), z.int()]);

/** Requests, notifications, and answers to requests of the server, in the SDK's form. */
const sentMessage = z
  .union([
    z.strictObject({ ...call, id: callId }),
    z.strictObject(call),
    z.strictObject({ ...jsonRpc, id: callId, result: z.record(z.string(), z.json()) }),
    z.strictObject({
      ...jsonRpc,
      id: callId.optional(),
      error: z.looseObject({ code: z.int(), message: z.string() }),
    }),
  ])
  .describe("A message of JSON-RPC 2.0");

/** Resources of the operations. */
type McpServing = {
  readonly options: McpOptions;
  readonly host: PartHost;
  readonly engine: () => Promise<McpEngine>;
  readonly keepsSessions: boolean;
};

function mcpOperations(serving: McpServing): readonly Operation[] {
  const { options, host, engine, keepsSessions } = serving;
  const shared = {
    group: "Model Context Protocol",
    answers: {
      200: {
        description: "The answer, or a stream of messages that ends with it",
        shape: mcpMessageShape,
        types: ["text/event-stream"],
        headers: ["Mcp-Session-Id", "MCP-Protocol-Version"],
      },
      202: {
        description: "Accepted: notifications and answers have no response",
        headers: ["Mcp-Session-Id", "MCP-Protocol-Version"],
      },
    },
    problems: [400, 404, 406, 429],
  } as const;
  return [
    operation({
      ...shared,
      id: "mcp",
      method: "post",
      path: PATH,
      scope: "run",
      summary: "Speak the Model Context Protocol",
      description:
        "Revision 2026-07-28, and 2025-11-25 and older ones. Clients of the protocol do this; see the page on MCP. `Accept` must allow both `application/json` and `text/event-stream`, as `*/*` does.",
      rawBody: { name: "McpRequest", schema: sentMessage, types: [] },
      example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      sample: { needs: "a client of the protocol, which sends the headers that it asks for" },
      handle: (request) => answer(serving, request),
    }),
    ...(["get", "delete"] as const).map((method) =>
      operation({
        ...shared,
        id: method === "get" ? "mcpStream" : "mcpEnd",
        method,
        path: PATH,
        scope: "run",
        summary: method === "get" ? "Listen to a session" : "End a session",
        description:
          "For revisions up to 2025-11-25, if the Worker has sessions; else returns 405.",
        problems: [400, 404, 405, 406, 409],
        sample: { needs: "a session" },
        handle: async (request) => {
          const { raw } = request;
          checkOrigin(raw, options);
          const id = raw.headers.get(SESSION_HEADER);
          if (keepsSessions && id !== null) return (await engine()).answerSession(request, id);
          throw new HttpError("invalid_input", "this server keeps no sessions: POST messages", {
            status: 405,
            headers: { allow: "POST" },
          });
        },
      }),
    ),
    ...[METADATA, `${METADATA}${PATH}`].map((path, index) =>
      operation({
        group: shared.group,
        id: index === 0 ? "protectedResource" : "protectedResourceOfMcp",
        method: "get",
        path,
        scope: "none",
        summary: "Show the authorization servers for the Model Context Protocol",
        description: "RFC 9728. Only if the app names authorization servers.",
        ...(options.authorization === undefined
          ? { sample: { needs: "authorization servers in the app's `mcp({ authorization })`" } }
          : undefined),
        answers: { 200: { description: "The metadata", types: ["application/json"] } },
        problems: [404],
        handle: ({ raw }) => {
          const json = resourceMetadata(raw, options, host.basePath);
          if (json === undefined)
            throw new EngineError("not_found", "this server names no authorization servers");
          return Promise.resolve({
            status: 200,
            json,
            headers: { "cache-control": "max-age=3600", "access-control-allow-origin": "*" },
          });
        },
      }),
    ),
  ];
}

async function answer(serving: McpServing, request: OperationRequest): Promise<Response> {
  const { options, host, engine } = serving;
  const { raw, scopes } = request;
  checkOrigin(raw, options);
  const type = mediaType(raw);
  if (!isJsonType(type)) throw unsupportedType(type, "application/json");
  const body = await readMessage(raw, host.maxBodyBytes);
  if (body === undefined)
    return rpcError({ status: 400, code: -32700, message: "the body is not JSON" });
  const reads = isJsonObject(body) && isKnowledgeRead(body, options);
  if (reads && !mayRead(scopes))
    throw new HttpError("forbidden", 'documents are for keys with the scope "read"', {
      headers: {
        "www-authenticate": 'Bearer realm="edgecrew", error="insufficient_scope", scope="run read"',
      },
    });
  return (await engine()).answer({ ...request, raw: acceptingAll(raw) }, body);
}

/** RFC 9110 section 12.5.1: a client that accepts any type, or sends no header, accepts both forms of the answer. */
function acceptingAll(request: Request): Request {
  const accepts = request.headers.get("accept") ?? "*/*";
  if (!/(^|,)\s*\*\/\*\s*(;|,|$)/.test(accepts)) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  // The body was already read, and is passed separately.
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

function isKnowledgeRead(
  { method, params }: { readonly [key: string]: JsonValue },
  { knowledge }: McpOptions,
): boolean {
  if (knowledge === undefined || method !== "resources/read") return false;
  const uri = params !== undefined && isJsonObject(params) ? params["uri"] : undefined;
  return typeof uri === "string" && uri.startsWith("knowledge:");
}

/** Returns undefined for a body other than JSON. Fails with `payload_too_large`. */
async function readMessage(request: Request, maxBytes: number): Promise<JsonValue | undefined> {
  const text = await readText(request, maxBytes);
  let value: JsonValue;
  try {
    value = JSON.parse(text ?? "") as JsonValue;
  } catch {
    return undefined;
  }
  checkDepth(value);
  return value;
}
