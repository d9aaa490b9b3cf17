// A call during which its server asks: MCP up to 2025-11-25, where questions come over the open connection.
//
//   XOC1. A question ends the step of its request, and its answer is a durable wait or a model call of the run, as for
//         servers of the newer revisions. The next step hands the answer to the open connection.
//   XOC2. The connection stays open for `HELD_MS` while a question is open, and for no longer than its drive. Where it
//         is gone, or the server gave up, the next step makes the call again, and gives the recorded answers to the same
//         questions. A call is never made again while its server has no open question.
//   XOC3. The time limit of a call does not run while a question is open.
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";
import { EngineError } from "../../../base/error.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { AskedDuringCall } from "./connection.ts";

/**
 * Longest time for an open connection without an answer. The run counts as running meanwhile, and callers over other
 * protocols get the question once it waits.
 */
const HELD_MS = 15_000;

/** Requests of a server by id, and the answers to them. */
type Questions = Readonly<Record<string, JsonValue>>;
type Answers = ReadonlyMap<string, JsonObject>;

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** Parameters of a call on a connection. */
export type CallTry = { readonly signal: AbortSignal; readonly asked: AskedDuringCall };

function nothing(): void {}

export class OpenCall<Result> {
  readonly #end = new AbortController();
  readonly #answers: Answers;
  /** Questions without an answer, by id. */
  readonly #open = new Map<string, { request: JsonValue; reply: (answer: JsonObject) => void }>();
  /** Number of equal questions so far. */
  readonly #repeats = new Map<string, number>();
  readonly #ended: Promise<void>;
  #outcome: Outcome<Result> | undefined;
  #notify: () => void = nothing;

  /** `answers` may grow: it has the answers to all questions of the call so far, by their ids. */
  constructor(answers: Answers, signal: AbortSignal, make: (how: CallTry) => Promise<Result>) {
    this.#answers = answers;
    const how = { signal: AbortSignal.any([signal, this.#end.signal]), asked: this.#asked };
    this.#ended = make(how).then(
      (result) => this.#settle({ result }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  /** True if an answer can still reach the server, or its result needs none. */
  isUsable(isFailure: (result: Result) => boolean): boolean {
    const outcome = this.#outcome;
    return outcome === undefined || ("result" in outcome && !isFailure(outcome.result));
  }

  /** Passes the answers on, and resolves to further questions, or to the result. The signal ends the call. */
  async next(
    signal: AbortSignal,
  ): Promise<{ readonly questions: Questions } | { readonly result: Result }> {
    const stop = (): void => this.close(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        for (const [id, { reply }] of this.#open) {
          const answer = this.#answers.get(id);
          if (answer === undefined) continue;
          this.#open.delete(id);
          reply(answer);
        }
        if (this.#outcome !== undefined) {
          if ("error" in this.#outcome) throw this.#outcome.error;
          return this.#outcome;
        }
        if (this.#open.size > 0) return { questions: this.#questions() };
        await new Promise<void>((resolve) => (this.#notify = resolve));
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Awaits an answer with the connection open, for as long as it may be (XOC2). */
  holding<Answer>(scope: RunScope, answering: Promise<Answer>): Promise<Answer> {
    const late = new EngineError("unavailable", "the question is still open");
    const cancel = scope.clock.after(HELD_MS, () => this.close(late));
    const answered = answering.then(nothing, nothing);
    void scope.during(Promise.race([answered, this.#ended]).finally(cancel));
    return answering;
  }

  close(reason: unknown): void {
    this.#end.abort(reason);
  }

  readonly #asked: AskedDuringCall = ({ method, params }) => {
    const { _meta, elicitationId: _, ...content } = isJsonObject(params ?? null) ? params! : {};
    const digest = sha256Hex(canonicalJson([method, content])).slice(0, 12);
    const count = (this.#repeats.get(digest) ?? 0) + 1;
    this.#repeats.set(digest, count);
    const id = count === 1 ? digest : `${digest}~${count}`;
    return new Promise((reply) => {
      this.#open.set(id, { request: { method, params: content }, reply });
      this.#notify();
    });
  };

  #questions(): Questions {
    return Object.fromEntries(Array.from(this.#open, ([id, { request }]) => [id, request]));
  }

  #settle(outcome: Outcome<Result>): void {
    this.#outcome = outcome;
    this.#notify();
  }
}
