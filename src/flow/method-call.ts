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
  /** The method's own copy of the state; what it holds at the end counts. */
  readonly copy: StateCopy;
  /** What woke the method: the result of the method or the label that it listens to. For a start, what triggered the run. */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** When the flow began, of flows whose methods need it. In milliseconds since the epoch. */
  readonly startedAtMs?: number | undefined;
  /** The feedback of people in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];
  /** The results of the methods that had ended when this one began; a reviewed method has the person's feedback with it. */
  readonly outputs: () => JsonObject;
  readonly scope: RunScope;
  readonly inputProvider?: InputProvider | undefined;
  readonly methodName: string;
  readonly memory: MethodMemory;
  /** What its tools note for whoever runs the flow; kept with the method's row. */
  readonly notes: JsonValue[];
  /** The notes of the methods that had ended when this one began. */
  readonly earlierNotes: readonly JsonValue[];
  /** Of a turn; set before the method's code runs. */
  conversation?: (call: MethodCall) => ConversationTools;
};

// Not exported: the types that browsers compile must not name a module of Node's.
const calls = new AsyncLocalStorage<MethodCall>();

/** The method whose code is running. */
export function currentCall(): MethodCall | undefined {
  return calls.getStore();
}

/** Runs code as that of this method. */
export function runInCall<Result>(call: MethodCall, code: () => Result): Result {
  return calls.run(call, code);
}
