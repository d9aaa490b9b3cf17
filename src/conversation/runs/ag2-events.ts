// A run's events as AG2's: the same events under AG2's names and in its envelopes.
//
//   AGV1. A function of the run's events from the first one on: the same log produces the same envelopes, with the same
//         `uuid`s.
//   AGV2. The end of the run, or of the selected chat, comes last: `run_completion`, or `error`.
import { uuidOf } from "../../base/hash.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { Ag2Fold, belongsTo } from "./ag2-fold.ts";
import type { Ag2Draft, Ag2Event } from "./ag2-contents.ts";
import { draftsOf } from "./ag2-table.ts";

/** Reads the events of one run, or of one chat in it, each once and in order. */
export class Ag2View {
  readonly #chat: string | undefined;
  readonly #fold = new Ag2Fold();
  #hasEnded = false;

  /** `chat`: the path of the only selected chat. @default the whole run */
  constructor(chat?: string) {
    this.#chat = chat;
  }

  /** True once the last event was read. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Converts an event to AG2's: one event, several, or an empty list. */
  read(event: RunEvent | LiveEvent): readonly Ag2Event[] {
    if (this.#hasEnded || !belongsTo(this.#chat, event)) return [];
    this.#fold.add(event);
    const drafts = draftsOf(event, this.#fold, this.#chat);
    this.#hasEnded = drafts.some(isLast);
    return drafts.map((draft, index) => enveloped(draft, `${identityOf(event)}:${index}`));
  }
}

/**
 * Yields all events of a run in AG2's envelopes. It needs the run's events from the first one on, as its handle has
 * them.
 */
export async function* ag2Events(
  events: Iterable<RunEvent | LiveEvent> | AsyncIterable<RunEvent | LiveEvent>,
  { chat }: { /** The path of the only selected chat. */ readonly chat?: string } = {},
): AsyncGenerator<Ag2Event> {
  const view = new Ag2View(chat);
  for await (const event of events) {
    yield* view.read(event);
    if (view.hasEnded) return;
  }
}

function isLast({ type }: Ag2Draft): boolean {
  return type === "run_completion" || type === "error";
}

function enveloped({ type, content }: Ag2Draft, identity: string): Ag2Event {
  return { type, content: { uuid: uuidOf(identity), ...content } } as Ag2Event;
}

/** Pieces of one model call share an id; their offsets differ. */
function identityOf(event: RunEvent | LiveEvent): string {
  const { runId, id } = event;
  const piece = event.type === "llm_stream_chunk" ? `:${event.attempt}:${event.offset}` : "";
  return `${runId}:${id}${piece}`;
}
