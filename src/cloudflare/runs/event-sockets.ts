// WebSockets for a run's events.
//
//   ES1. They hibernate with the object: a run waiting for months keeps them open at no cost.
//   ES2. The platform does not report how much a client has read, so the amount sent over one connection is limited.
//        The client then reconnects after its last event, as after any other close.
import { requestsWords, shownEvent, type EventView, type WordsOf } from "../../wire/event-view.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import type { RunHost } from "../../runtime/run-host.ts";
import type { KeyChecks } from "./key-checks.ts";
import { isWanted, startOf, type StreamCursor } from "./event-stream.ts";

const PAGE = 200;
/** Maximum amount sent over one connection, in UTF-16 units. It stays in memory if the client never reads. */
const MAX_SENT = 2 * 1024 * 1024;
/** Close code for "try again later". */
const TRY_AGAIN = 1013;
/** Application close code corresponding to HTTP 401. */
const KEY_GONE = 4401;
const OPEN = 1;

/**
 * State of a socket during hibernation. `after` is the last event sent when the socket was opened. Later events are
 * sent when they are stored, which happens once.
 */
type Attachment = {
  readonly after: number;
  readonly types: readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly slim?: boolean | undefined;
  readonly words?: WordsOf | undefined;
  /** Amount sent so far, in UTF-16 units. */
  readonly sent?: number;
};

export class EventSockets {
  readonly #state: DurableObjectState;
  readonly #host: Pick<RunHost, "reader" | "events">;
  readonly #keys: KeyChecks;
  #subscribed = false;

  constructor(
    state: DurableObjectState,
    host: Pick<RunHost, "reader" | "events">,
    keys: KeyChecks,
  ) {
    this.#keys = keys;
    this.#state = state;
    this.#host = host;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    if (state.getWebSockets().length > 0) this.#subscribe();
  }

  /** `keyHash` is the hash of the API key of the connection, if the key can be deleted. */
  accept(cursor: StreamCursor, keyHash?: string | null): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server, keyHash ? [keyHash] : []);
    this.#subscribe();
    this.#sendLog(server, cursor);
    return new Response(null, { status: 101, webSocket: client });
  }

  #sendLog(socket: WebSocket, cursor: StreamCursor): void {
    const { reader, events } = this.#host;
    const { path, slim, words } = cursor;
    const types = cursor.types === undefined ? undefined : [...cursor.types];
    let after = startOf(this.#host, cursor);
    const attach = (sent: number): void =>
      socket.serializeAttachment({ after, types, path, slim, words, sent } satisfies Attachment);
    attach(0);
    let page = reader.events(after, PAGE);
    while (page.length > 0) {
      for (const event of page) if (!send(socket, event)) return;
      after = page.at(-1)?.seq ?? after;
      page = reader.events(after, PAGE);
    }
    attach((socket.deserializeAttachment() as Attachment).sent ?? 0);
    for (const snapshot of events.snapshots()) if (!send(socket, snapshot)) return;
  }

  #subscribe(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    this.#host.events.subscribe(
      (event) => this.#publish(event),
      (path) => this.#state.getWebSockets().some((socket) => requests(socket, path)),
    );
  }

  #publish(event: RunEvent | LiveEvent): void {
    for (const socket of this.#state.getWebSockets()) {
      this.#keys.pass(this.#state.getTags(socket)[0], (isValid) => {
        try {
          if (socket.readyState !== OPEN) return;
          if (isValid) send(socket, event);
          else socket.close(KEY_GONE, "the API key was deleted, or has expired");
        } catch {
          // The client is gone and will reconnect with its cursor. A subscriber's failure must not stop the run.
          socket.close(1011, "out of step");
        }
      });
    }
  }
}

/** True if the client of this socket has a model stream an answer at this place. */
function requests(socket: WebSocket, path: string): boolean {
  return socket.readyState === OPEN && requestsWords(viewOf(socket), path);
}

function viewOf(socket: WebSocket): EventView {
  const { types, path, slim, words } = socket.deserializeAttachment() as Attachment;
  return { types: types === undefined ? undefined : new Set(types), path, slim, words };
}

/** Sends an event if the client wants it and does not have it yet. Returns false once the socket is closed. */
function send(socket: WebSocket, event: RunEvent | LiveEvent): boolean {
  const attachment = socket.deserializeAttachment() as Attachment;
  const { after, sent = 0 } = attachment;
  const view = viewOf(socket);
  if ("seq" in event && event.seq <= after) return true;
  if (isWanted(view, event)) {
    const text = JSON.stringify(shownEvent(view, event));
    const total = sent + text.length;
    // The first event is sent at any length. Otherwise the client could never get past it.
    if (total > MAX_SENT && sent > 0) {
      socket.close(TRY_AGAIN, "there is more: connect again after the last event");
      return false;
    }
    socket.send(text);
    socket.serializeAttachment({ ...attachment, sent: total } satisfies Attachment);
  }
  if (!TERMINAL_EVENTS.has(event.type)) return true;
  socket.close(1000, event.type);
  return false;
}
