import { EngineError } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ConversationTools } from "./conversational/conversation-tools.ts";
import type { HumanFeedbackResult } from "./feedback.ts";
import { MethodTools } from "./method-tools.ts";
import type { MethodCall } from "./method-call.ts";
import type { AddToState } from "./state-copy.ts";

/** Argument of a method in `defineFlow`. */
export type FlowContext<State> = Pick<MethodContext<State>, keyof MethodContext<State>>;

export class MethodContext<State> extends MethodTools {
  readonly #call: MethodCall;
  /**
   * Result of the method, or value of the label, behind this call; for a start the input `crewai_trigger_payload`, else
   * undefined.
   */
  readonly value: JsonValue | undefined;
  readonly inputs: JsonObject;
  /** Feedback of people in this execution so far. */
  readonly feedback: readonly HumanFeedbackResult[];

  constructor(call: MethodCall) {
    super(call);
    this.#call = call;
    this.value = call.value;
    this.inputs = call.inputs;
    this.feedback = call.feedback;
  }

  /** The method's own copy of the state; its content at the end is merged into the flow's. */
  get state(): State & { id: string } {
    return this.#call.copy.state as State & { id: string };
  }

  set state(state: State & { id: string }) {
    this.#call.copy.state = state;
  }

  /**
   * Adds to a number of the state (1 by default), and returns its new value in this method's copy. Additions of
   * concurrent methods add up, while of assignments the last counts. `["totals", "books"]` names a nested field; a
   * missing number counts as 0. Throws `invalid_input` for a value other than a number.
   */
  get add(): AddToState<State> {
    const { copy } = this.#call;
    return (field, amount) => copy.add(field, amount);
  }

  /** The conversation of a turn. Throws `conflict` outside the turns of a conversational flow. */
  get conversation(): ConversationTools {
    return conversationOf(this.#call);
  }
}

/** Throws `conflict` outside turns. */
export function conversationOf(call: MethodCall): ConversationTools {
  if (call.conversation !== undefined) return call.conversation(call);
  throw new EngineError(
    "conflict",
    "conversation is available only in turns of a conversational flow: see conversational()",
  );
}
