import type { ActiveHooks } from "../hooks/dispatch.ts";
import type { ToolContext } from "./tool-context.ts";
import type { Tool } from "./tool.ts";

/** Caller whose rules apply to calls from within a tool. */
export type InnerCaller = {
  readonly hooks: ActiveHooks | undefined;
  /** Returns true if a person must approve a tool's calls although the tool itself does not require it. */
  readonly asksFirst: (tool: Tool) => boolean;
};

const CALLER = Symbol("inner caller");

/** Context, or a copy of one, with the caller of the call. */
type CalledContext = ToolContext & { [CALLER]?: InnerCaller };

export function setInnerCaller(context: ToolContext, caller: InnerCaller): void {
  (context as CalledContext)[CALLER] = caller;
}

export function innerCallerOf(context: ToolContext): InnerCaller | undefined {
  return (context as CalledContext)[CALLER];
}
