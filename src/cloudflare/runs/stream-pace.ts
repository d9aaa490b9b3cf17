// Interval at which the readers of a run's events are served. Serving takes time of the run's object, in which the run
// executes.
import type { EventLog } from "../../events/event-log.ts";

/** Maximum number of readers that get each event immediately. */
const FEW = 8;
/** Delay for each reader: serving takes a few percent of the object's time for any number of readers. */
const MS_PER_READER = 1;
const MAX_MS = 250;

const paces = new WeakMap<EventLog, StreamPace>();

/** Readers of one run's events. */
export class StreamPace {
  #readers = 0;
  #next: Promise<void> | undefined;

  /** Returns the pace of a run. */
  static of(events: EventLog): StreamPace {
    let pace = paces.get(events);
    if (pace === undefined) paces.set(events, (pace = new StreamPace()));
    return pace;
  }

  /** Counts a reader until the returned function is called. Further calls of the function are harmless. */
  enter(): () => void {
    let isIn = true;
    this.#readers++;
    return () => {
      if (isIn) this.#readers--;
      isIn = false;
    };
  }

  /** Resolves when all readers may get the events collected so far. Undefined means immediately. */
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
