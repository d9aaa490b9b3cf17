// AG2's events as frames of a stream, and a client's answers.
//
//   AGF1. A frame is one event as JSON text. A question is an `input_request` with an id, also over a WebSocket, where
//         AG2 sends the bare prompt. An answer is `{ "type": "input_response", "id", "value" }`, with the id of its
//         question. So several questions can be open.
//   AGF2. A stream for `Last-Event-ID` continues after that event, with the same `uuid`s.
import * as z from "zod";
import { eventStreamParser } from "../../base/event-stream-parser.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import type { Ag2Event } from "./ag2-contents.ts";
import { Ag2View } from "./ag2-events.ts";

/** A client's answer to a question. */
export const ag2Answer = z.object({
  type: z.literal("input_response"),
  /** Id of the `input_request`. */
  id: z.string(),
  value: z.string(),
});

/** Converts an event to a text frame, without the fields for readers in this process. */
export function ag2Frame(event: Ag2Event): string {
  return JSON.stringify(event);
}

/**
 * Converts the Server-Sent Events of a run, from its first event on, to AG2's: `id` is the `seq` of the run's event,
 * and events up to `after` are left out.
 */
export function ag2Stream({ body, headers, status }: Response, after: number): Response {
  if (body === null) return new Response(null, { status, headers });
  const view = new Ag2View();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const written: string[] = [];
  const parse = eventStreamParser(
    (ms) => written.push(`retry: ${ms}\n\n`),
    (comment) => written.push(`: ${comment}\n\n`),
  );
  const frames = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const { data } of parse(decoder.decode(chunk, { stream: true })))
        written.push(...framesOf(view, JSON.parse(data) as RunEvent, after));
      const text = written.splice(0).join("");
      if (text !== "") controller.enqueue(encoder.encode(text));
    },
  });
  return new Response(body.pipeThrough(frames), { status, headers });
}

/** Only the last frame of an event has the event's id, so no stream continues between its frames. */
function framesOf(view: Ag2View, event: RunEvent | LiveEvent, after: number): readonly string[] {
  const seq = "seq" in event ? event.seq : undefined;
  const events = view.read(event);
  if (seq !== undefined && seq <= after) return [];
  return events.map((each, index) => {
    const id = seq !== undefined && index === events.length - 1 ? `id: ${seq}\n` : "";
    return `${id}event: ${each.type}\ndata: ${ag2Frame(each)}\n\n`;
  });
}
