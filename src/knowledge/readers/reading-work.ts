// What reading one document may cost.
//
//   RW1. What is read is counted while it is read, in characters and parts, and ends at a bound that the error names. So a small
//        file that stands for much is refused before much is made of it.
//   RW2. Others run between pieces of work: no reading keeps the thread for longer than one of them takes.
import { EngineError } from "../../base/error.ts";
import { systemClock } from "../../base/system.ts";

/** Of one document: characters, and parts such as cells and elements as some each. */
const MAX_WORK = 300_000_000;
/** Of one go: a few hundredths of a second. */
const WORK_PER_GO = 500_000;
/** Elements in one another. Programs nest far less than a hundred; people's pages leave some unclosed. */
const MAX_DEPTH = 1_000;

export class ReadingWork {
  readonly #what: string;
  #done = 0;
  #sincePause = 0;

  /** `what` the document is, for messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Throws `limit_exceeded` when the document takes too much (RW1). */
  spend(units: number): void {
    this.#done += units;
    this.#sincePause += units;
    if (this.#done > MAX_WORK)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} takes more than ${MAX_WORK} units of work to read, which is all that is done for one document: split it up`,
      );
  }

  /** Throws `limit_exceeded` for elements too deep in one another, and counts what depth costs. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} has elements nested more than ${MAX_DEPTH} deep, which is too deep to read`,
      );
    this.spend(10 + depth);
  }

  /** Lets others run, if enough was done since they last could (RW2). To be awaited between pieces of work. */
  async pause(): Promise<void> {
    if (this.#sincePause < WORK_PER_GO) return;
    this.#sincePause = 0;
    await new Promise<void>((resolve) => systemClock.after(0, resolve));
  }
}
