// A run as the words that its models say.
//
//   ST1. Every chunk names the task and the agent that it belongs to.
//   ST2. A model call whose pieces nobody sent, or that was over before anybody listened, comes as one chunk.
//   ST3. There is a result only after the last chunk.
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { LiveEvent, RunEvent } from "../../events/run-event.ts";
import { EventTracer, type Traced } from "../../events/traced-event.ts";
import type { ToolCall } from "../../llm/language-model.ts";
import { Replayable } from "./replayable.ts";
import type { RunHandle } from "./run-handle.ts";

/** A piece of what a model says. */
export type StreamChunk = {
  readonly content: string;
  readonly chunkType: "text" | "tool_call";
  /** Place of the task in the order in which tasks were begun, from 0. */
  readonly taskIndex: number;
  readonly taskName: string;
  /** Step key of the task. */
  readonly taskId: string;
  readonly agentRole: string;
  readonly toolCall: StreamToolCall | null;
};

export type StreamToolCall = {
  readonly toolId: string;
  readonly toolName: string;
  /** What was added to the arguments, as JSON text. */
  readonly arguments: string;
  readonly index: number;
};

type State<Result> =
  | { readonly kind: "open" }
  | { readonly kind: "completed"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "cancelled" };

/** A run that is streamed, and what it comes to once it has completed. */
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

  /** The run; starts it. For what a stream cannot do: answer a wait, read its status. */
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

  /** All text so far, tool calls left out. */
  getFullText(): string {
    const texts = this.chunks.filter(({ chunkType }) => chunkType === "text");
    return texts.map(({ content }) => content).join("");
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

  /** True after the last chunk of a run that completed. */
  get isCompleted(): boolean {
    return this.#state.kind === "completed";
  }

  get isCancelled(): boolean {
    return this.#state.kind === "cancelled";
  }

  /** Cancels the run. Does nothing after its end, an error or an earlier `close()`. */
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
  /** Model calls of which pieces have come. */
  readonly #streamed = new Set<string>();

  read(event: RunEvent | LiveEvent): readonly StreamChunk[] {
    const traced = this.#tracer.trace(event);
    switch (traced.type) {
      case "task_started":
        this.#taskIndexes.set(traced.path, this.#taskIndexes.size);
        return [];
      case "llm_stream_chunk":
        this.#streamed.add(traced.callId);
        return [this.#chunk(traced, traced.chunk, callOf(traced.toolCall))];
      case "llm_call_completed":
        return this.#streamed.delete(traced.callId) ? [] : this.#whole(traced);
      default:
        return [];
    }
  }

  #whole(event: Traced<Extract<RunEvent, { type: "llm_call_completed" }>>): StreamChunk[] {
    const calls = (event.toolCalls ?? []) as readonly ToolCall[];
    const text = event.response === "" ? [] : [this.#chunk(event, event.response, null)];
    const pieces = calls.map((call, index) => this.#chunk(event, "", callOf({ ...call, index })));
    return [...text, ...pieces];
  }

  #chunk(
    { taskId = "", taskName = "", agentRole = "" }: Traced,
    content: string,
    toolCall: StreamToolCall | null,
  ): StreamChunk {
    return {
      content,
      chunkType: toolCall === null ? "text" : "tool_call",
      taskIndex: this.#taskIndexes.get(taskId) ?? 0,
      taskName,
      taskId,
      agentRole,
      toolCall,
    };
  }
}

function callOf(
  call:
    | {
        readonly id?: string;
        readonly name?: string;
        readonly arguments: string;
        readonly index: number;
      }
    | undefined,
): StreamToolCall | null {
  if (call === undefined) return null;
  const { id = "", name = "", index } = call;
  return { toolId: id, toolName: name, arguments: call.arguments, index };
}
