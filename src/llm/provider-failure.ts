// Meaning of a provider's refusal. The only place that turns statuses and provider codes into error codes.
import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import { withoutSecrets } from "../security/known-secrets.ts";
import { askedWaitMs } from "./asked-wait.ts";
import { isContextRefusal } from "./context-phrases.ts";

/** Message of a provider in place of an answer. */
export type ProviderFailure = {
  readonly modelId: string;
  /** Address of a server other than the provider's own. */
  readonly server?: string | undefined;
  /** HTTP status; undefined inside a stream, or when the connection failed. */
  readonly status?: number | undefined;
  /** The provider's own name for it: `context_length_exceeded`, `overloaded_error`. */
  readonly providerCode?: string | undefined;
  readonly message: string;
  /** The error as the provider wrote it, parsed. */
  readonly body?: unknown;
  readonly headers?: { get(name: string): string | null } | undefined;
  readonly cause: unknown;
};

/** Provider codes of a refusal because of the content, and its phrases, in lower case. */
const FILTER_CODES = ["content_filter", "content_policy_violation", "responsibleaipolicyviolation"];
const FILTER_PHRASES = ["content management policy", "content filtering policy"];

/** Groq, with a 400: the model wrote unreadable JSON or an unreadable call. Bedrock, with a 424: the model failed. */
const BROKEN_ANSWER = 500;

/** Provider codes, in lower case, without a status or more precise than theirs. */
const STATUS_BY_PROVIDER_CODE: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  billing_error: 402,
  insufficient_quota: 402,
  exceeded_current_quota_error: 402, // Moonshot
  request_too_large: 413,
  context_length_exceeded: 413,
  context_window_exceeded: 413,
  contextwindowexceedederror: 413,
  exceed_context_size_error: 413,
  max_context_length_exceeded: 413,
  prompt_too_long: 413,
  string_above_max_length: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  invalid_request_error: 400,
  not_found_error: 404,
  api_error: 500,
  server_error: 500,
  json_validate_failed: BROKEN_ANSWER,
  tool_use_failed: BROKEN_ANSWER,
  timeout_error: 504,
  overloaded_error: 529,
  // Gemini: ai.google.dev/gemini-api/docs/troubleshooting
  api_key_invalid: 401,
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
  deadline_exceeded: 504,
  // Bedrock: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
  validationexception: 400,
  servicequotaexceededexception: 402,
  accessdeniedexception: 403,
  throttlingexception: 429,
  modelnotreadyexception: 429,
  internalserverexception: 500,
  modelerrorexception: BROKEN_ANSWER,
  modelstreamerrorexception: BROKEN_ANSWER,
  serviceunavailableexception: 503,
  modeltimeoutexception: 504,
};

/** An account without money, which some say with 400 or 429, in lower case. */
const EMPTY_ACCOUNT =
  /insufficient (?:account )?balance|credit balance is too low|insufficient credits/;

/** Template of llama.cpp or vLLM that cannot write the conversation: fails with 500 on every attempt. */
const TEMPLATE = /raise_exception|jinja|chat template/;

/**
 * Statuses of a gateway without a server, and of a loading or full server. Failures and timeouts of the server are not
 * among them: their next attempt costs as much as the one before.
 */
const AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 520, 521, 522, 523, 529, 530]);

/** Statuses more precise than the answer's own. */
const SAYS_MORE: ReadonlySet<number | undefined> = new Set([401, 402, 413]);

/** The error for a failure, and whether the same call can succeed later. `nowMs` reads a `Retry-After` date. */
export function providerError(failure: ProviderFailure, nowMs: number): EngineError {
  const { modelId, server, message, cause } = failure;
  const status = statusOf(failure);
  const { code, retryable } = isFiltered(failure)
    ? ({ code: "content_filtered", retryable: false } as const)
    : classify(status, failure);
  const said = failure.status === undefined ? "failed" : `answered ${failure.status}`;
  const reason = withoutSecrets(message) || "no reason stated";
  const model = server === undefined ? modelId : `${modelId} at ${server}`;
  return new EngineError(code, `${model} ${said}: ${reason}`, {
    retryable,
    retryAfterMs: retryable ? askedWaitMs(failure, nowMs) : undefined,
    cause,
  });
}

/** Error for an unreadable answer. The next attempt may bring a better one. */
export function unreadableAnswer(modelId: string, what: string, cause?: unknown): EngineError {
  const message = `${modelId} ${withoutSecrets(what)}`;
  return new EngineError("model_failed", message, { retryable: true, cause });
}

/** Error for a server without any answer: it is away, or unreachable from here. */
export function unreachedServer(modelId: string, cause: unknown): EngineError {
  const message = `${modelId} failed: ${withoutSecrets(errorMessage(cause))}`;
  return new EngineError("model_unavailable", message, { retryable: true, cause });
}

/** True for a filtered request, so other models of the same list are not tried with it. */
function isFiltered({ status, providerCode = "", message }: ProviderFailure): boolean {
  if (FILTER_CODES.includes(providerCode.toLowerCase())) return true;
  const text = message.toLowerCase();
  return status === 400 && FILTER_PHRASES.some((phrase) => text.includes(phrase));
}

function statusOf({ status, providerCode }: ProviderFailure): number | undefined {
  const implied = STATUS_BY_PROVIDER_CODE[providerCode?.toLowerCase() ?? ""];
  const saysMore =
    SAYS_MORE.has(implied) || (implied === BROKEN_ANSWER && (status === 400 || status === 424));
  return status === undefined || saysMore ? (implied ?? status) : status;
}

function classify(
  status: number | undefined,
  { message, body }: ProviderFailure,
): { readonly code: ErrorCode; readonly retryable: boolean } {
  const text = message.toLowerCase();
  if (EMPTY_ACCOUNT.test(text)) return { code: "model_rate_limited", retryable: false };
  // "Too many tokens" with a 429 is a rate, not a length.
  if (status === 429) return { code: "model_rate_limited", retryable: true };
  // An exhausted quota looks like a rate limit, but waiting does not fill it.
  if (status === 402) return { code: "model_rate_limited", retryable: false };
  // llama.cpp uses a 500 if the window fills up within an answer.
  if (status === 413 || isContextRefusal({ status, message, body }))
    return { code: "context_window_exceeded", retryable: false };
  if ((status === 500 || status === undefined) && TEMPLATE.test(text))
    return { code: "model_rejected", retryable: false };
  if (status === undefined) return { code: "model_failed", retryable: true };
  if (AWAY_STATUSES.has(status)) return { code: "model_unavailable", retryable: true };
  if (status === 401 || status === 403) return { code: "model_unauthorized", retryable: false };
  if (status === 408 || status === 504 || status === 524)
    return { code: "timeout", retryable: true };
  if (status === 409 || status === 425 || status >= 500 || status < 400) {
    return { code: "model_failed", retryable: true };
  }
  return { code: "model_rejected", retryable: false };
}
