import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** Whose rules hold for the calls that a tool makes of others. */
export type InnerCaller = {
  readonly hooks: ActiveHooks | undefined;
  /** Whether a person has to approve a tool's calls, although the tool itself does not say so. */
  readonly asksFirst: (tool: Tool) => boolean;
};

const callers = new WeakMap<ToolContext, InnerCaller>();

/** Remembers on whose behalf a call is made. */
export function setInnerCaller(context: ToolContext, caller: InnerCaller): void {
  callers.set(context, caller);
}

export function innerCallerOf(context: ToolContext): InnerCaller | undefined {
  return callers.get(context);
}
