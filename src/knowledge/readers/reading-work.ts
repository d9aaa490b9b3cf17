// Limits for reading one document.
//
//   RW1. Reading counts characters and parts as it goes, and stops at a limit named in the error. So a small file that
//        expands is refused early.
//   RW2. Other work runs between pieces of reading: the thread is blocked for at most one piece.
import { EngineError } from "../../base/error.ts";
import { systemClock } from "../../base/system.ts";

/** Work limit of one document: characters, plus a number of them for each part, such as a cell or an element. */
const MAX_WORK = 300_000_000;
/** Work between two pauses: a few hundredths of a second. */
const WORK_PER_GO = 500_000;
/** Maximum nesting of elements. Generated pages nest far less than a hundred; hand-written ones leave some unclosed. */
const MAX_DEPTH = 1_000;

export class ReadingWork {
  readonly #what: string;
  #done = 0;
  #sincePause = 0;

  /** `what` names the document in messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Throws `limit_exceeded` for excessive work on a document (RW1). */
  spend(units: number): void {
    this.#done += units;
    this.#sincePause += units;
    if (this.#done > MAX_WORK)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} takes more than ${MAX_WORK} units of work to read, which is all that is done for one document: split it up`,
      );
  }

  /** Throws `limit_exceeded` for too deep nesting, and counts the cost of depth. */
  enter(depth: number): void {
    if (depth > MAX_DEPTH)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} has elements nested more than ${MAX_DEPTH} deep, which is too deep to read`,
      );
    this.spend(10 + depth);
  }

  /** Lets other work run, after enough work since the last pause (RW2). Callers await it between pieces of work. */
  async pause(): Promise<void> {
    if (this.#sincePause < WORK_PER_GO) return;
    this.#sincePause = 0;
    await new Promise<void>((resolve) => systemClock.after(0, resolve));
  }
}
