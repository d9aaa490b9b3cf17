// Text of model calls so far: the one rule that turns live chunks into text, for servers, streams and clients alike.
//
//   LW1. The text of a call is a prefix of its latest attempt: no word of an earlier attempt, no word twice, no gap.
//   LW2. A completed call has exactly the text of its response. A call that failed, or will be attempted again, has no
//        text.
//   LW3. A late subscriber starts with a snapshot, and from then on has the same text as a subscriber of every chunk.

/** A call of a tool, as far as the model has written it. */
export type ToolCallWords = {
  /** Place among the calls of this answer, from 0. */
  readonly index: number;
  /** Empty until the provider has named it. */
  readonly id: string;
  readonly name: string;
  /** JSON text, complete once the call of the model is done. */
  readonly arguments: string;
};

/** Text of one model call so far. */
export type CallWords = {
  readonly callId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly text: string;
  /** Thoughts of the model before its answer, if the provider shows them. */
  readonly thinking: string;
  readonly toolCalls: readonly ToolCallWords[];
  /** True once the call is complete. */
  readonly done: boolean;
  readonly agentRole?: string;
  readonly taskName?: string;
  readonly taskId?: string;
};

/** Texts of a run's model calls by `callId`, in the order of their first chunks. */
export type Words = Readonly<Record<string, CallWords>>;

/** Common part of all run events, as far as calls need it. */
type SpokenEvent = { readonly type: string };

type About = Pick<CallWords, "agentRole" | "taskName" | "taskId">;

/** A tool call in a response; its index is its place in the list. */
type SpokenCall = Omit<ToolCallWords, "index"> & { readonly index?: number };

/** Chunks, snapshots and ends of calls name the call; events of steps name its step key, which is the same. */
type Spoken = About & {
  readonly type: string;
  readonly callId?: string;
  readonly key?: string;
  readonly attempt?: number;
  readonly offset?: number;
  readonly reset?: boolean;
  readonly chunk?: string;
  readonly toolCall?: ToolCallWords;
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly SpokenCall[];
  readonly response?: string;
  /** Texts of the event are only beginnings; see `EventView`. */
  readonly cut?: true;
};

/** Returns the id of the event's call; undefined for events without a call. */
export function callIdOf(event: SpokenEvent): string | undefined {
  const { type, callId, key } = event as Spoken;
  if (type === "step_restarted" || type === "step_retrying") return key;
  return type.startsWith("llm_") ? callId : undefined;
}

/**
 * Returns the texts of all calls after one more event of the run. Returns the same object if the event changes no text.
 */
export function foldWords(words: Words, event: SpokenEvent): Words {
  const callId = callIdOf(event);
  if (callId === undefined) return words;
  const before = Object.hasOwn(words, callId) ? words[callId] : undefined;
  const after = foldCall(before, event);
  return after === undefined || after === before ? words : { ...words, [callId]: after };
}

/** Returns the text of one call after one more of its events. Undefined before its first chunk. */
export function foldCall(call: CallWords | undefined, event: SpokenEvent): CallWords | undefined {
  if (call?.done) return call;
  const spoken = event as Spoken;
  switch (spoken.type) {
    case "llm_stream_chunk":
    case "llm_thinking_chunk":
      return withChunk(call, spoken);
    case "llm_stream_snapshot": {
      if (call !== undefined && (spoken.attempt ?? 1) < call.attempt) return call;
      const { text = "", thinking = "", toolCalls = [] } = spoken;
      return { ...silent(spoken), text, thinking, toolCalls: toolCalls.map(indexed) };
    }
    case "step_restarted":
      return call && { ...silent(call), attempt: spoken.attempt ?? call.attempt + 1 };
    case "step_retrying":
      return call && { ...silent(call), attempt: (spoken.attempt ?? call.attempt) + 1 };
    case "llm_call_completed": {
      const { response = "", cut = false } = spoken;
      // A view with cut texts carries only their beginning, so the text received so far is longer.
      if (cut && call?.text.startsWith(response) && call.text !== "")
        return { ...call, done: true };
      const said = { text: response, toolCalls: (spoken.toolCalls ?? []).map(indexed) };
      return { ...(call ?? silent(spoken)), ...said, done: true };
    }
    case "llm_call_failed":
      // Also for a call not seen before: its chunks may arrive late.
      return { ...silent(call ?? spoken), done: true };
    default:
      return call;
  }
}

/** Returns the types, with snapshots added to chunks. Late subscribers cannot read chunks without a snapshot. */
export function withSnapshots(types: Iterable<string>): Set<string> {
  const all = new Set(types);
  if (all.has("llm_stream_chunk") || all.has("llm_thinking_chunk")) all.add("llm_stream_snapshot");
  return all;
}

function withChunk(call: CallWords | undefined, spoken: Spoken): CallWords | undefined {
  const { attempt = call?.attempt ?? 1, chunk = "", toolCall, reset = false } = spoken;
  if (call !== undefined && attempt < call.attempt) return call;
  const isSame = call?.attempt === attempt && !reset;
  const base = isSame ? call : silent({ ...call, ...spoken, attempt });
  const joined = (said: string, more: string): string | undefined =>
    join(said, more, spoken.offset);
  if (toolCall !== undefined) {
    const { index, id, name } = toolCall;
    const old = base.toolCalls.find((each) => each.index === index);
    const args = joined(old?.arguments ?? "", toolCall.arguments);
    if (args === undefined) return base;
    const now = {
      index,
      id: id || (old?.id ?? ""),
      name: name || (old?.name ?? ""),
      arguments: args,
    };
    const others = base.toolCalls.filter((each) => each.index !== index);
    return { ...base, toolCalls: [...others, now].toSorted((a, b) => a.index - b.index) };
  }
  const channel = spoken.type === "llm_thinking_chunk" ? "thinking" : "text";
  const text = joined(base[channel], chunk);
  return text === undefined || text === base[channel] ? base : { ...base, [channel]: text };
}

/**
 * Appends a chunk. Returns undefined if text before it is missing: that text follows with the next snapshot, or with
 * the response.
 */
function join(said: string, more: string, offset = said.length): string | undefined {
  if (offset === said.length) return said + more;
  if (offset > said.length) return undefined;
  const end = offset + more.length;
  // A chunk received before, as over two connections, is skipped; a different text replaces the old one.
  return said.slice(offset, end) === more ? said : said.slice(0, offset) + more;
}

function silent({
  callId = "",
  attempt = 1,
  agentRole,
  taskName,
  taskId,
}: Spoken | CallWords): CallWords {
  return {
    callId,
    attempt,
    text: "",
    thinking: "",
    toolCalls: [],
    done: false,
    ...(agentRole === undefined ? undefined : { agentRole }),
    ...(taskName === undefined ? undefined : { taskName }),
    ...(taskId === undefined ? undefined : { taskId }),
  };
}

function indexed(call: SpokenCall, place: number): ToolCallWords {
  const { index = place, id, name, arguments: args } = call;
  return { index, id, name, arguments: args };
}
