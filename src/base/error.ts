import { cut } from "./cut.ts";

const BRAND: unique symbol = Symbol.for("edgecrew.error") as never;

/** Stable codes: part of the HTTP and journal contract. Add freely, never rename. */
export type ErrorCode =
  // The caller's request
  | "invalid_input"
  | "unauthorized"
  | "forbidden"
  | "csrf"
  | "token_expired"
  | "token_used"
  | "not_found"
  | "conflict"
  | "precondition_failed"
  | "payload_too_large"
  | "limit_exceeded"
  | "rate_limited"
  | "quota_exceeded"
  // The definition
  | "invalid_definition"
  // The run
  | "run_cancelled"
  | "timeout"
  | "wait_expired"
  | "budget_exceeded"
  | "journal_mismatch"
  | "crash_budget_exceeded"
  | "outcome_unknown"
  | "interrupted"
  | "value_too_large"
  | "hook_aborted"
  // Services used by the run
  | "model_failed"
  | "model_unavailable"
  | "model_unauthorized"
  | "model_rate_limited"
  | "model_rejected"
  | "content_filtered"
  | "answer_cut_off"
  | "answer_too_large"
  | "answer_empty"
  | "context_window_exceeded"
  | "tool_failed"
  | "tool_failure_raised"
  | "agent_failed"
  | "user_code_failed"
  | "output_invalid"
  | "embedding_mismatch"
  | "vector_store_unavailable"
  // Ours
  | "unavailable"
  | "not_configured"
  | "internal";

/** Form of an error in the journal, in an RPC reply and in an HTTP body. */
export type ErrorRecord = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Failure code of the failing side, such as the service behind a tool. */
  readonly failureCode?: string;
  /** One entry per wrong field; paths are JSON pointers. */
  readonly issues?: readonly Issue[];
};

/** A wrong field: its place (JSON pointer), and the expected and actual value in words. */
export type Issue = { readonly path: string; readonly message: string };

export type EngineErrorOptions = {
  /** False when trying the same work again cannot succeed; no retry policy overrides it. @default false */
  readonly retryable?: boolean;
  /** Wait requested by the other side, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** True if no effect has happened: even work of `effect: "once"` can be tried again. @default false */
  readonly unsent?: boolean | undefined;
  /** Failure code of the failing side. */
  readonly failureCode?: string | undefined;
  readonly issues?: readonly Issue[] | undefined;
  /** Status of the HTTP response behind the error. */
  readonly status?: number | undefined;
  /** Id of the failed request on the server. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
};

/** Base of every error thrown on purpose. Anything else is a bug in the caller's or our code. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly unsent: boolean;
  readonly failureCode: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Task and agent, or method, in which the error was thrown: for people. Set while the error propagates. */
  declare where?: string;

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(errorText(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.unsent = options.unsent ?? false;
    this.failureCode = options.failureCode;
    this.issues = options.issues;
    this.status = options.status;
    this.requestId = options.requestId;
  }

  /** Use instead of `instanceof`: works across bundles and realms. */
  static is(error: unknown): error is EngineError {
    return typeof error === "object" && error !== null && BRAND in error;
  }

  toRecord(): ErrorRecord {
    const { code, retryable, failureCode } = this;
    const plain = { code, message: errorMessage(this), retryable };
    const record = failureCode === undefined ? plain : { ...plain, failureCode };
    return this.issues === undefined ? record : { ...record, issues: this.issues };
  }

  /** Rebuilds an error. `cause` is the original error, if it is still in this process. */
  static fromRecord(record: ErrorRecord, cause?: unknown): EngineError {
    const { retryable, issues, failureCode } = record;
    return new EngineError(record.code, record.message, { retryable, issues, failureCode, cause });
  }
}

/** Returns the record of any thrown value. Anything but an engine error becomes `fallback`. */
export function toErrorRecord(error: unknown, fallback: ErrorCode = "internal"): ErrorRecord {
  if (EngineError.is(error)) return error.toRecord();
  return { code: fallback, message: errorMessage(error), retryable: false };
}

/** Returns the text of any thrown value, at most `MAX_ERROR_MESSAGE` characters of it. Never throws. */
export function errorMessage(error: unknown): string {
  try {
    return errorText(error instanceof Error ? error.message : error);
  } catch {
    return `a thrown ${typeof error} without a text`;
  }
}

/** Maximum characters of an error's message. */
export const MAX_ERROR_MESSAGE = 8_000;

/** Code of others may put any value into a message, of any length. */
function errorText(value: unknown): string {
  return cut(typeof value === "string" ? value : String(value), MAX_ERROR_MESSAGE);
}

/** Proves at compile time that a `switch` or an `if` chain covers a union. */
export function unreachable(value: never): never {
  throw new EngineError("internal", `unexpected value ${JSON.stringify(value)}`);
}
