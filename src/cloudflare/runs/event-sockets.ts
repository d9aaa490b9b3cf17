import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { TERMINAL_EVENTS } from "../../events/run-event.ts";
import type { RunHost } from "../../runtime/run-host.ts";
import type { KeyChecks } from "./key-checks.ts";
import { isWanted, type StreamCursor } from "./event-stream.ts";

const PAGE = 200;
/** Of the codes that applications may use: what 401 is to a request. */
const KEY_GONE = 4401;

/**
 * What a socket keeps while its object hibernates. `after` is the last event that it had been sent when it was opened: from
 * then on it is sent each event when it is kept, which happens once.
 */
type Attachment = { readonly after: number; readonly types: readonly string[] | undefined };

/**
 * The WebSockets that a run's events are sent to. They hibernate with the object: a run that waits for months keeps them
 * open at no cost.
 */
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

  /** `keyHash`: of the key that it is opened with, if that can be deleted. */
  accept(cursor: StreamCursor, keyHash?: string | null): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server, keyHash ? [keyHash] : []);
    this.#subscribe();
    let { after } = cursor;
    const { reader } = this.#host;
    for (
      let page = reader.events(after, PAGE);
      page.length > 0;
      page = reader.events(after, PAGE)
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

  #subscribe(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    this.#host.events.subscribe((event) => this.#publish(event));
  }

  #publish(event: RunEvent | LiveEvent): void {
    for (const socket of this.#state.getWebSockets()) {
      this.#keys.pass(this.#state.getTags(socket)[0], (isValid) => {
        try {
          if (isValid) sendTo(socket, event);
          else socket.close(KEY_GONE, "the API key was deleted, or has expired");
        } catch {
          // The client has gone, and reconnects with its cursor: no subscriber may stop the run.
          socket.close(1011, "out of step");
        }
      });
    }
  }
}

function sendTo(socket: WebSocket, event: RunEvent | LiveEvent): void {
  const { after, types } = socket.deserializeAttachment() as Attachment;
  const cursor = { after, types: types === undefined ? undefined : new Set(types) };
  if ("seq" in event && event.seq <= after) return;
  if (isWanted(cursor, event)) socket.send(JSON.stringify(event));
  if (TERMINAL_EVENTS.has(event.type)) socket.close(1000, event.type);
}
