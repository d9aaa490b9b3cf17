import { anyText } from "../../base/any-text.ts";
import type { EventStore } from "../../events/event-log.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { lengthOf, newText } from "./commit-log.ts";
import type { KeptEvent } from "./run-state.ts";
import type { StateAccess } from "./sql-journal-store.ts";

/** Events of a run in its object's storage. */
export class SqlEventStore implements EventStore {
  readonly #access: StateAccess;

  constructor(access: StateAccess) {
    this.#access = access;
  }

  append(event: RunEvent): void {
    const { seq, id } = event;
    this.#access.write((state) => state.addEvent({ seq, id, text: newText(anyText(event)) }));
  }

  *ids(): Iterable<string> {
    for (const { id } of this.#access.read().events) yield id;
  }

  read(afterSeq: number, limit: number, maxLength?: number): readonly RunEvent[] {
    const { events } = this.#access.read();
    const from = placeAfter(events, afterSeq);
    return this.#parsed(events.slice(from, from + limit), maxLength);
  }

  readBack(beforeSeq: number, limit: number, maxLength?: number): readonly RunEvent[] {
    const { events } = this.#access.read();
    const end = placeAfter(events, beforeSeq - 1);
    const page = events.slice(Math.max(0, end - limit), end).toReversed();
    return this.#parsed(page, maxLength);
  }

  lastSeq(): number {
    return this.#access.read().events.at(-1)?.seq ?? 0;
  }

  #parsed(page: readonly KeptEvent[], maxLength = Number.POSITIVE_INFINITY): readonly RunEvent[] {
    const found: RunEvent[] = [];
    let length = 0;
    for (const { text } of page) {
      length += lengthOf(text);
      if (length > maxLength && found.length > 0) break;
      found.push(JSON.parse(this.#access.log.read(text)) as RunEvent);
    }
    return found;
  }
}

/** Returns the place of the first event after `seq`. */
function placeAfter(events: readonly KeptEvent[], seq: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
