import type { JsonObject } from "../base/json.ts";

const PROTOCOL = "edgecrew";
/** Of the codes that a client may be closed with; others are the platform's own. */
const MAY_SEND = (code: number): boolean =>
  code === 1000 || (code >= 3000 && code < 5000) || code === 1013;

/**
 * A socket that sends on what the object of a run sends, each event as it may be shown. The Worker holds it, so that the object
 * still hibernates; the client's subprotocol is answered.
 */
export function watchedSocket(
  response: Response,
  shown: ((event: JsonObject) => JsonObject) | undefined,
): Response {
  const { webSocket: source } = response;
  if (!source) return response;
  const { 0: client, 1: server } = new WebSocketPair();
  const close = (socket: WebSocket, { code, reason }: { code: number; reason: string }): void => {
    try {
      socket.close(MAY_SEND(code) ? code : 1001, reason);
    } catch {} // it is closed
  };
  source.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return;
    try {
      server.send(shown === undefined ? data : shownText(data, shown));
    } catch {
      close(source, { code: 1000, reason: "the client has gone" });
    }
  });
  source.addEventListener("close", (event) => close(server, event));
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
  });
}

/** `pong` is no event, and is sent on as it is. */
function shownText(text: string, shown: (event: JsonObject) => JsonObject): string {
  if (text === "pong") return text;
  try {
    return JSON.stringify(shown(JSON.parse(text) as JsonObject));
  } catch {
    return "{}";
  }
}
