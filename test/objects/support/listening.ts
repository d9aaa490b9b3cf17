// How clients listen to a run: Server-Sent Events and WebSockets, straight from its object.
import { createParser } from "eventsource-parser";
import type { LiveEvent, RunEvent } from "../../../src/events/run-event.ts";
import { stubOf, until } from "./runs.ts";

export type Heard = RunEvent | LiveEvent;

export type Stream = {
  readonly status: number;
  readonly events: readonly Heard[];
  readonly ids: readonly string[];
};

export function openStream(
  id: string,
  options: { after?: number; types?: string } = {},
): Promise<Response> {
  const { after, types } = options;
  return stubOf(id).fetch(`https://run/events${types === undefined ? "" : `?types=${types}`}`, {
    ...(after === undefined ? undefined : { headers: { "Last-Event-ID": String(after) } }),
  });
}

/** All that a stream sends until it ends. */
export async function wholeStream(
  id: string,
  options: { after?: number; types?: string } = {},
): Promise<Stream> {
  const response = await openStream(id, options);
  return { status: response.status, ...parsed(await response.text()) };
}

export function parsed(text: string): { events: readonly Heard[]; ids: readonly string[] } {
  const events: Heard[] = [];
  const ids: string[] = [];
  const parser = createParser({
    onEvent: ({ data, id }) => {
      events.push(JSON.parse(data) as Heard);
      if (id !== undefined) ids.push(id);
    },
  });
  parser.feed(text);
  return { events, ids };
}

/** A WebSocket that keeps what it hears. */
export class Listener {
  readonly events: Heard[] = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const text = String(data);
      this.texts.push(text);
      if (text.startsWith("{")) this.events.push(JSON.parse(text) as Heard);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
    });
    socket.accept();
  }

  static async open(id: string, search = ""): Promise<Listener> {
    const { webSocket } = await stubOf(id).fetch(`https://run/events${search}`, {
      headers: { Upgrade: "websocket" },
    });
    if (webSocket === null) throw new Error(`the object of run ${id} took no WebSocket`);
    return new Listener(webSocket);
  }

  get seqs(): readonly number[] {
    return seqsOf(this.events);
  }

  hears(type: string): Promise<void> {
    return until(`a socket hears ${type}`, () => this.events.some((event) => event.type === type));
  }
}

export function seqsOf(events: readonly Heard[]): readonly number[] {
  return events.flatMap((event) => ("seq" in event ? [event.seq] : []));
}

/** `from`, ..., `to` */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
