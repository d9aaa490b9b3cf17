// Problems added to an operation by the layers in front of it. List a new status of a middleware or request reader
// here; operations do not repeat it.
import type { AnswerHeader } from "../../parts/headers.ts";
import type { Operation } from "../../parts/operation.ts";
import { startedRunShape } from "../../parts/run-shapes.ts";

/** Layers in front of every operation of an app. */
export type WayThere = {
  /** True if parts, such as quotas, can refuse callers before the operation. */
  readonly hasGates: boolean;
};

/** Returns the statuses of all problems of an operation, in order. */
export function problemStatuses(operation: Operation, { hasGates }: WayThere): readonly number[] {
  const { scope, problems, query, body, rawBody } = operation;
  const isKeyed = scope !== "none";
  const statuses = new Set([
    ...problems,
    // Any handler may have a bug.
    500,
    // `authenticate` refuses, `crossOrigin` and `refuseDevelopmentSettings` forbid, and the database of keys may be
    // unavailable.
    ...(isKeyed ? [401, 403, 503] : []),
    // `admit` asks the parts.
    ...(isKeyed && hasGates ? [429] : []),
    // The id of a run may be in use by another one.
    ...(startsRun(operation) ? [409] : []),
    // `readQuery` and `readBody` check their input.
    ...(query === undefined ? [] : [400]),
    ...(body === undefined ? [] : [400]),
    ...(body === undefined && rawBody === undefined ? [] : [413, 415]),
  ]);
  return [...statuses].toSorted((a, b) => a - b);
}

function startsRun({ headers = [], answers }: Operation): boolean {
  return (
    headers.includes("Idempotency-Key") ||
    Object.values(answers).some(({ shape }) => shape === startedRunShape)
  );
}

/** Possible headers of problems, by status. */
export const PROBLEM_HEADERS: Readonly<Record<number, readonly AnswerHeader[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Upload-Offset"],
  412: ["ETag", "Tus-Version"],
  416: ["Content-Range"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Meaning of each problem status. */
export const PROBLEM_TEXTS: Readonly<Record<number, string>> = {
  400: "The request is wrong; `errors` names each field",
  401: "No key, or an unknown one",
  403: "The key does not have the scope",
  404: "Not found",
  405: "The path does not take this method here",
  406: "`Accept` allows no media type of the answer",
  409: "Not possible in its current state",
  412: "Another version of the protocol",
  413: "The body is too large",
  415: "The body's content type is not supported",
  416: "The range is not in the file",
  422: "Inputs are missing; `details.missing_inputs` names them",
  429: "Too often, or more than a quota allows",
  500: "An internal error",
  502: "A model or a tool of the run failed",
  503: "Not possible at the moment",
  504: "It took too long",
};
