import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** Whose rules hold for the calls that a tool makes of others. */
export type InnerCaller = {
  readonly hooks: ActiveHooks | undefined;
  /** Whether a person has to approve a tool's calls, although the tool itself does not say so. */
  readonly asksFirst: (tool: Tool) => boolean;
};

const CALLER = Symbol("inner caller");

/** A context, also a copy of one, remembers on whose behalf its call is made. */
type CalledContext = ToolContext & { [CALLER]?: InnerCaller };

export function setInnerCaller(context: ToolContext, caller: InnerCaller): void {
  (context as CalledContext)[CALLER] = caller;
}

export function innerCallerOf(context: ToolContext): InnerCaller | undefined {
  return (context as CalledContext)[CALLER];
}
