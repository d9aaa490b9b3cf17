// Tools of a method besides its own code.
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ReceivedMail } from "../events/mail.ts";
import { keySegment } from "../journal/step-key.ts";
import type { StepContext } from "../journal/step-spec.ts";
import type { RememberOptions } from "../memory/memory-view.ts";
import type { FlowMemory } from "./flow-memory.ts";
import { sleepUntil, waitForEvent, type EventWait } from "./flow-waits.ts";
import { askProvider } from "./input-provider.ts";
import type { MethodCall } from "./method-call.ts";

/** Options for asking a person in the middle of a method. */
export type AskOptions = {
  /** Suggested answers; the person may answer in other words. @default none */
  readonly choices?: readonly string[];
  /** After this time in seconds the answer is null. @default no limit */
  readonly timeoutSeconds?: number;
  /** Added to the event `flow_input_requested`. @default {} */
  readonly metadata?: JsonObject;
};

/**
 * Tools of one method's execution. Each is a getter for a bound function, so callers can destructure it. Unused tools
 * cost nothing.
 */
export class MethodTools {
  readonly #call: MethodCall;

  constructor(call: MethodCall) {
    this.#call = call;
  }

  /** Asks a person for a text; null after the time limit. The method pauses meanwhile. */
  get ask() {
    return (message: string, options?: AskOptions): Promise<string | null> =>
      askPerson(this.#call, message, options);
  }

  /** Performs an effect once, however often the run is replayed: its result is recorded. */
  get step() {
    return <T>(name: string, action: (context: StepContext) => Promise<T>): Promise<T> =>
      this.#call.scope.at(keySegment(name)).step({
        kind: "effect",
        carries: true,
        failureCode: "user_code_failed",
        run: (step, inside) => inside.run(async () => action(step)),
      });
  }

  /** A durable timer, in milliseconds. */
  get sleep() {
    return (name: string, delayMs: number): Promise<void> =>
      this.#call.scope.at(`sleep:${keySegment(name)}`).sleep(delayMs);
  }

  /** A durable timer up to a point in time: a `Date`, ISO 8601, or milliseconds since 1970. */
  get sleepUntil() {
    return (name: string, time: Date | string | number): Promise<void> =>
      sleepUntil(this.#call.scope, name, time);
  }

  /** Waits for an event of this name, sent to the run, and returns its payload. An earlier event counts too. */
  get waitForEvent() {
    return <Payload = JsonValue>(name: string, wait?: EventWait<Payload>): Promise<Payload> =>
      waitForEvent(this.#call.scope, name, wait);
  }

  /**
   * Returns the messages sent to the run since the last call, oldest first. Active agents have seen those of mode
   * `steer` at their model calls.
   */
  get messages() {
    const { scope, methodName } = this.#call;
    return (): readonly ReceivedMail[] => scope.takeMail({ names: [methodName], queue: "turn" });
  }

  /** Saves a memory and returns its record, or null in a read-only memory. A list is saved before the method ends. */
  get remember(): FlowMemory["remember"] {
    return (async (content: string, options?: RememberOptions) =>
      this.#call.memory.get().remember(content, options)) as FlowMemory["remember"];
  }

  /** Returns the memories that fit a query, best first. */
  get recall(): FlowMemory["recall"] {
    return async (query, options) => this.#call.memory.get().recall(query, options);
  }

  /** Splits a text into its separate statements. */
  get extractMemories(): FlowMemory["extractMemories"] {
    return async (content) => this.#call.memory.get().extractMemories(content);
  }
}

async function askPerson(
  call: MethodCall,
  message: string,
  options: AskOptions = {},
): Promise<string | null> {
  const { choices, timeoutSeconds, metadata = {} } = options;
  const scope = call.scope.atNext("ask");
  scope.emit("flow_input_requested", { message, metadata });
  if (call.inputProvider !== undefined) {
    const { provided } = await askProvider(scope, call.inputProvider, {
      message,
      methodName: call.methodName,
      metadata,
      choices,
      timeoutSeconds,
    });
    scope.emit("flow_input_received", { message, ...provided });
    return provided.response;
  }
  const answer = await scope.wait<JsonValue>({
    kind: "input",
    prompt: message,
    ...(choices === undefined ? undefined : { choices, freeText: true }),
    ...(timeoutSeconds === undefined
      ? undefined
      : { dueAtMs: scope.at("asked").now() + timeoutSeconds * 1000, otherwise: null }),
  });
  const response = answer === null || typeof answer === "string" ? answer : JSON.stringify(answer);
  scope.emit("flow_input_received", { message, response });
  return response;
}
