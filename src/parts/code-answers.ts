// HTTP responses to error codes, for all HTTP endpoints: the status, and retry advice for clients that repeat requests.
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { EngineError, ErrorCode } from "../base/error.ts";

type CodeAnswer = {
  readonly status: ContentfulStatusCode;
  /** Chance of a later success of the same request: `as said` uses the error's own `retryable`. */
  readonly passes: "never" | "later" | "as said";
};

/** A new code without an answer does not compile. */
const ANSWERS = {
  invalid_input: { status: 400, passes: "never" },
  invalid_definition: { status: 400, passes: "never" },
  unauthorized: { status: 401, passes: "never" },
  forbidden: { status: 403, passes: "never" },
  csrf: { status: 403, passes: "never" },
  token_expired: { status: 401, passes: "never" },
  token_used: { status: 409, passes: "never" },
  not_found: { status: 404, passes: "never" },
  conflict: { status: 409, passes: "as said" },
  precondition_failed: { status: 412, passes: "never" },
  run_cancelled: { status: 409, passes: "never" },
  wait_expired: { status: 409, passes: "never" },
  budget_exceeded: { status: 409, passes: "never" },
  journal_mismatch: { status: 409, passes: "never" },
  outcome_unknown: { status: 409, passes: "never" },
  interrupted: { status: 409, passes: "never" },
  hook_aborted: { status: 409, passes: "never" },
  payload_too_large: { status: 413, passes: "never" },
  value_too_large: { status: 413, passes: "never" },
  limit_exceeded: { status: 413, passes: "never" },
  rate_limited: { status: 429, passes: "later" },
  quota_exceeded: { status: 429, passes: "later" },
  model_failed: { status: 502, passes: "as said" },
  model_unavailable: { status: 503, passes: "later" },
  model_unauthorized: { status: 502, passes: "never" },
  model_rate_limited: { status: 502, passes: "as said" },
  model_rejected: { status: 502, passes: "never" },
  content_filtered: { status: 502, passes: "never" },
  answer_cut_off: { status: 502, passes: "never" },
  answer_too_large: { status: 502, passes: "never" },
  answer_empty: { status: 502, passes: "as said" },
  context_window_exceeded: { status: 502, passes: "never" },
  tool_failed: { status: 502, passes: "as said" },
  tool_failure_raised: { status: 502, passes: "as said" },
  agent_failed: { status: 502, passes: "as said" },
  user_code_failed: { status: 500, passes: "as said" },
  output_invalid: { status: 502, passes: "as said" },
  embedding_mismatch: { status: 409, passes: "never" },
  vector_store_unavailable: { status: 503, passes: "later" },
  unavailable: { status: 503, passes: "later" },
  not_configured: { status: 503, passes: "never" },
  timeout: { status: 504, passes: "as said" },
  crash_budget_exceeded: { status: 500, passes: "never" },
  internal: { status: 500, passes: "as said" },
} as const satisfies Record<ErrorCode, CodeAnswer>;

/** The status of each code. */
export const STATUS_BY_CODE = Object.fromEntries(
  Object.entries(ANSWERS).map(([code, { status }]) => [code, status]),
) as Readonly<Record<ErrorCode, ContentfulStatusCode>>;

/** True if the same, unchanged request may succeed later. */
export function mayPass({ code, retryable }: Pick<EngineError, "code" | "retryable">): boolean {
  const { passes } = ANSWERS[code];
  return passes === "as said" ? retryable : passes === "later";
}

/** Status of a permanently failed run, because clients would take a 5xx for a temporary server error. */
const FAILED_FOR_GOOD = 400;

/** Returns the status for a failed run. Only temporary failures are server errors, because clients repeat these. */
export function failedRunStatus(
  error: Pick<EngineError, "code" | "retryable">,
): ContentfulStatusCode {
  if (!mayPass(error)) return FAILED_FOR_GOOD;
  const status = STATUS_BY_CODE[error.code];
  // 4xx would blame the caller's key or request.
  return status >= 500 ? status : 502;
}

/** OpenAI's and other SDKs obey this header, with any status. */
export const NO_RETRY = { "x-should-retry": "false" } as const;
