// Tool failures: reported as data, never guessed from texts.
//
//   TF1. A tool that returns a `toolFailure` has failed. The failure is reported to the model, never cached, and never
//        the answer.
//   TF2. The policy comes from the innermost level: tool, task, agent, crew, `warn`. `ignore` records no failure;
//        `warn` records and reports it; `raise` also ends the task, and the agent does not retry it.
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";

/**
 * Reason of a failure: reported by the tool, thrown, reported by an MCP server, uses exhausted, unknown tool, or
 * invalid input.
 */
export type ToolFailureReason =
  | "tool_reported"
  | "exception"
  | "mcp_error"
  | "usage_limit"
  | "unknown_tool"
  | "invalid_input";

/** Return value of a failed tool in place of a result. */
export type ToolFailure = {
  readonly message: string;
  readonly reason: ToolFailureReason;
  readonly code?: string;
  /** Lets a retry policy run the tool again, as for a retryable error. */
  readonly retryable: boolean;
  /** Delay requested by the other side before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Set if the call had no effect: even a tool with effect `once` may run again. @default false */
  readonly unsent?: boolean;
  readonly details: JsonObject;
};

/**
 * Effect of a failed tool call beside the message to the model: `ignore` has none, `warn` adds a note to the output,
 * `raise` fails the task.
 */
export type ToolFailurePolicy = "ignore" | "warn" | "raise";

/** Failure with its call. */
export type ToolFailureRecord = {
  readonly toolName: string;
  readonly failure: ToolFailure;
  /** Arguments from the model; the raw text if it was unreadable. */
  readonly toolArgs: JsonObject | string;
  readonly agentRole: string;
  readonly taskName?: string;
};

const BRAND: unique symbol = Symbol.for("edgecrew.tool-failure") as never;
const POLICIES: readonly unknown[] = ["ignore", "warn", "raise"];

/** Creates the return value of a failed tool. The model receives the message and the code. */
export function toolFailure(
  failure: Pick<ToolFailure, "message"> & Partial<ToolFailure>,
): ToolFailure {
  const { message, reason = "tool_reported", code, retryable = false, details = {} } = failure;
  const codeField = code === undefined ? undefined : { code };
  const { retryAfterMs, unsent } = failure;
  const value: ToolFailure = {
    message,
    reason,
    ...codeField,
    retryable,
    ...(retryAfterMs === undefined ? undefined : { retryAfterMs }),
    ...(unsent === undefined ? undefined : { unsent }),
    details,
  };
  return Object.freeze(Object.defineProperty(value, BRAND, { value: true }));
}

export function isToolFailure(value: unknown): value is ToolFailure {
  return typeof value === "object" && value !== null && BRAND in value;
}

/** Returns the text of a reported failure for the model. */
export function failureText({ message, code }: ToolFailure): string {
  return code === undefined ? message : `${message} (${code})`;
}

/** Converts an error of a call to a failure. */
export function failureOf(error: EngineError): ToolFailure {
  const reason = error.code === "invalid_input" ? "invalid_input" : "exception";
  return toolFailure({
    message: error.message,
    reason,
    code: error.code,
    retryable: error.retryable,
  });
}

/** Fails with `invalid_definition` for an unknown policy. */
export function checkFailurePolicy(
  policy: ToolFailurePolicy | undefined,
  owner: string,
): ToolFailurePolicy | undefined {
  if (policy === undefined || POLICIES.includes(policy)) return policy;
  throw new EngineError(
    "invalid_definition",
    `${owner}: toolFailurePolicy must be "ignore", "warn" or "raise", got ${preview(policy)}`,
  );
}

/** Number of failures of each kind in an execution. */
export type FailureMark = ReadonlyMap<string, number>;

/**
 * Failed calls of one task. A restarted agent repeats the calls of its abandoned execution. Failures already listed are
 * not listed again.
 */
export class ToolFailureLog {
  readonly #records: ToolFailureRecord[] = [];
  /** Number of listed failures, by kind. */
  readonly #listed = new Map<string, number>();
  /** Number of failures in the current execution, by kind. */
  #current = new Map<string, number>();

  get records(): readonly ToolFailureRecord[] {
    return [...this.#records];
  }

  /** Marks the start of an execution, for `returnTo`. */
  mark(): FailureMark {
    return new Map(this.#current);
  }

  /** Restarts the work at a mark. */
  returnTo(mark: FailureMark): void {
    this.#current = new Map(mark);
  }

  add(record: ToolFailureRecord): void {
    const { toolName, failure, taskName, toolArgs, agentRole } = record;
    const { message, code } = failure;
    const kind = JSON.stringify([toolName, message, code, taskName, toolArgs, agentRole]);
    const count = (this.#current.get(kind) ?? 0) + 1;
    this.#current.set(kind, count);
    if (count <= (this.#listed.get(kind) ?? 0)) return;
    this.#listed.set(kind, count);
    this.#records.push(record);
  }
}

/** Returns the field `toolFailures` of an output; absent without failures. */
export function failuresField(records: readonly ToolFailureRecord[]): {
  readonly toolFailures?: readonly ToolFailureRecord[];
} {
  return records.length === 0 ? {} : { toolFailures: records };
}
