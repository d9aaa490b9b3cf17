import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RetryPolicy } from "../base/retry.ts";
import type { WaitRequest } from "../journal/journal-store.ts";
import type { Effect } from "../journal/step-spec.ts";
import type { ToolSecurity } from "../security/security-config.ts";
import type { ToolChat } from "./tool-chat.ts";
import type { ToolMemory } from "./tool-memory.ts";

/** Second argument of a tool's `run`. */
export type ToolContext = {
  /** Aborts when the call times out or the run is cancelled. */
  readonly signal: AbortSignal;
  /** Key equal on every attempt of this call, unique among all calls of all runs. */
  readonly idempotencyKey: string;
  /** Number of the attempt, 1 on the first. */
  readonly attempt: number;
  readonly runId: string;
  /** Role of the calling agent, with the run's inputs filled in. */
  readonly agentRole: string;
  readonly taskName?: string;
  /** Verified identity of the caller. It is never among the arguments, which a model writes. */
  readonly security?: ToolSecurity;
  /** Conversation of the call, if there is one. */
  readonly chat?: ToolChat;
  /** Memory of the calling agent. Its calls are steps of the run: a finished one is not repeated. */
  readonly memory: ToolMemory;
  /** Variables declared by the tool in `envVars`, with their defaults. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Performs part of the work only once: when the tool runs again, it gets the recorded result. `options` are like
   * those of a separate tool: an `effect` of `once` is not repeated after a crash, `retry` controls further attempts.
   */
  readonly step: <T>(
    name: string,
    action: (context: { signal: AbortSignal; idempotencyKey: string }) => Promise<T>,
    options?: { readonly effect?: Effect; readonly retry?: RetryPolicy },
  ) => Promise<T>;
  /**
   * Waits for a person or an outside event, for any length of time, at no cost. The tool then runs again from its
   * start.
   */
  readonly wait: <T extends JsonValue>(name: string, request: WaitRequest) => Promise<T>;
  /** Waits for a durable timer, like `wait`. */
  readonly sleep: (name: string, delayMs: number) => Promise<void>;
  /**
   * Emits an event of your own, which the run's log stores as `custom_event_emitted`: once, also if the tool runs again. The
   * name has 1 to 128 letters, digits, or characters of `_.:-`; the data is JSON of at most 65,536 characters. A call
   * emits at most 1000 events, and none after its end. Throws `invalid_input` and `limit_exceeded`.
   */
  readonly emit: (name: string, data?: unknown) => void;
  /** Returns the time in milliseconds since the epoch. Each reading is the same when the tool runs again. */
  readonly now: () => number;
  /** Returns a number in [0, 1), the same when the tool runs again. */
  random(): number;
  /** Returns a UUID, the same when the tool runs again. */
  uuid(): string;
};

/** Caller on whose behalf a tool is called. */
export type ToolCaller = Pick<ToolContext, "agentRole" | "taskName" | "security"> &
  Partial<Pick<ToolContext, "memory">>;

/** Call for the decision of `needsApproval`. */
export type ApprovalContext = Omit<ToolCaller, "memory"> & { readonly runId: string };

export type NeedsApproval =
  | boolean
  | ((input: JsonObject, context: ApprovalContext) => boolean | Promise<boolean>);
