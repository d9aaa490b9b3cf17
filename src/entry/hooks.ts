/** Hooks: your code at ten points of a run, which can observe, change or stop it. */

/** Makes a hook for a point; the short forms are for the points around model and tool calls. */
export {
  afterLlmCall,
  afterToolCall,
  beforeLlmCall,
  beforeToolCall,
  HookAborted,
  on,
  type Hook,
  type HookContexts,
  type HookFilters,
  type HookPoint,
} from "../hooks/hook.ts";
/** Adds hooks to the runs started by some code in this process. */
export { withHooks } from "../hooks/scoped-hooks.ts";
