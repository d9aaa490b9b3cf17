// Values for registration as a flow. They are recognised by their fields and not by their class, so a Worker without
// flows carries no flow engine.
import { EngineError } from "../base/error.ts";
import { preview, type JsonValue } from "../base/json.ts";
import type { BuiltFlow } from "./built-flow.ts";
import type { FlowObject } from "./flow.ts";

/** A flow in any of its forms: built, an object of a flow class, or the class. */
export type FlowLike = BuiltFlow<unknown> | FlowObject<unknown> | (new () => FlowObject<unknown>);

/** The state of a flow, in any of its forms. */
export type StateOf<Flow> = Flow extends new () => FlowObject<infer State>
  ? State
  : Flow extends FlowObject<infer State>
    ? State
    : Flow extends BuiltFlow<infer State>
      ? State
      : never;

/** Start inputs of a flow's run: fields of its state, and the engine's own inputs. */
export type FlowInputs<Flow> = Partial<StateOf<Flow>> & Omit<EngineInputs, keyof StateOf<Flow>>;

type EngineInputs = {
  /** Id of the state; if the flow persists, restores the state stored under it. For a conversation: the session. */
  readonly id?: string;
  /** User's message to a conversational flow. */
  readonly message?: string;
  /** The argument of the flow's starts. */
  readonly crewai_trigger_payload?: JsonValue;
};

/** Options for starting a flow by name. */
export type FlowStartOptions<Flow> = {
  /** Id of the run. For an existing id, the existing run is returned. @default a new one */
  readonly id?: string;
  /** @default {} */
  readonly inputs?: FlowInputs<Flow>;
  /** Starts with the newest state stored under this flow id. @default none */
  readonly restoreFromStateId?: string;
};

/**
 * Returns the flow in its runnable form. Throws `invalid_definition` for another value, or for a flow unable to run.
 */
export function builtFlow(candidate: FlowLike, name: string): BuiltFlow {
  const flow: unknown = (isClass(candidate) ? new candidate() : candidate)?.flow;
  if (isBuilt(flow)) return flow.registeredAs(name);
  throw new EngineError(
    "invalid_definition",
    `flows.${name} must be a flow class, an object of one, or made with defineFlow(), got ${preview(candidate)}`,
  );
}

function isClass(candidate: FlowLike): candidate is Extract<FlowLike, new () => unknown> {
  return (
    typeof candidate === "function" &&
    (candidate as { prototype?: unknown }).prototype !== undefined
  );
}

function isBuilt(flow: unknown): flow is BuiltFlow {
  return typeof (flow as Partial<BuiltFlow> | undefined)?.checkKickoff === "function";
}
