// Required behaviours of every wire with their results: for the test of them, and for the table of docs/providers.md.
import { EngineError } from "../../src/base/error.ts";
import type { ModelRequest, ModelResponse, ToolSpec } from "../../src/llm/language-model.ts";
import { startModelServer, type ModelServer, type ServedReply } from "./model-server.ts";
import { WIRES, type Wire, type WireWords } from "./provider-wires.ts";

export type Behaviour = {
  readonly id: string;
  /** Result, for the page. */
  readonly we: string;
  /** Answer of the provider; undefined without such a behaviour. */
  readonly reply: (words: WireWords) => ServedReply | undefined;
  readonly request?: Partial<ModelRequest>;
  readonly timeoutMs?: number;
  /** Check of the result, whole and streamed alike. */
  readonly wanted: Outcome;
  /** Not for whole answers of wires that have no bound there. */
  readonly streamsAlone?: (words: WireWords) => boolean;
};

/** Result of one call. */
export type Outcome = {
  readonly text?: string;
  readonly calls?: readonly string[];
  readonly end?: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  /** Requests that the provider got; not counted where the call ended by the clock. */
  readonly requests?: number;
};

const WORDS = "Hello – 你好 – there.";
const ARGUMENTS = '{"city":"Ḟoo","days":[1,2.5,null],"deep":{"a":"\\"}"}}';
const TOOL: ToolSpec = {
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const call = (city: string): { name: string; arguments: object } => ({
  name: "weather",
  arguments: { city },
});
const failed = (code: string, retryable: boolean): Outcome => ({ code, retryable, requests: 1 });

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    id: "text",
    we: "the answer",
    reply: () => ({ text: WORDS }),
    wanted: { text: WORDS, end: "stop", requests: 1 },
  },
  {
    id: "tools",
    we: "a call with its arguments unchanged",
    reply: () => ({ toolCalls: [{ name: "weather", arguments: ARGUMENTS }] }),
    request: { tools: [TOOL] },
    wanted: { text: "", calls: [`weather ${ARGUMENTS}`], end: "tool_calls", requests: 1 },
  },
  {
    id: "parallel tools",
    we: "as many calls, each with an id of its own",
    reply: () => ({ text: "Looking.", toolCalls: [call("Rome"), call("Rome"), call("Oslo")] }),
    request: { tools: [TOOL] },
    wanted: {
      text: "Looking.",
      calls: ["Rome", "Rome", "Oslo"].map((city) => `weather {"city":"${city}"}`),
      end: "tool_calls",
      requests: 1,
    },
  },
  {
    id: "structured output",
    we: "JSON of the schema",
    reply: () => ({ text: '{"a":"x"}' }),
    request: {
      responseSchema: {
        name: "answer",
        schema: {
          type: "object",
          properties: { a: { type: "string" } },
          required: ["a"],
          additionalProperties: false,
        },
      },
    },
    wanted: { text: '{"a":"x"}', end: "stop", requests: 1 },
  },
  {
    id: "cut",
    we: "continued, at most four times, and joined",
    reply: ({ cut }) => cut,
    wanted: { text: "The first half of an", end: "length cut", requests: 1 },
  },
  {
    id: "filter",
    we: "`content_filtered`",
    reply: ({ filtered }) => filtered,
    wanted: failed("content_filtered", false),
  },
  {
    id: "refusal",
    we: "`content_filtered`",
    reply: ({ refused }) => refused,
    wanted: failed("content_filtered", false),
  },
  {
    id: "overflow",
    we: "summarised, or left to a model with a larger window",
    reply: ({ overflow }) => overflow,
    wanted: failed("context_window_exceeded", false),
  },
  {
    id: "rate limit",
    we: "tried again after the time in the provider's answer",
    reply: ({ rateLimit }) => rateLimit,
    wanted: { ...failed("model_rate_limited", true), retryAfterMs: 7_000 },
  },
  {
    id: "quota",
    we: "`model_rate_limited`, final",
    reply: ({ quota }) => quota,
    wanted: failed("model_rate_limited", false),
  },
  {
    id: "garbage",
    we: "tried again",
    reply: () => ({ text: WORDS, fault: "garbage" }),
    wanted: failed("model_failed", true),
  },
  {
    id: "hang",
    we: "`timeout`, tried again",
    reply: () => ({ fault: "hang" }),
    timeoutMs: 150,
    wanted: { code: "timeout", retryable: true },
  },
  {
    id: "huge",
    we: "`answer_too_large`, final",
    reply: () => ({ text: "a".repeat(9 * 1024 * 1024) }),
    wanted: failed("answer_too_large", false),
    streamsAlone: ({ boundsWhole }) => boundsWhole === false,
  },
];

/** Result of a behaviour on a wire, whole and streamed. */
export type Result = { readonly whole?: Outcome; readonly streamed: Outcome };

/** Undefined where the provider has no such thing. */
export async function resultOf(wire: Wire, behaviour: Behaviour): Promise<Result | undefined> {
  const reply = behaviour.reply(wire.words);
  if (reply === undefined) return undefined;
  const streamed = await outcomeOf(wire, behaviour, { reply, stream: true });
  if (behaviour.streamsAlone?.(wire.words) === true) return { streamed };
  return { streamed, whole: await outcomeOf(wire, behaviour, { reply, stream: false }) };
}

async function outcomeOf(
  wire: Wire,
  { request, timeoutMs }: Behaviour,
  { reply, stream }: { readonly reply: ServedReply; readonly stream: boolean },
): Promise<Outcome> {
  let requests = 0;
  const answer = (): ServedReply => {
    requests += 1;
    return reply;
  };
  const server: ModelServer = await startModelServer({ reply: answer });
  try {
    const model = wire.model({
      url: server.url,
      stream,
      reply: answer,
      ...(timeoutMs === undefined ? undefined : { timeoutMs }),
    });
    let heard = "";
    const onDelta = (text: string): void => {
      heard += text;
    };
    const said = await model.generate(
      { messages: [{ role: "user", content: "Hello?" }], ...request },
      { signal: new AbortController().signal, ...(stream ? { onDelta } : undefined) },
    );
    return { ...shown(said, stream ? heard : said.text), requests };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const { code, retryable, retryAfterMs } = error;
    if (code === "timeout") return { code, retryable };
    return { code, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), requests };
  } finally {
    await server.stop();
  }
}

function shown({ text, toolCalls, finishReason, end }: ModelResponse, heard: string): Outcome {
  const ids = new Set(toolCalls.map(({ id }) => id));
  const isDistinct = ids.size === toolCalls.length && !ids.has("");
  return {
    text: heard === text ? text : `heard ${heard}, got ${text}`,
    ...(toolCalls.length === 0
      ? undefined
      : {
          calls: toolCalls.map((each) => (isDistinct ? `${each.name} ${each.arguments}` : each.id)),
        }),
    end: end === undefined ? finishReason : `${finishReason} ${end}`,
  };
}

/** A word for each cell of the table. */
export async function cellOf(wire: Wire, behaviour: Behaviour): Promise<string> {
  const result = await resultOf(wire, behaviour);
  if (result === undefined) return "–";
  const wanted = JSON.stringify(sorted(behaviour.wanted));
  const isRight = (outcome: Outcome | undefined): boolean =>
    outcome !== undefined && JSON.stringify(sorted(outcome)) === wanted;
  if (!isRight(result.streamed)) return "no";
  if (result.whole === undefined) return "streams";
  return isRight(result.whole) ? "yes" : "streams";
}

function sorted(outcome: Outcome): object {
  return Object.fromEntries(Object.entries(outcome).toSorted(([a], [b]) => a.localeCompare(b)));
}

/** The table of results of all wires and behaviours. */
export async function resultTable(): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  for (const behaviour of BEHAVIOURS)
    rows.push(await Promise.all(WIRES.map((wire) => cellOf(wire, behaviour))));
  return rows.map((cells, index) => {
    const { id = "", we = "" } = BEHAVIOURS[index] ?? {};
    return [id, ...cells, we];
  });
}
