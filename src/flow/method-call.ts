import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ConversationTools } from "./conversational/conversation-tools.ts";
import type { HumanFeedbackResult } from "./feedback.ts";
import type { MethodMemory } from "./flow-memory.ts";
import type { InputProvider } from "./input-provider.ts";
import type { StateCopy } from "./state-copy.ts";

/** One execution of a method. */
export type MethodCall = {
  /** The method's own copy of the state; its content at the end counts. */
  readonly copy: StateCopy;
  /**
   * Value of the trigger: the result of the ended method or the value of the label. For a start, the payload of the
   * run's trigger.
   */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** Start time of the flow, if its methods need it. In milliseconds since the epoch. */
  readonly startedAtMs?: number | undefined;
  /** The feedback of people in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];
  /** Results of the methods ended before this one began; a reviewed method includes the person's feedback. */
  readonly outputs: () => JsonObject;
  readonly scope: RunScope;
  readonly inputProvider?: InputProvider | undefined;
  readonly methodName: string;
  readonly memory: MethodMemory;
  /** Notes of its tools for the runner of the flow; stored in the method's row. */
  readonly notes: JsonValue[];
  /** Notes of the methods ended before this one began. */
  readonly earlierNotes: readonly JsonValue[];
  /** Tools of a turn; set before the method's code runs. */
  conversation?: (call: MethodCall) => ConversationTools;
};

// Not exported: types compiled by browsers must not name a module of Node.
const calls = new AsyncLocalStorage<MethodCall>();

/** Returns the method whose code is running. */
export function currentCall(): MethodCall | undefined {
  return calls.getStore();
}

/** Runs code within this method. */
export function runInCall<Result>(call: MethodCall, code: () => Result): Result {
  return calls.run(call, code);
}
