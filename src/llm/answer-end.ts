// Ends of answers: the reasons of each wire as data, and their meaning (rules WA1 to WA5 of
// docs/design/whole-answers.md). Only a whole answer counts as an answer.
//
// Sources are the providers' references and the code of the servers, looked up in November 2026, and received answers.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { ModelResponse } from "./language-model.ts";

/** Meaning of a reason. `cut`: the limit of its length ended the answer. `failed`: the server did. */
export type AnswerEnd = "whole" | "calls" | "cut" | "filtered" | "refused" | "failed";

/** Reasons of a wire, in lower case. */
export type EndTable = Readonly<Record<string, AnswerEnd>>;

/** Chat completions: OpenAI's own reasons, and those of servers with its dialect. */
export const CHAT_ENDS: EndTable = {
  stop: "whole",
  tool_calls: "calls",
  function_call: "calls",
  length: "cut",
  content_filter: "filtered",
  // Text Generation Inference, Together
  eos: "whole",
  eos_token: "whole",
  stop_sequence: "whole",
  // Gateways in front of Anthropic, Gemini and Cohere
  end_turn: "whole",
  complete: "whole",
  end: "whole",
  tool_use: "calls",
  tool_call: "calls",
  max_tokens: "cut",
  refusal: "refused",
  safety: "filtered",
  recitation: "filtered",
  prohibited_content: "filtered",
  blocklist: "filtered",
  spii: "filtered",
  error_toxic: "filtered",
  error_limit: "cut",
  error: "failed", // OpenRouter and Mistral, too
  user_cancel: "failed",
  malformed_function_call: "failed",
  // Mistral; Zhipu
  model_length: "cut",
  model_context_window_exceeded: "cut",
  sensitive: "filtered",
  network_error: "failed",
  // DeepSeek; Qianfan; Amazon Bedrock's guardrails
  insufficient_system_resource: "failed",
  normal: "whole",
  guardrail_intervened: "filtered",
  // vLLM and SGLang when a request was aborted; Ollama while it loads a model
  abort: "failed",
  load: "failed",
  unload: "failed",
};

export const ANTHROPIC_ENDS: EndTable = {
  end_turn: "whole",
  stop_sequence: "whole",
  tool_use: "calls",
  max_tokens: "cut",
  model_context_window_exceeded: "cut",
  // Continues with the next request (ANP1).
  pause_turn: "cut",
  refusal: "refused",
  // Servers of the dialect with OpenAI's reasons
  stop: "whole",
  length: "cut",
};

export const GEMINI_ENDS: EndTable = {
  stop: "whole",
  max_tokens: "cut",
  safety: "filtered",
  recitation: "filtered",
  language: "filtered",
  blocklist: "filtered",
  prohibited_content: "filtered",
  spii: "filtered",
  image_safety: "filtered",
  image_prohibited_content: "filtered",
  image_recitation: "filtered",
  malformed_function_call: "failed",
  malformed_response: "failed",
  unexpected_tool_call: "failed",
  too_many_tool_calls: "failed",
  missing_thought_signature: "failed",
  other: "failed",
  image_other: "failed",
  no_image: "failed",
  // Model Armor; rules of an account
  model_armor: "filtered",
  escalation: "filtered",
  pup_limited_disabled: "refused",
  continuation: "cut",
  // Servers of the dialect
  function_call: "calls",
};

/** Bedrock's Converse. */
export const BEDROCK_ENDS: EndTable = {
  end_turn: "whole",
  stop_sequence: "whole",
  tool_use: "calls",
  max_tokens: "cut",
  model_context_window_exceeded: "cut",
  guardrail_intervened: "filtered",
  content_filtered: "filtered",
  refusal: "refused",
  malformed_model_output: "failed",
  malformed_tool_use: "failed",
};

/** Statuses of the Responses API, and the reasons of an incomplete response. */
export const RESPONSES_ENDS: EndTable = {
  completed: "whole",
  max_output_tokens: "cut",
  content_filter: "filtered",
  refusal: "refused",
  failed: "failed",
  cancelled: "failed",
};

type Ended = Pick<ModelResponse, "finishReason" | "end">;

/** An ended answer. */
export type EndedAnswer = {
  readonly modelId: string;
  readonly table: EndTable;
  /** Reason as the server wrote it; without a reason the answer is whole. */
  readonly reason: unknown;
  readonly hasCalls: boolean;
  /** Words of the answer so far, or of the refusal. */
  readonly text: string;
};

/**
 * Returns the end of a valid answer: whole, with calls, or cut. Throws `content_filtered` for a filtered or refused
 * one. Throws `model_failed`, which is retryable, for an answer ended by the server or for an unknown reason.
 */
export function endOf({ modelId, table, reason, hasCalls, text }: EndedAnswer): Ended {
  const end =
    reason === undefined || reason === null || reason === "" ? "whole" : meaning(table, reason);
  switch (end) {
    // Some servers say `stop` beside calls, so the calls decide.
    case "whole":
    case "calls":
      return { finishReason: hasCalls ? "tool_calls" : "stop" };
    case "cut":
      return { finishReason: "length", end: "cut" };
    case "filtered":
    case "refused": {
      const said = text.trim() === "" ? "" : `: ${preview(text, 200)}`;
      const what = end === "filtered" ? "filtered the answer" : "refused to answer";
      throw new EngineError("content_filtered", `${modelId} ${what} (${show(reason)})${said}`, {
        // A filtered request has no end of an answer.
        failureCode: show(reason),
      });
    }
    default: {
      const what = end === "failed" ? "" : ", which is not known";
      throw new EngineError(
        "model_failed",
        `${modelId} ended its answer with ${show(reason)}${what}`,
        {
          retryable: true,
        },
      );
    }
  }
}

/** Gemini's compatible endpoint writes `content_filter: SAFETY`. */
function meaning(table: EndTable, reason: unknown): AnswerEnd | undefined {
  const word =
    typeof reason === "string" ? reason.toLowerCase().split(":", 1)[0]?.trim() : undefined;
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

function show(reason: unknown): string {
  return typeof reason === "string" && /^[\w .:-]{1,60}$/.test(reason)
    ? reason
    : preview(reason, 60);
}
