// Sessions of revisions up to 2025-11-25, in which the server asks its client during a request.
//
//   MSN1. A session belongs to the caller that began it. For other callers it does not exist.
//   MSN2. A session survives sleep and restarts of its object: the handshake is stored, and repeated for the new
//         server.
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { PartSession, SessionStorage } from "../../../parts/part.ts";
import { mcpServer } from "./mcp-server.ts";
import type { McpDeployment, McpIdentity } from "./server-context.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Header with the caller for a session. It never comes from a client. */
const CALLER_HEADER = "x-edgecrew-mcp-caller";

/** Returns the request in the form for a session, with the body already read. */
export function sessionRequest(
  request: Request,
  id: string,
  { identity, body }: { readonly identity: McpIdentity; readonly body?: JsonValue },
): Request {
  const headers = new Headers(request.headers);
  headers.set(CALLER_HEADER, encodeURIComponent(JSON.stringify({ ...identity, id })));
  headers.delete("content-length");
  return new Request(request.url, {
    method: request.method,
    headers,
    signal: request.signal,
    ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
  });
}

type Kept = { readonly identity: McpIdentity; readonly id: string; readonly initialize: JsonValue };
type Open = {
  readonly kept: Kept;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly subscriptions: Subscriptions;
};

/** A session in an object of its own. */
export class McpSession implements PartSession {
  readonly #deployment: McpDeployment;
  readonly #storage: SessionStorage;
  #open: Promise<Open | undefined> | undefined;

  constructor(deployment: McpDeployment, storage: SessionStorage) {
    this.#deployment = deployment;
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { id, ...identity } = callerIn(request);
    const parsedBody =
      request.method === "POST" ? ((await request.json()) as JsonValue) : undefined;
    if (isInitialize(parsedBody))
      return this.#begin({ identity, id, initialize: parsedBody }, request);
    const open = await this.#opened();
    const isOurs =
      open !== undefined &&
      open.kept.identity.tenant === identity.tenant &&
      open.kept.identity.callerId === identity.callerId;
    if (!isOurs) return notThere();
    const response = await open.transport.handleRequest(
      request,
      parsedBody === undefined ? undefined : { parsedBody },
    );
    if (request.method === "DELETE" && response.ok) {
      await this.#storage.clear();
      this.#open = undefined;
    }
    if (request.method !== "GET" || !response.ok || response.body === null) return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const leave = open.subscriptions.listen();
    void response.body.pipeTo(writable).then(leave, leave);
    return new Response(readable, response);
  }

  async #opened(): Promise<Open | undefined> {
    try {
      return await (this.#open ??= this.#resume());
    } catch (error) {
      this.#open = undefined; // the storage did not answer, so the next request tries again
      throw error;
    }
  }

  /** Performs the handshake. The protocol refuses a second handshake of a session. */
  async #begin(kept: Kept, request: Request): Promise<Response> {
    const known = await this.#opened();
    const open = known ?? (await this.#connect(kept));
    const response = await open.transport.handleRequest(request, { parsedBody: kept.initialize });
    if (known === undefined && response.ok) {
      await this.#storage.put(kept);
      this.#open = Promise.resolve(open);
    }
    return response;
  }

  /** Restores the stored session (MSN2); undefined without one. */
  async #resume(): Promise<Open | undefined> {
    const kept = (await this.#storage.get()) as Kept | undefined;
    if (kept === undefined) return undefined;
    const open = await this.#connect(kept);
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const handshake = new Request("https://session/mcp", { method: "POST", headers });
    const answer = await open.transport.handleRequest(handshake, { parsedBody: kept.initialize });
    await answer.text();
    return open;
  }

  async #connect(kept: Kept): Promise<Open> {
    const { host, resources } = this.#deployment;
    const requester = { ...kept.identity, signal: new AbortController().signal };
    const subscriptions: Subscriptions = new Subscriptions({
      clock: host.clock,
      version: (uri) => resources.version(uri, requester),
      notify: (uri) => server.sendResourceUpdated({ uri }),
    });
    const server = mcpServer(this.#deployment, kept.identity, { subscriptions });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => kept.id,
    });
    await server.connect(transport);
    return { kept, transport, subscriptions };
  }
}

function isInitialize(body: JsonValue | undefined): body is JsonObject {
  return body !== undefined && isJsonObject(body) && body["method"] === "initialize";
}

function callerIn({ headers }: Request): McpIdentity & { readonly id: string } {
  const caller = headers.get(CALLER_HEADER) ?? "";
  return JSON.parse(decodeURIComponent(caller)) as ReturnType<typeof callerIn>; // made by `sessionRequest`
}

function notThere(): Response {
  const error = { code: -32600, message: "there is no such session: begin a new one" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}
