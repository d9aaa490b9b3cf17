/** Streams: a run as the text of its models, or as frames sorted by channel. */

/** Result of `stream()` of a crew or a flow; `chunksOf` makes one from any run. */
export { chunksOf, type RunStream, type StreamChunk } from "../runtime/handle/run-stream.ts";
/** Every event of a run as a frame. */
export { frames, type FrameSession } from "../runtime/handle/frame-session.ts";
export type { StreamChannel, StreamFrame } from "../events/stream-frame.ts";
/** Combines events into the text of model calls so far: the rule for chunks, snapshots, attempts and ends of calls. */
export { foldWords, type CallWords, type ToolCallWords, type Words } from "../wire/call-words.ts";
