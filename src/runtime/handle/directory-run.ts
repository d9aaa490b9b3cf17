import { sleep, type Clock } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { eventStreamParser } from "../../base/event-stream-parser.ts";
import type { JsonValue } from "../../base/json.ts";
import { CALL } from "../../base/method-class.ts";
import { isShown } from "../../wire/event-view.ts";
import { withSnapshots } from "../../wire/call-words.ts";
import { TERMINAL_EVENTS, type LiveEvent, type RunEvent } from "../../events/run-event.ts";
import { outputOf } from "./local-run.ts";
import type { RunDirectory } from "../run-directory.ts";
import { OperationsHandle, type EventsOptions, type RunHandle } from "./run-handle.ts";
import type { HandleOperation, OperationInput, OperationResult } from "../run-operations.ts";
import { isTerminal } from "../run.ts";

const POLL_MS = 25_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Number of failed connections in a row after which the reader gets an error. */
const MAX_FAILURES = 5;

/** A run of a directory, for code of the same Worker: without HTTP and keys in between. */
export class DirectoryRun extends OperationsHandle implements RunHandle {
  readonly id: string;
  readonly #runs: RunDirectory;
  readonly #tenant: string;
  readonly #clock: Clock;
  readonly #resting = new Set<() => void>();

  constructor(id: string, at: { runs: RunDirectory; tenant: string; clock: Clock }) {
    super();
    this.id = id;
    this.#runs = at.runs;
    this.#tenant = at.tenant;
    this.#clock = at.clock;
  }

  override async [CALL]<Name extends HandleOperation>(
    operation: Name,
    input: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    const result = await this.#runs[CALL](operation, [this.#tenant, this.id, ...input]);
    if (operation !== "status") for (const resolve of this.#resting) resolve();
    return result;
  }

  async *events(options: EventsOptions = {}): AsyncGenerator<RunEvent | LiveEvent> {
    const { types, path, signal, onConnection } = options;
    const view = { types: types && withSnapshots(types), path };
    let seq = options.after ?? 0;
    let failures = 0;
    try {
      onConnection?.("connecting");
      for (;;) {
        if (signal?.aborted) return;
        let pauseMs = FIRST_PAUSE_MS;
        const body = await this.#stream(seq, options).catch((error: unknown) => {
          // The object was just moved or restarted. A reader gets an error only if the failures continue.
          if (!EngineError.is(error) || !error.retryable || ++failures > MAX_FAILURES) throw error;
          return undefined;
        });
        if (body === null) return; // no event is left
        if (body === undefined) {
          onConnection?.("retrying", pauseMs);
          await this.#rest(pauseMs, signal);
          continue;
        }
        failures = 0;
        onConnection?.("live");
        for await (const event of eventsFrom(body, (ms) => (pauseMs = ms), signal)) {
          if (signal?.aborted) return;
          if ("seq" in event) seq = event.seq;
          if (isShown(view, event)) yield event;
          if (TERMINAL_EVENTS.has(event.type)) return;
        }
        onConnection?.("retrying", pauseMs);
        await this.#rest(pauseMs, signal);
      }
    } finally {
      onConnection?.("ended");
    }
  }

  async output(): Promise<JsonValue> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const run = await this.#runs.settled(this.#tenant, this.id, POLL_MS);
      if (isTerminal(run.status)) return outputOf(run);
      if (run.status !== "waiting") pauseMs = FIRST_PAUSE_MS;
      else if (!(await this.#hearsEnd())) await this.#rest(pauseMs);
    }
  }

  async #hearsEnd(): Promise<boolean> {
    for await (const _ of this.events({ types: [...TERMINAL_EVENTS] })) return true;
    return false;
  }

  async #stream(
    after: number,
    { types, path, slim, words }: EventsOptions,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const query = new URLSearchParams({ after: String(after), follow: "1" });
    if (types !== undefined) query.set("types", types.join(","));
    if (path !== undefined) query.set("path", path);
    if (slim === true) query.set("slim", "1");
    if (words !== undefined) query.set("words", words);
    const request = new Request(`https://run/events?${query.toString()}`);
    const { body } = await this.#runs.events(this.#tenant, this.id, request);
    return body;
  }

  /** Waits before it asks again, and not when this handle itself has put the run back to work. */
  async #rest(delayMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resting.add(resolve);
    const asleep = sleep(this.#clock, delayMs, signal).catch(() => undefined);
    await Promise.race([promise, asleep]);
    this.#resting.delete(resolve);
  }
}

/** The events of one stream, which its object ends when the run waits. */
async function* eventsFrom(
  body: ReadableStream<Uint8Array>,
  onRetry: (ms: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent | LiveEvent> {
  const parse = eventStreamParser(onRetry);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => BROKEN_OFF);
      if (done) return;
      for (const { data } of parse(decoder.decode(value, { stream: true })))
        yield JSON.parse(data) as RunEvent | LiveEvent;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await reader.cancel().catch(() => undefined);
  }
}

/** The object was moved or restarted: the next stream continues from here. */
const BROKEN_OFF = { done: true, value: undefined } as const;
