// A run as a stream of its models' text.
//
//   ST1. Every chunk names its task and agent.
//   ST2. A model call without chunks, or completed before the first reader, comes as one chunk.
//   ST3. The result is available only after the last chunk.
//   ST4. A chunk with `reset` voids the earlier chunks of its call. The chunks of a call after the last reset are
//        exactly its answer.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import { callIdOf, foldCall, type CallWords } from "../../wire/call-words.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { EventTracer, type Traced } from "../../events/traced-event.ts";
import { Replayable } from "./replayable.ts";
import type { RunHandle } from "./run-handle.ts";

/** A piece of a model's answer. */
export type StreamChunk = {
  readonly content: string;
  readonly chunkType: "text" | "tool_call";
  /** Place of the task in the order of task beginnings, from 0. */
  readonly taskIndex: number;
  readonly taskName: string;
  /** Step key of the task. */
  readonly taskId: string;
  readonly agentRole: string;
  readonly toolCall: StreamToolCall | null;
  /** Step key of the model call. */
  readonly callId: string;
  /** True: forget all chunks of this call so far. It is attempted again, or failed, and this chunk is its new beginning. */
  readonly reset?: true;
};

export type StreamToolCall = {
  readonly toolId: string;
  readonly toolName: string;
  /** Additional text of the arguments, as JSON text. */
  readonly arguments: string;
  readonly index: number;
};

type State<Result> =
  | { readonly kind: "open" }
  | { readonly kind: "completed"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "cancelled" };

/** A streamed run, and its result once it has completed. */
export type StreamedRun<Result> = {
  readonly handle: RunHandle;
  readonly result: () => Promise<Result>;
};

/** The chunks of a run, as often as one likes; the run starts with the first reading. */
export class RunStream<Result = JsonValue> implements AsyncIterable<StreamChunk> {
  readonly #start: () => StreamedRun<Result>;
  readonly #chunks = new Replayable<StreamChunk>(() => this.#read());
  #run: StreamedRun<Result> | undefined;
  #state: State<Result> = { kind: "open" };

  constructor(start: () => StreamedRun<Result>) {
    this.#start = start;
  }

  /** Handle of the run; starts it. For actions beyond a stream: answering a wait, reading its status. */
  get handle(): RunHandle {
    return (this.#run ??= this.#start()).handle;
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamChunk> {
    return this.#chunks[Symbol.asyncIterator]();
  }

  /** The chunks so far. */
  get chunks(): readonly StreamChunk[] {
    return this.#chunks.items;
  }

  /** Returns all text so far, one model call after the other, without tool calls and text voided by a reset. */
  getFullText(): string {
    const texts = new Map<string, string[]>();
    for (const { callId, content, chunkType, reset } of this.chunks) {
      const said = (!reset && texts.get(callId)) || [];
      if (chunkType === "text") said.push(content);
      texts.set(callId, said);
    }
    return [...texts.values()].flat().join("");
  }

  /** Throws `conflict` until the last chunk has been read, the run's error when it failed, `run_cancelled` after `close()`. */
  get result(): Result {
    const state = this.#state;
    if (state.kind === "completed") return state.result;
    if (state.kind === "failed") throw state.error;
    if (state.kind === "cancelled")
      throw new EngineError("run_cancelled", "the stream was closed before its end");
    throw new EngineError("conflict", "the stream has no result yet: read it to its end first");
  }

  /** True after the last chunk of a completed run. */
  get isCompleted(): boolean {
    return this.#state.kind === "completed";
  }

  get isCancelled(): boolean {
    return this.#state.kind === "cancelled";
  }

  /** Cancels the run. Has no effect after its end, an error or an earlier `close()`. */
  async close(): Promise<void> {
    if (this.#state.kind !== "open") return;
    this.#state = { kind: "cancelled" };
    try {
      await this.#run?.handle.cancel("the stream was closed");
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict") throw error; // it has ended meanwhile
    }
  }

  async *#read(): AsyncGenerator<StreamChunk> {
    if (this.isCancelled) return;
    const reader = new ChunkReader();
    try {
      const { handle, result: outcome } = (this.#run ??= this.#start());
      for await (const event of handle.events()) {
        for (const chunk of reader.read(event)) {
          if (this.isCancelled) return;
          yield chunk;
        }
      }
      const result = await outcome();
      if (!this.isCancelled) this.#state = { kind: "completed", result };
    } catch (error) {
      if (this.isCancelled) return;
      this.#state = { kind: "failed", error };
      throw error;
    }
  }
}

/** The chunks of a run wherever it lives; it need not stream. */
export function chunksOf(handle: RunHandle): RunStream {
  return new RunStream(() => ({ handle, result: () => handle.output() }));
}

class ChunkReader {
  readonly #tracer = new EventTracer();
  readonly #taskIndexes = new Map<string, number>();
  /** Open model calls. */
  readonly #calls = new Map<string, CallWords>();
  /** Ended calls: late chunks add no text to them. */
  readonly #ended = new Set<string>();

  read(event: RunEvent | LiveEvent): readonly StreamChunk[] {
    const traced = this.#tracer.trace(event);
    if (traced.type === "task_started") this.#taskIndexes.set(traced.path, this.#taskIndexes.size);
    const callId = callIdOf(traced);
    if (callId === undefined || this.#ended.has(callId)) return [];
    const before = this.#calls.get(callId);
    const after = foldCall(before, traced);
    if (after === undefined || after === before) return [];
    if (after.done) {
      this.#calls.delete(callId);
      this.#ended.add(callId);
    } else this.#calls.set(callId, after);
    return this.#between(before, after, traced);
  }

  /** Returns the chunks between the text before and after an event. */
  #between(before: CallWords | undefined, after: CallWords, event: Traced): StreamChunk[] {
    const { taskId = "", taskName = "", agentRole = "" } = event;
    // A chunk at the end of a long text needs no comparison of the text.
    const isNext =
      event.type === "llm_stream_chunk" &&
      !event.reset &&
      before?.attempt === after.attempt &&
      after.text.length === before.text.length + event.chunk.length;
    const isMore = before === undefined || isNext || isBeginning(before, after);
    const known = isMore ? before : undefined;
    const pieces: Array<Pick<StreamChunk, "content" | "toolCall">> = [];
    const text = after.text.slice(known?.text.length ?? 0);
    // A reset comes with its new text, even an empty one.
    if (text !== "" || !isMore) pieces.push({ content: text, toolCall: null });
    for (const call of after.toolCalls) {
      const old = known?.toolCalls.find(({ index }) => index === call.index);
      if (old === call) continue;
      const args = call.arguments.slice(old?.arguments.length ?? 0);
      if (old !== undefined && args === "" && old.id === call.id && old.name === call.name)
        continue;
      const { id: toolId, name: toolName, index } = call;
      pieces.push({ content: "", toolCall: { toolId, toolName, arguments: args, index } });
    }
    return pieces.map(({ content, toolCall }, place) => ({
      content,
      chunkType: toolCall === null ? "text" : "tool_call",
      taskIndex: this.#taskIndexes.get(taskId) ?? 0,
      taskName,
      taskId,
      agentRole,
      toolCall,
      callId: after.callId,
      ...(!isMore && place === 0 ? { reset: true } : undefined),
    }));
  }
}

/** True if no earlier text must be withdrawn. */
function isBeginning(before: CallWords, after: CallWords): boolean {
  if (before.attempt !== after.attempt && !isSilent(before)) return false;
  return (
    after.text.startsWith(before.text) &&
    before.toolCalls.every((old) =>
      after.toolCalls.some(
        (call) => call.index === old.index && call.arguments.startsWith(old.arguments),
      ),
    )
  );
}

function isSilent({ text, toolCalls }: CallWords): boolean {
  return text === "" && toolCalls.length === 0;
}
