// How often the readers of a run's events are served. Each time takes time of the run's object, in which the run goes on.
import type { EventLog } from "../../events/event-log.ts";

/** Readers who are sent each event as it comes. */
const FEW = 8;
/** How long all readers wait for each of them: they take some percent of the object's time, however many there are. */
const MS_PER_READER = 1;
const MAX_MS = 250;

const paces = new WeakMap<EventLog, StreamPace>();

/** The readers of one run's events. */
export class StreamPace {
  #readers = 0;
  #next: Promise<void> | undefined;

  /** That of a run. */
  static of(events: EventLog): StreamPace {
    let pace = paces.get(events);
    if (pace === undefined) paces.set(events, (pace = new StreamPace()));
    return pace;
  }

  /** Counts a reader, until the returned function is called; it may be called again. */
  enter(): () => void {
    let isIn = true;
    this.#readers++;
    return () => {
      if (isIn) this.#readers--;
      isIn = false;
    };
  }

  /** When all readers are served what has come by then; undefined: now. */
  next(): Promise<void> | undefined {
    if (this.#readers <= FEW) return undefined;
    const ms = Math.min(MAX_MS, this.#readers * MS_PER_READER);
    return (this.#next ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#next = undefined;
        resolve();
      }, ms);
    }));
  }
}
