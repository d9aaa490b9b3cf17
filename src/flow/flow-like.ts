// Values that can be registered as a flow. They are recognised by their fields and not by their class, so that a Worker without flows
// carries no flow engine.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { BuiltFlow } from "./built-flow.ts";
import type { FlowObject } from "./flow.ts";

/** A flow in any of its forms: built, an object of a flow class, or the class. */
export type FlowLike = BuiltFlow<unknown> | FlowObject<unknown> | (new () => FlowObject<unknown>);

/** Returns the flow in the form that can run. Throws `invalid_definition` for a value that is no flow, or a flow that could not run. */
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
