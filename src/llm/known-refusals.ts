// Parts of a request a model or its server refuses, and the request without them.
//
//   RFP1. After a refusal that names a part of the request, the request is repeated without it, or with the next
//         possible form, within the same attempt. Any other refusal is final.
//   RFP2. A refused part is remembered for the model, so the next request leaves it out at once.
//
// Wordings are from providers' references and from public reports, looked up in November 2026.
import type { EngineError } from "../base/error.ts";
import { REQUEST_SETTINGS } from "./answer-settings.ts";
import type { JsonObject } from "../base/json.ts";
import { keywordPart, MESSAGE_PARTS, unknownKeyword } from "./refused-messages.ts";
import type { RefusedPart } from "./refused-part.ts";
import { OPENAI_SETTINGS } from "./openai-settings.ts";
import {
  jsonMode,
  left,
  limited,
  looseFormat,
  renamed,
  systemAsUser,
  withCalledTools,
  withoutCachePoints,
  withoutFormat,
  withoutSignatures,
  withoutToolConfig,
  withToolsAlone,
} from "./request-cuts.ts";
import type { RequestSettings } from "./request-settings.ts";

/** Settings a request can do without. */
const SETTINGS = [...OPENAI_SETTINGS, "stop_sequences", "effort"] as const;

const REFUSES =
  /unsupported|n[o']t supported|n[o']t support|only support|unknown|unrecogni[sz]ed|not permitted|not allowed|not available|extra (?:inputs|fields)|unexpected|deprecated|may only be|only the default|incompatible|not enabled/;
const FORMAT =
  /response[_ ]?format|json_?schema|json schema|structured output|guided (?:decoding|json)|json mode|response ?mime ?type|outputconfig|constraint/;

export const KNOWN_REFUSALS: readonly RefusedPart[] = [
  {
    name: "max_completion_tokens",
    refused: (message) => /max_tokens.*max_completion_tokens/s.test(message),
    without: renamed("max_tokens", "max_completion_tokens"),
  },
  {
    name: "max_tokens",
    refused: (message) => message.includes("max_completion_tokens") && REFUSES.test(message),
    without: renamed("max_completion_tokens", "max_tokens"),
  },
  // "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
  {
    name: "top_p beside temperature",
    refused: (message) => /temperature.*top_p.*(?:both|only one)/s.test(message),
    without: left("top_p"),
  },
  {
    name: "tool_choice",
    refused: (message) => /tool_?choice/.test(message) && REFUSES.test(message),
    without: (body) => (body["tool_choice"] === "none" ? undefined : left("tool_choice")(body)),
  },
  // "This model doesn't support tool use in streaming mode.", "Your organization must be verified to stream this model."
  {
    name: "stream",
    refused: (message) =>
      /(?:n[o']t|un) ?support(?:ed)?\b.*\bstream(?:ing|ed)?\b(?!_)|verified to stream/s.test(
        message,
      ),
    without: left("stream"),
  },
  // "Function calling with a response mime type: 'application/json' is unsupported": the work needs the tools.
  {
    name: "a format beside tools",
    refused: (message) => /(?:function calling|tool use) with a response mime type/.test(message),
    without: withToolsAlone,
  },
  // From an enforced schema, over a locally checked one, and JSON of any shape, to words in the prompt.
  {
    name: "strict schema",
    refused: (message) => /strict|invalid schema/.test(message) && FORMAT.test(message),
    without: looseFormat,
  },
  {
    name: "schema",
    refused: (message) => FORMAT.test(message) && REFUSES.test(message),
    without: jsonMode,
  },
  {
    name: "response_format",
    refused: (message) => FORMAT.test(message) && REFUSES.test(message),
    without: withoutFormat,
  },
  {
    name: "system role",
    refused: (message) =>
      /(?:system|developer) (?:role|instruction|message|prompt)s?\b.*not (?:supported|enabled|allowed)|n[o']t support.*(?:system|developer) (?:role|instruction|message|prompt)|role' does not support '(?:system|developer)'/s.test(
        message,
      ),
    without: systemAsUser,
  },
  // LiteLLM, Bedrock and Anthropic behind OpenAI's dialect: a conversation with calls has to name tools.
  {
    name: "a conversation with calls and no tools",
    refused: (message) => /\btool(?:s|config)\b.*must be (?:defined|specified|set)/s.test(message),
    without: withCalledTools,
  },
  // Bedrock: a schema may be sent as a tool, tools may be refused, prefixes may not be cached.
  {
    name: "tools of an answer",
    refused: (message) => /n[o']t support tool use/.test(message),
    without: withoutToolConfig,
  },
  {
    name: "cache points",
    refused: (message) => /prompt caching|cache_?point/.test(message),
    without: withoutCachePoints,
  },
  // Gemini: "Penalty is not enabled for this model", "Budget 0 is invalid. This model only works in thinking mode."
  {
    name: "penalties",
    refused: (message) => /penalty is not enabled/.test(message),
    without: left("frequency_penalty", "presence_penalty"),
  },
  {
    name: "thinking",
    refused: (message) =>
      /thinking/.test(message) && /budget|level|only works|not supported/.test(message),
    without: left("thinking_config"),
  },
  {
    name: "signatures of thoughts",
    refused: (message) =>
      /thought.?signature/.test(message) && /missing|invalid|corrupt|not valid/.test(message),
    without: withoutSignatures,
    once: true,
  },
  ...MESSAGE_PARTS,
  ...SETTINGS.map((name): RefusedPart => {
    const spelled = name.replaceAll("_", "_?");
    const names = new RegExp(`(?:^|[^a-z_])${spelled}(?:[^a-z_]|$)`);
    // A letter alone is a word of a sentence; a setting is in quotes.
    const quoted = new RegExp(`['"\`.[]${spelled}['"\`\\]]?(?:[^a-z_]|$)`);
    return {
      name,
      refused: (message) =>
        (name.length > 4 ? names : quoted).test(message) && REFUSES.test(message),
      without: left(name),
    };
  }),
];

/** Settings of a request, by their request parts. */
const LEFT_OUT: Readonly<Record<string, keyof RequestSettings>> = {
  temperature: "temperature",
  top_p: "topP",
  "top_p beside temperature": "topP",
  seed: "seed",
  frequency_penalty: "frequencyPenalty",
  presence_penalty: "presencePenalty",
  reasoning_effort: "reasoningEffort",
  parallel_tool_calls: "parallelToolCalls",
};

const BY_NAME = new Map(KNOWN_REFUSALS.map((part) => [part.name, part]));

function partNamed(name: string): Pick<RefusedPart, "without" | "once"> | undefined {
  return name.startsWith(LIMIT)
    ? limitPart(Number(name.slice(LIMIT.length)))
    : (BY_NAME.get(name) ?? keywordPart(name));
}

/** Returns the name of the part of `body` behind a refusal; undefined if the refusal is final. */
export function refusedPart(message: string, body: JsonObject): string | undefined {
  const text = message.toLowerCase();
  const most = longestAnswer(text);
  const named = [most === undefined ? undefined : `${LIMIT}${most}`, unknownKeyword(text)];
  return (
    named.find((name) => name && partNamed(name)?.without(body) !== undefined) ??
    KNOWN_REFUSALS.find(({ refused, without }) => refused(text) && without(body) !== undefined)
      ?.name
  );
}

/** Requests of one call, each without the parts refused so far. */
export class FittedRequests {
  readonly #ofModel: Set<string>;
  /** A copy: calls of one model at the same time learn by themselves. */
  readonly #refused: Set<string>;
  #sent: JsonObject = {};
  #leftOut: readonly string[] = [];

  /** `ofModel` has the names of parts the model has refused; this call adds its own findings. */
  constructor(ofModel: Set<string>) {
    this.#ofModel = ofModel;
    this.#refused = new Set(ofModel);
  }

  /** The whole request as it goes out. */
  readonly fit = <Body extends object>(body: Body): Body => {
    let fitting = body as unknown as JsonObject;
    const leftOut: string[] = [];
    for (const name of this.#refused) {
      const without = partNamed(name)?.without(fitting);
      if (without === undefined) continue;
      fitting = without;
      leftOut.push(name);
    }
    this.#leftOut = leftOut;
    this.#sent = fitting;
    return fitting as unknown as Body;
  };

  /** Returns the answer to the last request, with the left-out settings of `asked`. */
  answered<Answer extends object>(answer: Answer, asked: RequestSettings | undefined): Answer {
    if (asked === undefined || this.#leftOut.length === 0) return answer;
    const ignored = REQUEST_SETTINGS.filter(
      (name) => asked[name] !== undefined && this.#leftOut.some((part) => LEFT_OUT[part] === name),
    );
    return ignored.length === 0 ? answer : { ...answer, ignored };
  }

  /** True if the next request will differ, without a part named by this refusal. */
  learns({ code, message }: EngineError): boolean {
    const isFull = code === "context_window_exceeded";
    if (code !== "model_rejected" && !isFull) return false;
    const part = refusedPart(message, this.#sent);
    if (part === undefined || this.#refused.has(part)) return false;
    if (isFull && !part.startsWith(LIMIT)) return false;
    this.#refused.add(part);
    // The remaining room of this conversation does not apply to the next one.
    if (!isFull && partNamed(part)?.once !== true) this.#ofModel.add(part);
    return true;
  }

  /** True if the next request omits this part. */
  has(name: string): boolean {
    return this.#refused.has(name);
  }
}

/** Name of the lesson about a model's maximum answer tokens. */
const LIMIT = "answers of at most ";

/** "This model supports at most 4096 completion tokens", "expected a value <= 12288, but got 32000", "64000 > 8192, which is the maximum". */
const LONGEST =
  /at most (\d+) (?:completion|output) tokens|expected a value <= (\d+)|\d+ > (\d+), which is the maximum|less than or equal to [`']?(\d+)|range of max_tokens (?:should be|is) \[1, (\d+)\]|exceeds the model limit of (\d+)/;

/** Patterns for tokens of the window and of the request, in a refusal that leaves room for a shorter answer. */
const ROOMS: readonly RegExp[] = [
  // Anthropic: "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000"
  /exceed context limit: (?<used>\d+) \+ \d+ > (?<window>\d+)/,
  // OpenAI, vLLM, OpenRouter: "maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 …"
  /maximum context length is (?<window>\d+) tokens.*\((?:about )?(?<used>\d+) (?:in the messages|of text input|in your prompt)/s,
  // Text Generation Inference, Together: "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 64 `inputs` tokens
  // and 4090 …"
  /`max_new_tokens` must be <= (?<window>\d+)\. given: (?<used>\d+) `inputs`/,
];

/** An answer of fewer tokens is not worth a request. */
const LEAST_ROOM = 256;

/** Returns the maximum answer tokens named by a refusal. */
function longestAnswer(message: string): number | undefined {
  for (const room of ROOMS) {
    const { window, used } = room.exec(message)?.groups ?? {};
    if (window === undefined) continue;
    const most = Number(window) - Number(used);
    return most >= LEAST_ROOM ? most : undefined;
  }
  if (!/max_(?:completion_|output_)?tokens|maximum tokens/.test(message)) return undefined;
  const most = Number(LONGEST.exec(message)?.slice(1).find(Boolean));
  return most > 0 ? most : undefined;
}

function limitPart(most: number): Pick<RefusedPart, "without" | "once"> {
  return { without: limited(LIMIT_FIELDS, most) };
}

const LIMIT_FIELDS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
