// A part of a run as Server-Sent Events.
//
//   UE1. A frame's id is the `seq` of its run event, with the position among the event's frames if there are several.
//        During a growing text it also has the length already sent. A stream for `Last-Event-ID` continues after this
//        frame.
//   UE2. A stream ends with its part. It never stays open while the run waits for its front end.
//   UE3. While idle, a comment every 15 seconds keeps the connection alive.
import { noted } from "../../base/log.ts";
import type { Clock } from "../../base/clock.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Run } from "../../runtime/run.ts";
import type { RunCodec } from "./codec.ts";
import type { SpokenMark } from "./speech.ts";
import type { AgUiEvent } from "./wire.ts";

/** Keep-alive interval of an idle stream. */
const KEEP_ALIVE_MS = 15_000;

/** Last frame at the client. */
type Cursor = {
  readonly seq: number;
  readonly place?: number;
  readonly marks: readonly SpokenMark[];
};

/** A part of a run to send. */
export type StreamedPart = {
  readonly handle: RunHandle;
  readonly codec: RunCodec;
  /** `seq` of the event before the part. */
  readonly after: number;
  /** Last event received by the client. */
  readonly lastEventId?: string | null;
  readonly run: () => Promise<Run>;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
};

/** Yields the frames of a part. */
export async function* framesOf(part: StreamedPart): AsyncGenerator<string> {
  const { codec, signal, report } = part;
  try {
    yield* readFrames(part);
  } catch (error) {
    if (signal.aborted) return;
    report(noted(error, "request_failed"));
    const message =
      "The events of the run cannot be read on. The run itself is not affected: send the request again.";
    yield* codec.fail({ message, code: "unavailable" }).map((event) => frame(event));
  }
}

async function* readFrames({
  handle,
  codec,
  after,
  lastEventId,
  run,
  signal,
}: StreamedPart): AsyncGenerator<string> {
  const cursor = cursorOf(lastEventId);
  let seq = after;
  const isPast = (place: number, last: number): boolean => {
    if (cursor === undefined || seq > cursor.seq) return false;
    return seq < cursor.seq || (cursor.place === undefined ? place <= last : place <= cursor.place);
  };
  function* numbered(events: readonly AgUiEvent[], before: string): Generator<string> {
    const last = events.length - 1;
    for (const [place, event] of events.entries()) {
      if (isPast(place, last)) continue;
      yield frame(
        event,
        place < last ? `${seq}.${place}${before}` : `${seq}${marksText(codec.marks)}`,
      );
    }
  }
  if (after === 0) {
    yield* numbered(codec.begin(), "");
    if (cursor?.seq === 0 && cursor.place === undefined) codec.marks = cursor.marks;
  }
  for await (const event of handle.events({ signal })) {
    if ("seq" in event && event.seq <= after) {
      codec.read(event);
      if (event.seq === after) yield* numbered(codec.begin(), "");
    } else {
      const isKept = "seq" in event;
      if (isKept) ({ seq } = event);
      const isHere = isKept && cursor?.seq === seq;
      if (isHere && cursor?.place !== undefined) codec.marks = cursor.marks;
      const before = isKept ? marksText(codec.marks) : "";
      const standing = codec.standing(event);
      const events = [...codec.read(event)];
      if (standing === "waits") events.push(...codec.suspend((await run()).waits));
      if (standing === "ended") events.push(...codec.end(await run()));
      const held = event.type === "run_held" ? (await run()).held : undefined;
      if (held !== undefined) events.push(...codec.fail(held));
      if (isKept) yield* numbered(events, before);
      else if (events.length > 0) yield together(events, `${seq}${marksText(codec.marks)}`);
      if (standing !== "open" || held !== undefined) return;
    }
    if ("seq" in event && cursor?.seq === event.seq && cursor.place === undefined)
      codec.marks = cursor.marks;
  }
}

/** Returns these frames as an answer. `left` is called when the client leaves before their end. */
export function eventStreamOf(
  frames: AsyncGenerator<string>,
  { clock, left }: { readonly clock: Clock; readonly left: () => Promise<void> },
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= frames.next();
      const { promise: silence, resolve } = Promise.withResolvers<undefined>();
      const cancel = clock.after(KEEP_ALIVE_MS, () => resolve(undefined));
      const result = await Promise.race([next, silence]);
      cancel();
      if (result === undefined) return controller.enqueue(encoder.encode(": keep-alive\n\n"));
      next = undefined;
      if (result.done === true) controller.close();
      else controller.enqueue(encoder.encode(result.value));
    },
    async cancel() {
      await left();
      await frames.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

/** Returns one event as a frame. */
export function frame(event: AgUiEvent, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;
}

/** Joins the frames of a live event; only the last has an id, because no stream could continue between them. */
function together(events: readonly AgUiEvent[], id: string): string {
  const last = events.length - 1;
  return events.map((event, place) => (place < last ? frame(event) : frame(event, id))).join("");
}

function marksText(marks: readonly SpokenMark[]): string {
  if (marks.length === 0) return "";
  const texts = marks.map(({ messageId, length, hash, thoughtLength, spans, isOpen, isThinking }) =>
    [messageId, length, hash, thoughtLength, spans, Number(isOpen), Number(isThinking)].join(":"),
  );
  return `~${texts.join(",")}`;
}

const MARK = /^(\w+):(\d+):(\w+):(\d+):(\d+):([01]):([01])$/;

/** Returns undefined for a foreign id: the stream then starts at its beginning. */
function cursorOf(id: string | null | undefined): Cursor | undefined {
  const [, seq, place, marks = ""] = /^(\d{1,15})(?:\.(\d{1,6}))?(?:~(.+))?$/.exec(id ?? "") ?? [];
  if (seq === undefined) return undefined;
  const read = marks.split(",").flatMap((text): SpokenMark[] => {
    const [, messageId = "", length, hash = "", thoughtLength, spans, isOpen, isThinking] =
      MARK.exec(text) ?? [];
    if (messageId === "") return [];
    const flags = { isOpen: isOpen === "1", isThinking: isThinking === "1" };
    const lengths = {
      length: Number(length),
      thoughtLength: Number(thoughtLength),
      spans: Number(spans),
    };
    return [{ messageId, hash, ...lengths, ...flags }];
  });
  return {
    seq: Number(seq),
    ...(place === undefined ? undefined : { place: Number(place) }),
    marks: read,
  };
}
