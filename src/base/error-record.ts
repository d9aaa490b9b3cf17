// Errors in the journal: any thrown value, and any field set on an engine error, gets a record of bounded length.
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
/** Maximum characters of an issue's message. */
const MAX_ISSUE_TEXT = 2_000;
const MAX_CODE = 200;

/** Returns the record of any thrown value. Anything but an engine error becomes `fallback`. Never throws. */
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

/** Returns the message, also of the plain objects thrown by HTTP clients: their `message`, or their contents. */
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
