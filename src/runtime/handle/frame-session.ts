import { frameOf, type StreamChannel, type StreamFrame } from "../../events/stream-frame.ts";
import { EventTracer } from "../../events/traced-event.ts";
import { Replayable } from "./replayable.ts";
import type { EventsOptions, RunHandle } from "./run-handle.ts";

export type FrameOptions = Pick<EventsOptions, "after" | "signal"> & {
  /** Only these channels. @default all */
  readonly channels?: readonly StreamChannel[];
};

/** The events of a run as frames: for any number of readers, each from the first frame on, also after the run's end. */
export class FrameSession implements AsyncIterable<StreamFrame> {
  readonly #frames: Replayable<StreamFrame>;
  readonly #channels: readonly StreamChannel[] | undefined;

  constructor(source: Replayable<StreamFrame>, channels: readonly StreamChannel[] | undefined) {
    this.#frames = source;
    this.#channels = channels;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamFrame> {
    for await (const frame of this.#frames)
      if (this.#channels?.includes(frame.channel) ?? true) yield frame;
  }

  /** Yields the frames of some channels, in their order of arrival. */
  interleave(...channels: readonly StreamChannel[]): FrameSession {
    return new FrameSession(this.#frames, channels);
  }

  get llm(): FrameSession {
    return this.interleave("llm");
  }

  get messages(): FrameSession {
    return this.interleave("messages");
  }

  get flow(): FrameSession {
    return this.interleave("flow");
  }

  get tools(): FrameSession {
    return this.interleave("tools");
  }
}

/** A run's events as frames, wherever the run lives. */
export function frames(handle: RunHandle, options: FrameOptions = {}): FrameSession {
  const { channels, ...wanted } = options;
  const read = async function* (): AsyncGenerator<StreamFrame> {
    const tracer = new EventTracer();
    for await (const event of handle.events(wanted)) yield frameOf(tracer.trace(event));
  };
  return new FrameSession(new Replayable(read), channels);
}
