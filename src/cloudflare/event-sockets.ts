import type { LiveEvent, RunEvent } from "../events/run-event.ts";
import { TERMINAL_EVENTS } from "../events/run-event.ts";
import type { RunHost } from "../runtime/run-host.ts";
import { isWanted, type StreamCursor } from "./event-stream.ts";

const PAGE = 200;

/**
 * What a socket keeps of itself while its object sleeps. `after` is what it had heard when it was opened: from then on it
 * hears each event when it is kept, which happens once.
 */
type Attachment = { readonly after: number; readonly types: readonly string[] | undefined };

/**
 * The WebSockets that listen to a run. They hibernate with the object: a run that waits for months keeps them open at no
 * cost.
 */
export class EventSockets {
  readonly #state: DurableObjectState;
  readonly #host: RunHost;
  #listening = false;

  constructor(state: DurableObjectState, host: RunHost) {
    this.#state = state;
    this.#host = host;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    if (state.getWebSockets().length > 0) this.#listen();
  }

  accept(cursor: StreamCursor): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    this.#listen();
    let { after } = cursor;
    for (
      let page = this.#host.readEvents(after, PAGE);
      page.length > 0;
      page = this.#host.readEvents(after, PAGE)
    ) {
      for (const event of page) {
        after = event.seq;
        if (isWanted(cursor, event)) server.send(JSON.stringify(event));
        if (TERMINAL_EVENTS.has(event.type)) server.close(1000, event.type);
      }
    }
    server.serializeAttachment({
      after,
      types: cursor.types === undefined ? undefined : [...cursor.types],
    } satisfies Attachment);
    return new Response(null, { status: 101, webSocket: client });
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    this.#host.subscribe((event) => this.#publish(event));
  }

  #publish(event: RunEvent | LiveEvent): void {
    for (const socket of this.#state.getWebSockets()) {
      try {
        tell(socket, event);
      } catch {
        // Whoever cannot be told has gone, and comes back with its cursor: no listener may stop the run.
        socket.close(1011, "out of step");
      }
    }
  }
}

function tell(socket: WebSocket, event: RunEvent | LiveEvent): void {
  const { after, types } = socket.deserializeAttachment() as Attachment;
  const cursor = { after, types: types === undefined ? undefined : new Set(types) };
  if ("seq" in event && event.seq <= after) return;
  if (isWanted(cursor, event)) socket.send(JSON.stringify(event));
  if (TERMINAL_EVENTS.has(event.type)) socket.close(1000, event.type);
}
