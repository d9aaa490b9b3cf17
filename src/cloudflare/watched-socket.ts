import type { JsonObject } from "../base/json.ts";

const PROTOCOL = "edgecrew";
/** Worker's end of a WebSocket. */
type WorkerSocket = {
  accept(): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: Closed) => void): void;
  addEventListener(type: "error", listener: () => void): void;
};
type Closed = { readonly code: number; readonly reason: string };
type SocketAnswer = Response & { readonly webSocket?: WorkerSocket | null };

declare const WebSocketPair: new () => { readonly 0: WorkerSocket; readonly 1: WorkerSocket };

/** Same code as for sockets with a deleted key. */
const CREDENTIAL_GONE = 4401;

/** True for forwardable close codes. Others are reserved by the platform. */
function maySend(code: number): boolean {
  return code === 1000 || code === 1013 || (code >= 3000 && code < 5000);
}

function close(socket: WorkerSocket, { code, reason }: Closed): void {
  try {
    socket.close(maySend(code) ? code : 1001, reason);
  } catch {} // it is closed
}

/**
 * Forwards the socket of a run's object: each event in its permitted form, as long as the client is allowed. The Worker
 * owns this socket, so the object still hibernates. The response confirms the client's subprotocol.
 */
export function watchedSocket(
  response: Response,
  {
    shown,
    isAllowed,
  }: {
    readonly shown: ((event: JsonObject) => JsonObject) | undefined;
    readonly isAllowed: () => Promise<boolean>;
  },
): Response {
  const { webSocket: source } = response as SocketAnswer;
  if (!source) return response;
  const { 0: client, 1: server } = new WebSocketPair();
  const sendOn = async (data: string): Promise<void> => {
    if (!(await isAllowed())) {
      close(source, { code: 1000, reason: "the token has ended" });
      return close(server, {
        code: CREDENTIAL_GONE,
        reason: "the token has expired, or was revoked",
      });
    }
    try {
      server.send(shown === undefined ? data : shownText(data, shown));
    } catch {
      close(source, { code: 1000, reason: "the client has gone" });
    }
  };
  let order = Promise.resolve();
  source.addEventListener("message", ({ data }) => {
    if (typeof data === "string") order = order.then(() => sendOn(data));
  });
  source.addEventListener("close", (event) => {
    // Earlier messages are sent first.
    void order.then(() => close(server, event));
  });
  source.addEventListener("error", () => close(server, { code: 1011, reason: "" }));
  server.addEventListener("close", (event) => close(source, event));
  server.addEventListener("message", ({ data }) => {
    if (data === "ping") source.send("ping");
  });
  source.accept();
  server.accept();
  return new Response(null, {
    status: 101,
    webSocket: client,
    headers: { "sec-websocket-protocol": PROTOCOL },
  } as unknown as ResponseInit);
}

/** `pong` is not an event and is forwarded unchanged. */
function shownText(text: string, shown: (event: JsonObject) => JsonObject): string {
  if (text === "pong") return text;
  try {
    return JSON.stringify(shown(JSON.parse(text) as JsonObject));
  } catch {
    return "{}";
  }
}
