// Facts about an error, without the words of its message.
import { EngineError, type ErrorCode } from "./error.ts";

/** An error without its message: its kind, its place in the code, and its cause. */
export type ErrorFacts = {
  readonly kind: string;
  readonly code?: ErrorCode;
  /** Message of the database or the platform, if it is one of a few known sentences. */
  readonly fault?: string;
  /** Places in the code, innermost first. */
  readonly at?: readonly string[];
  readonly cause?: ErrorFacts;
};

const MAX_CAUSES = 3;
const MAX_PLACES = 8;

/** A class or a field called `name` can be made of any text. */
const KINDS: ReadonlySet<string> = new Set([
  "AggregateError",
  "APIError",
  "EngineError",
  "Error",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
  "AbortError",
  "TimeoutError",
  "NetworkError",
  "DataCloneError",
  "InvalidStateError",
  "NotSupportedError",
  "OperationError",
  "QuotaExceededError",
  "ZodError",
]);

/** Sentences of the platform, of which only names of tables and columns are taken over. */
const FAULTS: readonly RegExp[] = [
  /^D1_ERROR: (no such (?:table|column): [a-z_.]{1,60})\b/,
  /^D1_ERROR: .*(SQLITE_[A-Z_]{1,40})\b/s,
  /^(D1_ERROR)/,
  /^(Network connection lost)/,
  /^(Durable Object reset because its code was updated)/,
  /^(Durable Object storage operation exceeded timeout)/,
  /^(Exceeded CPU Limit|Worker exceeded CPU time limit|Too many subrequests)/i,
];

export function errorFacts(error: unknown, depth = 0): ErrorFacts {
  if (!(error instanceof Error) && !EngineError.is(error)) return { kind: typeof error };
  const { name, message, cause } = error;
  const fault = faultOf(message);
  const at = placesOf(error);
  return {
    kind: KINDS.has(name) ? name : "Error",
    ...(EngineError.is(error) ? { code: error.code } : undefined),
    ...(fault === undefined ? undefined : { fault }),
    ...(at.length === 0 ? undefined : { at }),
    ...(cause === undefined || depth === MAX_CAUSES
      ? undefined
      : { cause: errorFacts(cause, depth + 1) }),
  };
}

function faultOf(message: string): string | undefined {
  for (const form of FAULTS) {
    const found = form.exec(message)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

const PLACE =
  /^ {4}at (?:(?:async |new )?([\w$.#<>]{1,80}) (?:\[as [\w$]{1,80}\] )?\()?(?:[\w+-]+:\/*)?([\w@.$%/ -]{1,300}):(\d{1,7}):(\d{1,7})\)?$/;

/** Returns the places in the stack after the message, whose own lines may look like places. */
function placesOf(error: Error): string[] {
  const { stack, name, message } = error;
  if (typeof stack !== "string") return [];
  const begin = [`${name}: ${message}`, `Error: ${message}`, `TypeError: ${message}`, name].find(
    (each) => stack === each || stack.startsWith(`${each}\n`),
  );
  if (begin === undefined || (message !== "" && begin === name)) return [];
  const places: string[] = [];
  for (const line of stack.slice(begin.length + 1).split("\n")) {
    const place = PLACE.exec(line);
    if (place === null) continue;
    const [, code = "", path = "", row, column] = place;
    const file = path.slice(path.lastIndexOf("/") + 1);
    places.push(`${code === "" ? "" : `${code} `}${file}:${row}:${column}`);
    if (places.length === MAX_PLACES) break;
  }
  return places;
}
