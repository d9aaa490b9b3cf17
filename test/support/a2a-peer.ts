// A real A2A server (the project's SDK) behind a `fetch`: what remote agents do is written by the test.
import { SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultExecutionEventBusManager,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type ExecutionEventBus,
} from "@a2a-js/sdk/server";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  AgentCard as CardCodec,
  TaskStatusUpdateEvent,
  TaskArtifactUpdateEvent,
  Message,
} from "@a2a-js/sdk";
import type { JsonObject } from "../../src/base/json.ts";

export type PeerTurn = {
  readonly text: string;
  readonly taskId: string;
  readonly contextId: string;
  readonly messageId: string;
  /** The message came for a task that was there. */
  readonly isFollowUp: boolean;
  readonly metadata: JsonObject | undefined;
  /** What a request of the client's configuration says. */
  readonly request: SendMessageRequest;
  readonly status: (state: string, text?: string) => void;
  readonly artifact: (
    text: string,
    options?: { id?: string; append?: boolean; last?: boolean; data?: unknown; mediaType?: string },
  ) => void;
  readonly message: (text: string) => void;
};

export type PeerOptions = {
  readonly url?: string;
  readonly name?: string;
  /** What it does with a message. @default completes with an artifact `You said: …` */
  readonly script?: (turn: PeerTurn) => void | Promise<void>;
  readonly card?: JsonObject;
  /** Which bindings it offers. @default JSONRPC 1.0 */
  readonly interfaces?: ReadonlyArray<{
    url: string;
    protocolBinding: string;
    protocolVersion: string;
  }>;
  readonly version?: "1.0" | "0.3";
  readonly streaming?: boolean;
  /** Sends notifications, with the global `fetch`. */
  readonly push?: boolean;
  /** Looks at each request first; a response ends it. */
  readonly before?: (request: PeerRequest) => Response | undefined | Promise<Response | undefined>;
};

export type PeerRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  /** Of JSON-RPC. */
  readonly rpc: string | undefined;
  readonly signal: AbortSignal | undefined;
};

export type Peer = {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly requests: PeerRequest[];
  /** The turns that its agent had. */
  readonly turns: PeerTurn[];
  readonly handler: DefaultRequestHandler;
  readonly cardRequests: () => number;
  readonly sends: () => readonly PeerRequest[];
};

export function a2aPeer(options: PeerOptions = {}): Peer {
  const { url = "https://weather.example.com", name = "Weather Bot", version = "1.0" } = options;
  const {
    script = ({ text, artifact, status }: PeerTurn) => {
      artifact(`You said: ${text}`);
      status("COMPLETED");
    },
  } = options;
  const interfaces = options.interfaces ?? [
    { url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ];
  const capabilities = {
    streaming: options.streaming ?? true,
    pushNotifications: options.push ?? false,
  };
  const skills = [
    { id: "forecast", name: "Forecast", description: "Tells the weather", tags: ["weather"] },
  ];
  const basics = {
    name,
    description: "Knows the weather.",
    version: "1.0.0",
    capabilities,
    skills,
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
  };
  const rawCard: JsonObject =
    version === "1.0"
      ? { ...basics, supportedInterfaces: interfaces, ...options.card }
      : {
          ...basics,
          protocolVersion: "0.3.0",
          url: `${url}/rpc`,
          preferredTransport: "JSONRPC",
          ...options.card,
        };
  const turns: PeerTurn[] = [];
  const pushStore = new InMemoryPushNotificationStore();
  const handler = new DefaultRequestHandler(
    CardCodec.fromJSON({ ...basics, supportedInterfaces: interfaces }),
    new InMemoryTaskStore(),
    {
      execute: async (context, bus) => {
        const turn = turnOf(context, bus);
        turns.push(turn);
        if (!turn.isFollowUp && !turn.text.startsWith("message:"))
          bus.publish(
            AgentEvent.task(
              Task.fromJSON({
                id: context.taskId,
                contextId: context.contextId,
                status: { state: "TASK_STATE_SUBMITTED" },
                history: [Message.toJSON(context.userMessage)],
              }),
            ),
          );
        else if (turn.isFollowUp) bus.publish(AgentEvent.task(context.task!));
        await script(turn);
        bus.finished();
      },
      cancelTask: async () => undefined,
    },
    new DefaultExecutionEventBusManager(),
    pushStore,
    options.push === true ? new DefaultPushNotificationSender(pushStore) : undefined,
  );
  const transport = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  const requests: PeerRequest[] = [];
  const serve = async (request: PeerRequest): Promise<Response> => {
    const early = await options.before?.(request);
    if (early !== undefined) return early;
    const { pathname } = new URL(request.url);
    if (request.method === "GET" && pathname.endsWith("/.well-known/agent-card.json"))
      return json(rawCard);
    if (pathname.startsWith("/rest")) return rest(handler, request, pathname.slice("/rest".length));
    if (pathname !== "/rpc") return json({ error: "not here" }, 404);
    const context = new ServerCallContext({
      requestedVersion: request.headers.get("a2a-version") ?? "0.3",
    });
    const answer = await (version === "0.3" ? legacy : transport).handle(request.body, context);
    return Symbol.asyncIterator in answer ? sse(answer) : json(answer);
  };
  const send: typeof fetch = async (input, init = {}) => {
    const address = addressOf(input);
    const body = typeof init.body === "string" ? init.body : "";
    let rpc: string | undefined;
    try {
      rpc = (JSON.parse(body) as { method?: string }).method;
    } catch {
      rpc = undefined;
    }
    const request: PeerRequest = {
      url: address,
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      body,
      rpc,
      signal: init.signal ?? undefined,
    };
    requests.push(request);
    return serve(request);
  };
  return {
    url,
    fetch: send,
    requests,
    turns,
    handler,
    cardRequests: () => requests.filter((each) => each.url.includes("/.well-known/")).length,
    sends: () =>
      requests.filter(
        ({ rpc, url: to }) => /^(Send|message\/)/.test(rpc ?? "") || /message:/.test(to),
      ),
  };
}

function turnOf(
  context: Parameters<ConstructorParameters<typeof DefaultRequestHandler>[2]["execute"]>[0],
  bus: ExecutionEventBus,
): PeerTurn {
  const { taskId, contextId, userMessage } = context;
  const sent = Message.toJSON(userMessage) as {
    messageId: string;
    parts: Array<{ text?: string }>;
    metadata?: JsonObject;
  };
  const parts = (text: string | undefined): unknown[] => (text === undefined ? [] : [{ text }]);
  const said = (text: string): unknown => ({
    messageId: `${taskId}-${Math.random()}`,
    role: "ROLE_AGENT",
    taskId,
    contextId,
    parts: parts(text),
  });
  return {
    text: sent.parts.map(({ text }) => text ?? "").join(""),
    taskId,
    contextId,
    messageId: sent.messageId,
    isFollowUp: context.task !== undefined,
    metadata: sent.metadata,
    request: context.request,
    status: (state, text) =>
      bus.publish(
        AgentEvent.statusUpdate(
          TaskStatusUpdateEvent.fromJSON({
            taskId,
            contextId,
            status: {
              state: `TASK_STATE_${state}`,
              ...(text === undefined ? undefined : { message: said(text) }),
            },
          }),
        ),
      ),
    artifact: (text, { id = "result", append = false, last = true, data, mediaType } = {}) =>
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({
            taskId,
            contextId,
            append,
            lastChunk: last,
            artifact: {
              artifactId: id,
              name: id,
              parts: data === undefined ? parts(text) : [{ data, mediaType }],
            },
          }),
        ),
      ),
    message: (text) => bus.publish(AgentEvent.message(Message.fromJSON(said(text)))),
  };
}

/** HTTP+JSON of A2A 1.0, as far as a client of ours asks. */
async function rest(
  handler: DefaultRequestHandler,
  request: PeerRequest,
  path: string,
): Promise<Response> {
  const context = new ServerCallContext({ requestedVersion: "1.0" });
  const body = request.body === "" ? {} : (JSON.parse(request.body) as never);
  if (path === "/message:send") {
    const result = await handler.sendMessage(SendMessageRequest.fromJSON(body), context);
    return json(
      "messageId" in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) },
    );
  }
  if (path === "/message:stream")
    return sse(
      (async function* () {
        for await (const each of handler.sendMessageStream(
          SendMessageRequest.fromJSON(body),
          context,
        ))
          yield StreamResponse.toJSON(each);
      })(),
    );
  const id = decodeURIComponent(/^\/tasks\/([^:?]+)/.exec(path)?.[1] ?? "");
  return json(Task.toJSON(await handler.getTask({ id, tenant: "" }, context)));
}

/** The address of a request, as `fetch` takes it. */
export function addressOf(input: unknown): string {
  if (typeof input === "string") return input;
  return input instanceof URL ? input.href : (input as Request).url;
}

/** The text of a request's body. */
export function bodyOf(init: RequestInit | undefined): string {
  return typeof init?.body === "string" ? init.body : "";
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json" },
  });
}

export function sse(events: AsyncIterable<unknown>): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await iterator.next();
      if (next.done === true) return controller.close();
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`));
    },
    cancel: () => void iterator.return?.(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
