// Tool failures: what went wrong with a tool, said as data and not guessed from texts.
//
//   TF1. A tool that returns a `toolFailure` has failed. The failure is reported to the model, never cached, and never the answer.
//   TF2. Policy, from the tool outward: tool, task, agent, crew, `warn`. `ignore` takes nothing down; `warn` does, and
//        tells of it; `raise` also ends the task, and no retry of the agent's begins it anew.
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject } from "../base/json.ts";

/** What went wrong: the tool said so, it threw, an MCP server said so, its uses are spent, there is no such tool, the input does not fit. */
export type ToolFailureReason =
  | "tool_reported"
  | "exception"
  | "mcp_error"
  | "usage_limit"
  | "unknown_tool"
  | "invalid_input";

/** What a tool returns instead of a result. */
export type ToolFailure = {
  readonly message: string;
  readonly reason: ToolFailureReason;
  readonly code?: string;
  /** A tool with a retry policy is run again, as for an error that is retryable. */
  readonly retryable: boolean;
  /** How long the other side asked to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Nothing has happened: a tool that may run `once` is run again all the same. @default false */
  readonly unsent?: boolean;
  readonly details: JsonObject;
};

/** What a failed tool call means beside the message to the model: `ignore` nothing, `warn` a note in the output, `raise` that the task fails. */
export type ToolFailurePolicy = "ignore" | "warn" | "raise";

/** A failure and the call that it was. */
export type ToolFailureRecord = {
  readonly toolName: string;
  readonly failure: ToolFailure;
  /** As the model gave them; the text where it could not be read. */
  readonly toolArgs: JsonObject | string;
  readonly agentRole: string;
  readonly taskName?: string;
};

const BRAND: unique symbol = Symbol.for("edgecrew.tool-failure") as never;
const POLICIES: readonly unknown[] = ["ignore", "warn", "raise"];

/** The return value of a tool that could not do its work: the model receives the message and the code. */
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

/** The text that a model receives for a failure that a tool reported. */
export function failureText({ message, code }: ToolFailure): string {
  return code === undefined ? message : `${message} (${code})`;
}

/** The failure that an error of a call is. */
export function failureOf(error: EngineError): ToolFailure {
  const reason = error.code === "invalid_input" ? "invalid_input" : "exception";
  return toolFailure({
    message: error.message,
    reason,
    code: error.code,
    retryable: error.retryable,
  });
}

/** Throws `invalid_definition` for a value that is not a policy. */
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

/** How often an execution has failed in each way. */
export type FailureMark = ReadonlyMap<string, number>;

/**
 * The failed calls of one task. An agent that starts again makes the calls of the execution that it gave up once more: those that
 * fail again are the ones on the list.
 */
export class ToolFailureLog {
  readonly #records: ToolFailureRecord[] = [];
  /** On the list, by kind. */
  readonly #listed = new Map<string, number>();
  /** In the execution that is under way, by kind. */
  #current = new Map<string, number>();

  get records(): readonly ToolFailureRecord[] {
    return [...this.#records];
  }

  /** Where an execution begins, for `returnTo`. */
  mark(): FailureMark {
    return new Map(this.#current);
  }

  /** The work starts again from there. */
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

/** The field `toolFailures` of an output; absent if there are none. */
export function failuresField(records: readonly ToolFailureRecord[]): {
  readonly toolFailures?: readonly ToolFailureRecord[];
} {
  return records.length === 0 ? {} : { toolFailures: records };
}
