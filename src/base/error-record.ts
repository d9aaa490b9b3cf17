// Errors as a journal keeps them: whatever code has thrown, or put into an error of ours, has a record of bounded length.
import { cut } from "./cut.ts";
import {
  EngineError,
  errorMessage,
  type ErrorCode,
  type ErrorRecord,
  type Issue,
} from "./error.ts";

type Fields = Readonly<Record<string, unknown>>;

const MAX_ISSUES = 100;
/** Characters of what an issue says. */
const MAX_ISSUE_TEXT = 2_000;
const MAX_CODE = 200;

/** The record of any thrown value; what was not thrown on purpose becomes `fallback`. Never throws. */
export function errorRecord(error: unknown, fallback: ErrorCode = "internal"): ErrorRecord {
  const message = messageOf(error);
  if (!EngineError.is(error)) return { code: fallback, message, retryable: false };
  const { code, retryable, failureCode, issues } = error as unknown as Fields;
  return {
    code: typeof code === "string" ? (code as ErrorCode) : "internal",
    message,
    retryable: retryable === true,
    ...(failureCode == null
      ? undefined
      : { failureCode: cut(errorMessage(failureCode), MAX_CODE) }),
    ...(Array.isArray(issues) ? { issues: issues.slice(0, MAX_ISSUES).map(issueOf) } : undefined),
  };
}

/** HTTP clients throw plain objects: the message of one, or what it holds. */
function messageOf(error: unknown): string {
  const text = errorMessage(error);
  if (text !== "[object Object]" || error instanceof Error) return text;
  const { message } = error as { readonly message?: unknown };
  try {
    return errorMessage(typeof message === "string" ? message : JSON.stringify(error));
  } catch {
    return text;
  }
}

function issueOf(issue: Fields | null): Issue {
  const { path = "", message = "" } = issue ?? {};
  return {
    path: cut(errorMessage(path), MAX_ISSUE_TEXT),
    message: cut(errorMessage(message), MAX_ISSUE_TEXT),
  };
}
