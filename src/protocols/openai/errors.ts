// Errors in the form for OpenAI's clients: `{ error: { message, type, param, code } }`.
import { EngineError, type ErrorCode } from "../../base/error.ts";
import { problemOf, type Problem } from "../../parts/problem.ts";

/** Body of every unsuccessful answer. */
export type OpenAiError = {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The wrong field, such as `messages[0].content`. */
    readonly param: string | null;
    readonly code: string | null;
  };
};

/** The code of each error: OpenAI's where it has one, else ours. A new code without an entry does not compile. */
const CODES = {
  invalid_input: null,
  unauthorized: "invalid_api_key",
  forbidden: "insufficient_permissions",
  csrf: "csrf",
  token_expired: "token_expired",
  token_used: "token_used",
  not_found: "not_found",
  conflict: "conflict",
  precondition_failed: "precondition_failed",
  payload_too_large: "payload_too_large",
  limit_exceeded: "limit_exceeded",
  rate_limited: "rate_limit_exceeded",
  quota_exceeded: "quota_exceeded",
  invalid_definition: "invalid_definition",
  run_cancelled: "run_cancelled",
  timeout: "timeout",
  wait_expired: "wait_expired",
  budget_exceeded: "budget_exceeded",
  journal_mismatch: "journal_mismatch",
  crash_budget_exceeded: "crash_budget_exceeded",
  outcome_unknown: "outcome_unknown",
  interrupted: "interrupted",
  value_too_large: "value_too_large",
  hook_aborted: "hook_aborted",
  model_failed: "model_failed",
  model_unavailable: "model_unavailable",
  model_unauthorized: "model_unauthorized",
  model_rate_limited: "rate_limit_exceeded",
  model_rejected: "model_rejected",
  content_filtered: "content_filtered",
  answer_cut_off: "answer_cut_off",
  answer_too_large: "answer_too_large",
  answer_empty: "answer_empty",
  context_window_exceeded: "context_length_exceeded",
  tool_failed: "tool_failed",
  tool_failure_raised: "tool_failure_raised",
  agent_failed: "agent_failed",
  user_code_failed: "user_code_failed",
  output_invalid: "output_invalid",
  embedding_mismatch: "embedding_mismatch",
  vector_store_unavailable: "vector_store_unavailable",
  unavailable: "unavailable",
  not_configured: "not_configured",
  internal: "internal",
} as const satisfies Record<ErrorCode, string | null>;

/** Codes for missing things, by the field with their name. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  model: "model_not_found",
  previous_response_id: "previous_response_not_found",
};

/** Makes the error for one wrong field. `param` is a JSON pointer; `{}` in the message becomes the field's name. */
export function wrong(
  param: string,
  message: string,
  code: "invalid_input" | "not_found" | "conflict" = "invalid_input",
): EngineError {
  const detail = message.replace("{}", () => fieldOf(param) ?? "the body");
  return new EngineError(code, detail, { issues: [{ path: param, message: detail }] });
}

/** Adds the field's name to errors of `check`. */
export function usable(check: () => void, where: string): void {
  try {
    check();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw wrong(where, `{} cannot be used: ${error.message}`);
  }
}

/** Converts a problem to OpenAI's form, with its status and headers. */
export async function openAiProblem(problem: Response): Promise<Response> {
  const { status, detail, code, errors } = (await problem.json()) as Problem;
  const headers = new Headers(problem.headers);
  headers.set("content-type", "application/json");
  const param = fieldOf(errors?.[0]?.path ?? "");
  const error = openAiError({ code, message: detail }, { status, param });
  return new Response(JSON.stringify(error), { status: statusOf(status, param), headers });
}

/** Converts any thrown error to OpenAI's form. Unexpected errors are reported, and hidden from the client. */
export async function thrownError(
  error: unknown,
  report: (error: unknown) => void,
): Promise<OpenAiError> {
  const answer = await openAiProblem(problemOf(error, report));
  return (await answer.json()) as OpenAiError;
}

function openAiError(
  { code, message }: { readonly code: ErrorCode; readonly message: string },
  { status, param }: { readonly status: number; readonly param: string | null },
): OpenAiError {
  const named = status === 404 && param !== null ? NOT_FOUND[param] : CODES[code];
  return { error: { message, type: typeOf(status), param, code: named ?? null } };
}

/** OpenAI answers 400 for missing things named in a body, except for the model. */
function statusOf(status: number, param: string | null): number {
  return status === 404 && param !== null && param !== "model" ? 400 : status;
}

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** Converts `/messages/0/content` to `messages[0].content`. */
function fieldOf(pointer: string): string | null {
  if (pointer === "") return null;
  const parts = pointer.slice(1).split("/");
  const names = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names
    .map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : index === 0 ? name : `.${name}`))
    .join("");
}
